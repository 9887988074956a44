"""The public functions, for pdb, a notebook, a test or a log.

``budget_ms`` bounds the time, in milliseconds; without it all is read, however long that takes. What there was no time
for is said: by ``complete`` of an answer and the first line that it prints, by ``exact`` of statistics. The clock is
looked at between values and operations, so an answer may take somewhat longer. Code of the program that `gradcheck`,
`shapes` and `item` run is not interrupted: the time it takes comes on top, and what follows it is bounded.
It raises ``TypeError`` where it is no number, ``ValueError`` where it is negative. A function about values of torch
raises ``TypeError`` for any other value, and where the program has not imported torch. ``to_dict()`` is for json.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from .arguments import budget_of, exception_of, frame_of, is_set, rules_of, shares_of, whole
from .asking import ask, inputs_of, parameters_in_sight, printed
from .kinds import Child, as_kind
from .kinds.facts import add_distribution_of
from .measure.stats.tally import MOST
from .safe.guard import module
from .safe.untouched import Untouched
from .stop.snapshot import PAGE, ask_kind, failed_facts
from .words.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import FrameType

    from .lenses.answer import Answer
    from .lenses.compare.comparison import Comparison
    from .lenses.findings.finding import Findings
    from .protocol import Facts


def summarize(value: object, *, budget_ms: float = float("inf")) -> str:
    """The summary line of a value, at most 120 characters. It says what was not read within ``budget_ms``."""
    budget = budget_of(budget_ms)
    with Untouched():
        return str(ask_kind(value, budget, lambda kind: one_line(kind.line()), str))


def facts(value: object, *, quantiles: Iterable[float] = (), bins: int = 0, budget_ms: float = float("inf")) -> Facts:
    """What is known about a value, as plain data: shape, dtype, device, strides in elements, bytes, gradient, stats.

    ``stats`` is None where values were not read, and ``unread`` says why. min, max, mean and std (unbiased) are over
    the finite values; ``first_nan`` and ``first_inf`` are indices, one integer per dimension. ``quantiles`` asks for
    those shares of the finite values (0.5 is the median, linear between neighbours), ``bins`` for a histogram with so
    many bins of equal width. Both are over the same values as ``stats``; those of dates are texts in ``rows``. Where
    they are not available, ``notes`` say why.

    Raises ``ValueError`` for quantiles beyond 0 … 1 and negative or too many ``bins``, ``TypeError`` for no number.

    >>> found = facts([1, 2])
    >>> found["type"], found["rows"]
    ('list', [['length', '2']])
    """
    shares, bars, budget = shares_of(quantiles), whole("bins", bins, most=MOST), budget_of(budget_ms)
    with Untouched():
        found: Facts = ask_kind(value, budget, lambda kind: kind.facts(), lambda why: failed_facts(value, why))
        if shares or bars:
            add_distribution_of(found, as_kind(value, budget), budget, shares, bars)
    return found


def tree(value: object, depth: int = 2, *, rows: int = PAGE, budget_ms: float = float("inf")) -> str:
    """The value and what is below it, ``depth`` levels deep, as indented text; cycles end in ``↻`` and the path above.

    At most ``rows`` rows of each value are shown. Properties are listed, not read. Raises ``TypeError`` or
    ``ValueError`` where ``depth`` or ``rows`` is no whole number from 0 up.
    """
    depth, rows, budget = whole("depth", depth), whole("rows", rows), budget_of(budget_ms)
    with Untouched():
        return printed(Child("value", value, "value"), depth, rows, budget)


def compare(
    a: object, b: object, *, rtol: float = 0.0, atol: float = 0.0, budget_ms: float = float("inf")
) -> Comparison:
    """How ``b`` differs from ``a``: tensors and arrays element by element, models, batches and objects name by name.
    How two different tensors are related is said, as "equal after transposing". The worst comes first: what can't be
    loaded, NaN, plain values, then elements by how far those farthest apart are, relative to the larger of the two.

    Elements, and numbers anywhere but bools, count as equal within ``atol + rtol·|b|``, NaN as equal to NaN. The answer
    prints one difference per line; ``same``, ``differences`` …, or ``to_dict()`` for json, give it as data. It is true
    where the two are equal. Objects shared inside a value, such as tied parameters, count as equal to separate copies.
    Raises ``TypeError`` or ``ValueError`` where ``rtol`` or ``atol`` is no finite number from 0 up.

    A model or an optimizer beside what was saved of one, bare or as an entry of a checkpoint, is compared by the names
    that ``state_dict()`` gives; that is said as a difference of type. Functions are compared by code, defaults and what
    they close over, not by the global variables that they use.

    >>> compare({"lr": 0.1, "steps": [1, 2]}, {"lr": 0.2, "steps": [1, 2, 3]})
    2 differences · 3 values compared
      ['steps'][2]  only in b: 3
      ['lr']        0.1 → 0.2
    """
    from .lenses.compare import compare as lens  # not compiled in a debugged program, where nobody calls this

    rtol, atol = lens.amount("rtol", rtol), lens.amount("atol", atol)
    budget = budget_of(budget_ms)
    with Untouched():
        return lens.compare(a, b, budget, rtol=rtol, atol=atol, known=partial(parameters_in_sight, budget))


def findings(
    frame: FrameType | None = None,
    *,
    thorough: bool = False,
    run: bool = False,
    ignore: Collection[str] = (),
    budget_ms: float = float("inf"),
) -> Findings:
    """What is wrong with the training step in sight of a frame; without one, of the nearest frame of the user.

    A list of plain data, causes first, that prints one finding per line. ``checked`` names the rules that were asked,
    ``skipped`` the others with the reason. ``thorough`` reads more values; ``ignore`` names rules to skip. Raises
    ``ValueError`` for a name that no rule has, ``TypeError`` for a single text.

    ``run`` lets rules run the model a few times more, without its hooks, on copies of its tensors and of all that its
    attributes hold: these, random numbers, modes and gradients are left as they were, bit for bit. What the model's
    code changes elsewhere is not undone: files, what it prints, global variables, attributes of classes, other
    processes. A model that holds what can't be copied, or that trains together with other processes, is not run:
    ``skipped`` says why.

    Numbers of a stop are remembered to be compared with at the next; `forget` clears them. ``budget_ms`` does not count
    the time in which the first call loads the rules.
    """
    frame, ignore = frame_of(frame), rules_of(ignore)
    thorough, run = is_set("thorough", thorough), is_set("run", run)
    if module("torch") is None:
        return _without_torch()
    from .watching import findings as stop

    return stop.findings(frame, budget_of(budget_ms), thorough=thorough, run=run, ignore=ignore)


def explain(error: BaseException, frame: FrameType | None = None, *, budget_ms: float = float("inf")) -> Findings:
    """What an exception was about: the operands of the failing line, the one that disagrees, and what would fit.

    ``frame`` is where the program stands, for an exception without a traceback. A list as that of `findings`, empty
    for an exception that is not explained: ``skipped`` says why. Raises ``TypeError`` for what is no exception.
    """
    error, frame, budget = exception_of(error), frame_of(frame), budget_of(budget_ms)
    if module("torch") is None:
        return _without_torch()
    from .lenses.explain import explain as lens

    with Untouched():
        return lens.explain(error, frame, budget=budget)


def autograd(tensor: object, *, depth: int = 1, budget_ms: float = float("inf")) -> Answer:
    """The graph behind a tensor down to its leaves, which bear the names they have in the calling frame.

    A dict that prints as a tree of operations, ``depth`` levels deep; repeated parts are folded. Raises ``TypeError``
    where it is no tensor.
    """
    return ask("autograd", {"tensor": tensor}, {}, whole("depth", depth), budget_ms)


def gradients(model: object, *, budget_ms: float = float("inf")) -> Answer:
    """The gradients of a module's parameters, or of an optimizer's, the worst first: a dict that prints as a table.

    ``rows`` are plain data: counts of NaN and Inf, Euclidean norms of gradient and weight, and of what the optimizer in
    sight would change by its next step. Raises ``TypeError`` where it is neither a module nor an optimizer.
    """
    return ask("gradients", {"model": model}, {"rows": 10**9}, 1, budget_ms)


def model(module: object, *, sort: str = "order", budget_ms: float = float("inf")) -> Answer:
    """The modules of a model as a tree: parameters, trainable ones, bytes, dtypes, devices, modes, buffers, hooks.

    A dict that prints as a table; ``rows`` has a row for each module, and ``tied`` the names of what is shared, which
    counts once. ``sort`` is the order within each module: "order" as they stand, "name", "type", "parameters",
    "trainable", "buffers", "bytes", "dtype", "device", "mode" or "hooks". Raises ``TypeError`` for another one, and
    where it is no module.
    """
    return ask("model", {"model": module}, {"sort": sort, "rows": 10**9}, 1, budget_ms)


def memory(*, thorough: bool = False, budget_ms: float = float("inf")) -> Answer:
    """What takes memory: by device, by what it is for, by variable, and the largest pieces with every name of theirs.

    Each byte counts once, however many tensors and arrays share it. Nothing is allocated on a device to know it.
    ``thorough`` goes through all objects of the process, for tensors that no name in sight reaches. Sizes are in bytes.
    """
    return ask("memory", {}, {"rows": 10**9, "thorough": is_set("thorough", thorough)}, 2, budget_ms)


def gradcheck(function: object, /, *inputs: object, budget_ms: float = float("inf"), **named: object) -> Answer:
    """Whether the backward of a function, module or autograd Function is right: it is run on double-precision copies.

    It is called as ``function(*inputs, **named)``. It can't have an argument named ``budget_ms``.
    Tensors that require a gradient are checked, and a module's parameters; all tensors, where none does. What running
    it changes is restored, except what its code changes elsewhere: files, what it prints, global variables, attributes
    of classes, other processes. A dict that prints as a line and rows: entries that disagree, the worst first.
    At most 64 entries of each input are looked at (``looked_at`` of ``entries``): half of them those with the largest
    gradients, the others from everywhere; 2,000 of all, for 20 seconds. A gradient agrees within a thousandth of the
    larger of the two, a millionth of the largest gradient, and what rounding makes of the differences.
    Raises ``TypeError`` where it can't be called or copied.
    """
    values = {"function": function, **inputs_of(inputs, named)}
    return ask("gradcheck", values, {"run": True, "names": list(named)}, 1, budget_ms)


def referrers(value: object, *, budget_ms: float = float("inf")) -> Answer:
    """Who keeps a value alive: by every name that reaches it, what shares its memory, graphs that have saved it, and
    what has no name in sight: closures, caches, other modules, generators that wait, objects that only hold one
    another. What else C++ holds is not seen.
    """
    return ask("referrers", {"value": value}, {"rows": 10**9}, 1, budget_ms)


def shapes(module: object, /, *inputs: object, budget_ms: float = float("inf"), **named: object) -> Answer:
    """Runs ``module(*inputs, **named)``, and lists each call of a layer: shapes of inputs and outputs, ranges, NaN,
    parameters, time.

    ``budget_ms`` alone is a name that it can't be given.
    Where a layer raises, the calls so far, and which it was and why. A dict as the only input is given by name where
    its keys are what forward takes. The module keeps its mode and that of gradients and autocast. It runs without hooks
    but those of torch that compute weights (``hooks`` says how many were not called), on copies of its tensors, of what
    else it holds and of the inputs: these, random numbers, modes and gradients are left as they were, bit for bit.
    Parameters of a large model are not copied: an operation that would change one raises. What the module's code
    changes elsewhere is not undone: files, what it prints, global variables, attributes of classes, other
    processes. A module that holds what can't be copied, or that trains together with other processes, is not run: a
    `TypeError` says why.
    """
    values = {"module": module, **inputs_of(inputs, named)}
    return ask("shapes", values, {"run": True, "names": list(named)}, 1, budget_ms)


def nan_origin(tensor: object, *, budget_ms: float = float("inf")) -> Answer:
    """Where NaN or an infinity in a tensor began: the operation, its inputs, the line where that is known.

    A dict with ``where``, ``operation``, ``cause``, ``file``, ``line`` and the index ``first``. Raises ``TypeError``
    where it is no tensor.
    """
    return ask("nan_origin", {"tensor": tensor}, {}, 1, budget_ms)


def no_gradient(parameter: object, *, budget_ms: float = float("inf")) -> Answer:
    """Why a parameter, or those of a module, have no gradient: where the way from the loss breaks.

    A dict whose ``reasons`` name the parameters and the line. Raises ``TypeError`` where it is neither a tensor nor a
    module.
    """
    return ask("no_gradient", {"parameter": parameter}, {}, 1, budget_ms)


def batch(value: object, *, budget_ms: float = float("inf")) -> Answer:
    """What is in a batch, nested as it may be: of each part shape, dtype, range, labels and how often each occurs, and
    equal samples; and what does not fit. Of a table the columns, of a dataset, loader or sampler the settings: no code
    of the program runs."""
    return ask("batch", {"batch": value}, {}, 1, budget_ms)


def item(dataset: object, index: int = 0) -> Answer:
    """One item of a dataset, or of a loader's, taken as the program would take it: its time, and its parts as
    `batch` lists them. The code of the dataset runs on a copy of what it holds; random numbers and modes are restored.
    What it changes elsewhere is not undone: files, what it prints, global variables, attributes of classes, other
    processes. An exception is given as ``error``; the time is ``ms``, in milliseconds. Raises ``TypeError`` where the
    value has no items, or ``index`` is no whole number.
    """
    return ask("item", {"dataset": dataset}, {"index": index, "run": True}, 1, float("inf"))


def environment() -> Answer:
    """What the program runs with: versions, devices, and every flag of torch, Python and the environment that changes
    what is computed, those that differ from their defaults first. Nothing is imported or initialized to find out.

    ``settings`` are plain data: name, value, default (None where there is none), and whether they differ.
    """
    return ask("environment", {}, {}, 1, float("inf"))


def report(*, values: bool = False) -> Answer:
    """A bug report about the frame that calls it, and the exception that is being handled: ``text`` in Markdown.

    Versions, devices, settings that differ from the defaults, the exception with the lines that it came through, the
    findings, and each variable by its type, shape, dtype and device. Nothing of what variables hold, unless ``values``
    asks for that: no number, text or key, and of messages only what libraries say, without what they quote. The home
    folder is ``~``.
    """
    return ask("report", {}, {"values": is_set("values", values)}, 1, float("inf"))


def forget() -> None:
    """Forget the numbers of earlier stops that `findings` compares with."""
    from .watching import history

    history.forget()


def _without_torch() -> Findings:
    from .lenses.findings.finding import Findings

    return Findings(skipped=[("all", "the program has not imported torch")])
