"""The public face: the same summaries from pdb, a notebook, a test or a log."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .kinds import Child, Rows, as_kind
from .kinds.facts import add_distribution_of
from .measure.stats.tally import MOST
from .safe.budget import Budget
from .safe.guard import module
from .safe.modes import modes
from .safe.untouched import Untouched
from .stop.snapshot import PAGE, Snapshot, asked, failed_facts
from .words.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import FrameType

    from .lenses.answer import Answer
    from .lenses.compare.comparison import Comparison
    from .lenses.findings.finding import Findings
    from .protocol import Facts, Node


def summarize(value: object, *, budget_ms: float = float("inf")) -> str:
    """The summary line of a value, at most 120 characters.

    Reads statistics exactly however long that takes, unless ``budget_ms`` bounds it; then what was not read is said.
    """
    budget = _budget(budget_ms)
    with Untouched():
        return str(asked(value, budget, lambda kind: one_line(kind.line()), str))


def facts(value: object, *, quantiles: Iterable[float] = (), bins: int = 0, budget_ms: float = float("inf")) -> Facts:
    """What is known about a value, as plain data: shape, dtype, device, strides in elements, bytes, gradient, stats.

    ``stats`` is None where values were not read, and ``unread`` says why. min, max, mean and std (unbiased) are over
    the finite values; ``first_nan`` and ``first_inf`` are indices. ``quantiles`` asks for those shares of the finite
    values (0.5 is the median, linear between neighbours), ``bins`` for a histogram of as many bins of one width: over
    what ``stats`` is over, those of dates as texts in ``rows``. Where they can't be had, ``notes`` say why.

    >>> found = facts([1, 2])
    >>> found["type"], found["rows"]
    ('list', [['length', '2']])
    """
    shares, bars, budget = _shares(quantiles), _whole("bins", bins, most=MOST), _budget(budget_ms)
    with Untouched():
        found: Facts = asked(value, budget, lambda kind: kind.facts(), lambda why: failed_facts(value, why))
        if shares or bars:
            add_distribution_of(found, as_kind(value, budget), budget, shares, bars)
    return found


def tree(value: object, depth: int = 2, *, rows: int = PAGE, budget_ms: float = float("inf")) -> str:
    """The value and what is below it, ``depth`` levels deep, as indented text; cycles end in ``↻`` and the path above.

    Properties are listed, not read.
    """
    depth, rows, budget = _whole("depth", depth), _whole("rows", rows), _budget(budget_ms)
    with Untouched():
        return _printed(Child("value", value, "value"), depth, rows, budget)


def compare(
    a: object, b: object, *, rtol: float = 0.0, atol: float = 0.0, budget_ms: float = float("inf")
) -> Comparison:
    """How ``b`` differs from ``a``: tensors and arrays element by element, models, batches and objects name by name.
    The worst comes first, and what makes two tensors one all the same is named, as "equal after transposing".

    Elements, and numbers anywhere but bools, count as equal within ``atol + rtol·|b|``, NaN as equal to NaN. The answer
    prints as a line a difference; ``same``, ``differences`` and ``not_compared`` give it as data, and it is true where
    the two are the same. Objects shared inside a value, as tied parameters, are not told from equal copies.

    >>> compare({"lr": 0.1, "steps": [1, 2]}, {"lr": 0.2, "steps": [1, 2, 3]})
    2 differences · 3 values compared
      ['steps'][2]  only in b: 3
      ['lr']        0.1 → 0.2
    """
    from .lenses.compare import compare as lens  # not compiled in a debugged program, where nobody calls this
    from .lenses.lens import Paused
    from .lenses.step import frames

    def known() -> dict[int, str]:
        from .lenses.surroundings import names_of_parameters  # which needs torch

        frame = frames.caller()
        paused = None if frame is None else Paused(frame, None, True, None, lambda expression, frame: None)
        return names_of_parameters(paused, budget)

    rtol, atol = lens.amount("rtol", rtol), lens.amount("atol", atol)
    budget = _budget(budget_ms)
    with Untouched():
        return lens.compare(a, b, budget, rtol=rtol, atol=atol, known=known)


def findings(
    frame: FrameType | None = None,
    *,
    thorough: bool = False,
    run: bool = False,
    ignore: Collection[str] = (),
    budget_ms: float = float("inf"),
) -> Findings:
    """What is wrong with the training step in sight of a frame; without one, of the nearest frame of the user.

    A list of plain data, causes first, that prints one line a finding. ``checked`` and ``skipped`` tell what was
    asked. ``thorough`` reads more values; ``ignore`` names rules that are not asked, and a name that no rule has is a
    `ValueError`. ``run`` lets rules run the model a few times more, without its hooks, on copies of its tensors and of
    all that its attributes hold: these, random numbers, modes and gradients are left as they were, bit for bit. What
    the model's code changes elsewhere is not taken back: files, what it prints, global variables, attributes of
    classes, other processes. A model that holds what can't be copied, or that trains together with other processes, is
    not run: ``skipped`` tells why.
    Numbers of a stop are remembered to be compared with at the next; `forget` clears them.
    """
    if isinstance(ignore, str):
        raise TypeError("ignore is a collection of rules, as in ['lr-zero']")
    if module("torch") is None:
        return _without_torch()
    from .watching import findings as stop

    return stop.findings(frame, _budget(budget_ms), thorough=thorough, run=run, ignore=ignore)


def explain(error: BaseException, frame: FrameType | None = None) -> Findings:
    """What an exception was about: the operands of the failing line, the one that disagrees, and what would fit."""
    if not isinstance(error, BaseException):
        raise TypeError("explain takes an exception, as `sys.last_value` is one")
    if module("torch") is None:
        return _without_torch()
    from .lenses.explain import explain as lens

    with Untouched():
        return lens.explain(error, frame)


def autograd(tensor: object, *, depth: int = 1, budget_ms: float = float("inf")) -> Answer:
    """The graph behind a tensor down to its leaves, which bear the names they have in the calling frame.

    A dict that prints as a tree of operations, ``depth`` levels deep; what repeats is folded.
    """
    return _asked("autograd", {"tensor": tensor}, {}, _whole("depth", depth), budget_ms)


def gradients(model: object, *, budget_ms: float = float("inf")) -> Answer:
    """The gradients of a module's parameters, or of an optimizer's, the worst first: a dict that prints as a table.

    ``rows`` are plain data: NaN and Inf counted, norms, and what the optimizer in sight would change by its next step.
    """
    return _asked("gradients", {"model": model}, {"rows": 10**9}, 1, budget_ms)


def model(module: object, *, sort: str = "order", budget_ms: float = float("inf")) -> Answer:
    """The modules of a model as a tree: parameters, trainable ones, bytes, dtypes, devices, modes, buffers, hooks.

    A dict that prints as a table; ``rows`` has a row for each module, and ``tied`` the names of what is shared, which
    counts once. ``sort`` is the order within each module: "order" as they stand, "name", "type", "parameters",
    "trainable", "buffers", "bytes", "dtype", "device", "mode" or "hooks".
    """
    return _asked("model", {"model": module}, {"sort": sort, "rows": 10**9}, 1, budget_ms)


def memory(*, budget_ms: float = float("inf")) -> Answer:
    """What takes memory: by device, by what it is for, by variable, and the largest pieces with every name of theirs.

    Each byte counts once, however many tensors and arrays share it. Nothing is allocated on a device to know it.
    """
    return _asked("memory", {}, {"rows": 10**9}, 2, budget_ms)


def gradcheck(function: object, *inputs: object, budget_ms: float = float("inf")) -> Answer:
    """Whether the backward of a function, module or autograd Function is right: it is run on double-precision copies.

    Tensors that require a gradient are checked, and a module's parameters; all tensors, where none does. What running
    it changes is put back, but for what its code changes elsewhere: files, what it prints, global variables, attributes
    of classes, other processes. A dict that prints as a line and rows: entries that disagree, the worst first.
    """
    values = {"function": function, **{f"input{number}": value for number, value in enumerate(inputs, 1)}}
    return _asked("gradcheck", values, {"run": True}, 1, budget_ms)


def referrers(value: object, *, budget_ms: float = float("inf")) -> Answer:
    """Who keeps a value alive: by every name that reaches it, what shares its memory, graphs that have saved it, and
    what has no name in sight: closures, caches, other modules, generators that wait. What else C++ holds is not seen.
    """
    return _asked("referrers", {"value": value}, {"rows": 10**9}, 1, budget_ms)


def shapes(module: object, *inputs: object, budget_ms: float = float("inf")) -> Answer:
    """Runs a module on inputs, and tells each call of a layer: input and output shapes, ranges, NaN, parameters, time.

    Where a layer raises, the calls so far, and which it was and why. A dict as the only input is given by name where
    its keys are what forward takes. The module keeps its mode and that of gradients and autocast. It runs without hooks
    but those of torch that compute weights (``hooks`` says how many were not called), on copies of its tensors, of what
    else it holds and of the inputs: these, random numbers, modes and gradients are left as they were, bit for bit.
    Parameters of a large model are not copied: an operation that would change one raises. What the module's code
    changes elsewhere is not taken back: files, what it prints, global variables, attributes of classes, other
    processes. A module that holds what can't be copied, or that trains together with other processes, is not run: a
    `TypeError` tells why.
    """
    values = {"module": module, **{f"input{number}": value for number, value in enumerate(inputs, 1)}}
    return _asked("shapes", values, {"run": True}, 1, budget_ms)


def nan_origin(tensor: object, *, budget_ms: float = float("inf")) -> Answer:
    """Where NaN or an infinity in a tensor began: the operation, what it came from, the line where that is known."""
    return _asked("nan_origin", {"tensor": tensor}, {}, 1, budget_ms)


def no_gradient(parameter: object, *, budget_ms: float = float("inf")) -> Answer:
    """Why a parameter, or those of a module, have no gradient: where the way from the loss breaks."""
    return _asked("no_gradient", {"parameter": parameter}, {}, 1, budget_ms)


def batch(value: object, *, budget_ms: float = float("inf")) -> Answer:
    """What is in a batch, nested as it may be: of each part shape, dtype, range, labels and how often each occurs,
    equal samples; and what does not fit. A table is told by its columns; a dataset, loader or sampler by what it was
    made with: nothing is iterated, no code of the program runs.
    """
    return _asked("batch", {"batch": value}, {}, 1, budget_ms)


def item(dataset: object, index: int = 0) -> Answer:
    """One item of a dataset, or of a loader's, taken as the program would take it: its time, and what is in it as
    `batch` tells it. The code of the dataset runs on a copy of what it holds; random numbers and modes are put back.
    What it changes elsewhere is not taken back: files, what it prints, global variables, attributes of classes, other
    processes. What raises is told as ``error``.
    """
    return _asked("item", {"dataset": dataset}, {"index": index, "run": True}, 1, float("inf"))


def environment() -> Answer:
    """What the program runs with: versions, devices, and every flag of torch, Python and the environment that changes
    what is computed, what is not as by default first. Nothing is imported or initialized to find out.

    ``settings`` are plain data: name, value, default (None where there is none), and whether they differ.
    """
    return _asked("environment", {}, {}, 1, float("inf"))


def report(*, values: bool = False) -> Answer:
    """A bug report about the frame that calls it, and the exception that is being handled: text in Markdown.

    Versions, devices, what is not as by default, the exception with the lines that it came through, the findings, and
    each variable by its type, shape, dtype and device. Nothing of what variables hold, unless ``values`` asks for
    that: no number, text or key, and of messages only what libraries say, without what they quote. The home folder
    is ``~``.
    """
    return _asked("report", {}, {"values": values}, 1, float("inf"))


def forget() -> None:
    """Forget the numbers of earlier stops that `findings` compares with."""
    from .watching import history

    history.forget()


def _without_torch() -> Findings:
    from .lenses.findings.finding import Findings

    return Findings(skipped=[("all", "the program has not imported torch")])


def _asked(lens: str, values: dict[str, object], options: dict[str, Any], depth: int, ms: float) -> Answer:
    """The answer of a lens about values, by the names that they have in the frame that asks."""
    from .lenses import registry
    from .lenses.answer import Answer
    from .lenses.lens import Misasked, Paused
    from .lenses.step import frames

    budget, thread, raised = _budget(ms), modes(), sys.exc_info()[1]
    if raised is None and hasattr(sys, "ps1"):  # at a prompt
        raised = getattr(sys, "last_value", None)
    guard = Untouched()
    with guard:
        frame = frames.caller()
        view = frames.nearest(frame)
        names = {} if view is None else {id(value): name for name, value in reversed(list(view.variables.items()))}
        asked = {role: Child(names.get(id(value), role), value, names.get(id(value))) for role, value in values.items()}
        paused = None
        if frame is not None:
            about = None if raised is None else (type(raised), raised, None)
            grad_mode = thread is None or thread.grad
            paused = Paused(frame, about, grad_mode, None, lambda expression, frame: None, thread)
        try:
            work = registry.lens(lens, asked, options, budget, paused)
        except Misasked as error:
            raise TypeError(str(error)) from None
        work.guard = guard
        while not work.go_on():
            work.budget.renew(budget.ms)
        text = work.text()
        return Answer(work.found(), _printed(work.row(), depth, PAGE, budget) if text is None else text)


def _printed(top: Child, depth: int, rows: int, budget: Budget) -> str:
    """A row and what is below it, as indented text."""
    lines: list[str] = []
    snapshot = Snapshot(Rows.of("", []))
    waiting = [(snapshot.describe(top, 0, budget), 0)]
    while waiting:
        node, level = waiting.pop()
        lines.append(_row(node, level))
        if level < depth and "children" in node and "lazy" not in node:
            page = snapshot.page(node["id"], 0, rows, budget)
            more = (page["total"] or 0) - len(page["nodes"])
            if more > 0:
                page["nodes"].append({"id": 0, "name": f"… {more:,} more", "kind": "group", "type": "", "line": ""})
            waiting.extend((below, level + 1) for below in reversed(page["nodes"]))
    return "\n".join(lines)


def _budget(ms: float) -> Budget:
    if isinstance(ms, (bool, str)) or not hasattr(type(ms), "__float__"):
        raise TypeError("budget_ms is a number of milliseconds, as in 40")
    if not float(ms) >= 0:
        raise ValueError(f"budget_ms must be at least 0, not {ms}")
    return Budget(float(ms))


def _shares(quantiles: Iterable[float]) -> list[float]:
    try:
        shares = [float(share) for share in quantiles]
    except (TypeError, ValueError):
        raise TypeError("quantiles are shares between 0 and 1, as in [0.25, 0.5]") from None
    if not all(0.0 <= share <= 1.0 for share in shares):
        raise ValueError("quantiles lie between 0 and 1")
    if len(shares) > MOST:
        raise ValueError(f"at most {MOST} quantiles can be asked for")
    return shares


def _whole(name: str, value: int, most: float = float("inf")) -> int:
    """An option that is a whole number from 0 up, also one of numpy's."""
    try:
        found = range(None if isinstance(value, bool) else value).stop  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is a whole number, as in 16") from None
    if found < 0:
        raise ValueError(f"{name} must be at least 0, not {found}")
    if found > most:
        raise ValueError(f"at most {most} {name} can be asked for")
    return found


def _row(node: Node, level: int) -> str:
    mark: str | None = None
    if "mark" in node:
        mark = f"{'↻' if node['mark']['kind'] == 'cycle' else '≡'} {node['mark']['path']}"
    parts = [node["line"] if level == 0 else node["name"], None if level == 0 else node["line"], mark]
    return "  " * level + "  ".join(part for part in parts if part)
