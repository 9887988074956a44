"""The public functions, for pdb, a notebook, a test or a log. Those that ask a lens stand in `questions`.

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

from .arguments import (
    budget_of,
    clip_of,
    exception_of,
    flag,
    frame_of,
    one_of,
    quantiles_of,
    rules_of,
    whole_number,
)
from .asking import parameters_in_sight, printed
from .kinds import Child, as_kind
from .kinds.facts import add_distribution_of
from .measure.stats.tally import MAX_POINTS
from .safe.guard import module
from .safe.untouched import Untouched
from .stop.snapshot import PAGE, ask_kind, failed_facts
from .words.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from types import FrameType

    from .lenses.catalogue import Described
    from .lenses.compare.comparison import Comparison
    from .lenses.findings.finding import Findings
    from .lenses.observations.observed import Observations
    from .lenses.picture.picture import Picture
    from .lenses.picture.tiles import How
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
    shares, bars, budget = quantiles_of(quantiles), whole_number("bins", bins, most=MAX_POINTS), budget_of(budget_ms)
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
    depth, rows, budget = whole_number("depth", depth), whole_number("rows", rows), budget_of(budget_ms)
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


def picture(
    x: object,
    dims: Sequence[int] | None = None,
    *,
    index: Sequence[int] | None = None,
    clip: tuple[float, float] = (0.0, 1.0),
    size: int = 512,
    tile: How = "mean",
    budget_ms: float = float("inf"),
) -> Picture:
    """Two dimensions of a tensor, array or nested lists as a heatmap, one as a line.

    ``dims`` are the dimensions of rows and columns, the last two without it; a single one is a line. ``index`` has an
    integer for each other dimension, in their order; 0 without it. Negative ones count from the end. The picture has up
    to ``size`` pixels along each side, whole pixels an element. Of a larger plane each pixel stands for a ``tile``: its
    "mean", "min", "max" or "nearest", the first element; of whole numbers with few values ("labels") the first, of
    bools the share of True. A line shows the range of each tile.

    NaN, Inf and −Inf have colours that no value has, and a glyph from 4 pixels an element on. A tile that holds any has
    the colour of the first of these. Signed values are blue below zero and orange above, others go from dark to light;
    ``clip`` bounds the colours by two quantiles of the finite values shown. Complex numbers are drawn by magnitude.
    What there was no time to read within ``budget_ms``, and what is large and mapped from a file, is sampled: the
    legend then begins with ≈, and not all NaN and Inf are seen.

    `save` writes the answer as a file, `legend` tells what it shows, `to_dict` is for json; notebooks show it. Raises
    ``TypeError`` for what holds no numbers, ``ValueError`` for what can't be read, and where an argument does not fit.

    >>> drawn = picture([[0.5, -1.0], [float("nan"), 0.25]])
    >>> print(drawn.legend)
    list[2, 2]
    −1 (blue) over 0 (grey) to 1 (orange)
    1 NaN (magenta ×)
    each element: 32 × 32 pixels
    >>> drawn.to_dict()["nan"]
    1
    """
    clip, budget = clip_of(clip), budget_of(budget_ms)
    size, how = whole_number("size", size, most=4096, least=1), one_of("tile", tile, ("mean", "min", "max", "nearest"))
    from .lenses.picture import picture as lens  # not compiled in a debugged program, where nobody calls this

    with Untouched():
        return lens.draw(x, lens.View(dims, index, clip, size, how), budget)


def findings(
    frame: FrameType | None = None,
    *,
    thorough: bool = False,
    run: bool = False,
    ignore: Collection[str] = (),
    budget_ms: float = float("inf"),
) -> Findings:
    """What is wrong with the training step in sight of a frame; without one, of the nearest frame of the user.

    A list of plain data, causes first, that prints one finding per line. ``tier`` is "sure" where the graph, the
    optimizer or an exception proves it, "likely" where it may be meant. ``checked`` names the rules that were asked,
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
    thorough, run = flag("thorough", thorough), flag("run", run)
    if module("torch") is None:
        return _without_torch()
    from .watching import findings as stop

    return stop.findings(frame, budget_of(budget_ms), thorough=thorough, run=run, ignore=ignore)


def rules() -> list[Described]:
    """What `findings` and `observations` can find: a dict for each rule, in the order in which they are asked.

    ``id``, ``subject``, ``tier`` (the most that it claims: "sure", "likely"; "look" claims nothing), ``severity``,
    ``summary``, ``why`` it matters and ``suggestion``. Needs torch: without it there are none.
    """
    if module("torch") is None:
        return []
    from .lenses.catalogue import described

    return described()


def observations(
    frame: FrameType | None = None, *, ignore: Collection[str] = (), budget_ms: float = float("inf")
) -> Observations:
    """What is worth a look at a frame: facts about the values in sight that claim nothing, the most unusual first.

    A list as that of `findings`, each of ``tier`` "look" and ``severity`` "hint"; ``checked`` names the detectors that
    were asked. The rank is how rarely such a fact holds in healthy programs. Nothing is run. ``ignore`` names detectors
    to skip. Raises ``ValueError`` for a name that none has, ``TypeError`` for a single text.
    """
    frame, ignore = frame_of(frame), rules_of(ignore)
    if module("torch") is None:
        from .lenses.observations.observed import Observations

        return Observations(skipped=[("all", "the program has not imported torch")])
    from .lenses.observations import look

    return look.observations(frame, budget_of(budget_ms), ignore)


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


def forget() -> None:
    """Forget the numbers of earlier stops that `findings` compares with."""
    from .watching import history

    history.forget()


def _without_torch() -> Findings:
    from .lenses.findings.finding import Findings

    return Findings(skipped=[("all", "the program has not imported torch")])
