"""The public functions that ask a lens: a function each, whose answer is a dict that prints as rows.

What `api` says of ``budget_ms`` and of what they raise holds here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .arguments import flag, whole_number
from .asking import ask, inputs_of

if TYPE_CHECKING:
    from .lenses.answer import Answer


def autograd(tensor: object, *, depth: int = 1, budget_ms: float = float("inf")) -> Answer:
    """The graph behind a tensor down to its leaves, which bear the names they have in the calling frame.

    A dict that prints as a tree of operations, ``depth`` levels deep; repeated parts are folded. Raises ``TypeError``
    where it is no tensor.
    """
    return ask("autograd", {"tensor": tensor}, {}, whole_number("depth", depth), budget_ms)


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
    return ask("memory", {}, {"rows": 10**9, "thorough": flag("thorough", thorough)}, 2, budget_ms)


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
    """Why a parameter, or those of a module, have no gradient: where the path from the loss breaks.

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
    return ask("report", {}, {"values": flag("values", values)}, 1, float("inf"))
