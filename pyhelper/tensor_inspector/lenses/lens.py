"""`Lens`: one question about values, answered in slices of time."""

from __future__ import annotations

from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from ..kinds import Child
from ..safe.budget import Budget
from ..safe.guard import class_name, library_of, mro
from ..safe.record import Record
from ..safe.untouched import Untouched

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..protocol import Found
    from ..safe.modes import Modes


_ROWS = 100  #: of a table, unless asked otherwise


class InvalidQuestion(Exception):
    """The question makes no sense: there is no such lens, value or option. The message is a sentence."""


def wrong_type(asked: Child, wanted: str) -> TypeError:
    """An error that says what a value is instead of what is wanted: ``x is an int, not a tensor``."""
    value: Any = asked.value
    cls = type(value)
    if value is None:
        return TypeError(f"{asked.name} is None, not {wanted}")
    if issubclass(cls, type):
        name = class_name(value)
        is_module = any(class_name(base) == "Module" and library_of(base) == "torch" for base in mro(value))
        advice = f": pass what {name}(…) makes" if is_module else ""
        return TypeError(f"{asked.name} is the class {name}, not {wanted}{advice}")
    name = "function" if cls is FunctionType else class_name(cls)
    return TypeError(f"{asked.name} is {'an' if name[:1].lower() in 'aeio' else 'a'} {name}, not {wanted}")


def row_limit(options: Mapping[str, Any]) -> int:
    """The option ``rows``: how many rows of a table the answer has at most. Raises ``ValueError``."""
    rows = options.get("rows", _ROWS)
    if type(rows) is not int or rows < 0:
        raise ValueError("rows is a whole number, as in 100")
    return rows


class Paused(Record):
    """Where a lens is asked: the paused frame that the user looks at.

    ``raised`` is the exception at which the program has stopped (class, exception, traceback), ``grad_mode`` whether
    gradients were on there, ``modes`` the other modes of its thread, None where another thread asks. ``history``
    remembers numbers from one stop to the next. ``reach`` resolves an expression in a frame without running anything,
    or raises.
    """

    frame: FrameType
    raised: tuple[Any, Any, Any] | None
    grad_mode: bool
    history: Any
    reach: Callable[[str, FrameType], object]
    modes: Modes | None = None


class Lens:
    """A question that is being answered. Its caller holds the guard, and takes the answer once it is done.

    The module of a lens has ``lens(values, options, budget, paused) -> Lens``, which only begins. Each of ``values`` is
    a `Child`: the value, its name, and the expression that reaches it. ``paused`` is where it is asked, None where
    nothing is paused. It raises ``TypeError`` or ``ValueError`` for a question that makes no sense; where only looking
    at the values shows that, `go_on` raises `InvalidQuestion`. No lens holds a snapshot: while it is being answered,
    the snapshot holds the lens.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget  #: renewed for each slice
        self.cut = False  #: something was left out already as it began, since there was no time
        self.limit: Budget | None = None  #: all the time there is, where there is a limit
        self.guard: Untouched | None = None  #: held by whoever asks; it may be lifted where code of the program runs

    def go_on(self) -> bool:
        """Works until all is done, or the time is over. Returns whether all is done."""
        raise NotImplementedError

    def stop(self) -> None:
        """There is no more time: what was found until now is the answer."""

    def progress(self) -> float:
        """How much is done, from 0 to 1, as far as it is known."""
        raise NotImplementedError

    def found(self) -> Found:
        """The answer, as data that JSON can carry."""
        raise NotImplementedError

    def row(self) -> Child:
        """The answer as a row of a tree, with what there is to see below it."""
        raise NotImplementedError

    def summary(self) -> Child:
        """The row as Python prints it, two levels deep at most: nothing stands there twice, nothing is looked for."""
        return self.row()

    def data(self) -> bytes | None:
        """What the last slice has made of a file that the one who asks writes."""
        return None

    def file(self) -> str | None:
        """Which file of a folder that is, by its name there."""
        return None

    def text(self) -> str | None:
        """The answer as text to be copied, where it says more than its rows: a table, a report."""
        return None
