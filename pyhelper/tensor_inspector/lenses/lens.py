"""What a lens is: one question about values, with an answer of its own type, worked at in slices of time."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any

from ..kinds import Child
from ..safe.budget import Budget
from ..safe.record import Record
from ..safe.untouched import Untouched

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..protocol import Found
    from ..safe.modes import Modes


class Misasked(Exception):
    """The question itself is wrong: there is no such lens, value or option. The message is a sentence."""


class Paused(Record):
    """Where a lens is asked: the paused frame that the user looks at.

    ``raised`` is the exception at which the program has stopped (class, exception, traceback), ``grad_mode`` whether
    gradients were on there, ``modes`` what else its thread runs under, None where another thread asks, and ``history``
    what remembers numbers from one stop to the next. ``reach`` gives what an expression reaches in a frame without
    running anything, or raises.
    """

    frame: FrameType
    raised: tuple[Any, Any, Any] | None
    grad_mode: bool
    history: Any
    reach: Callable[[str, FrameType], object]
    modes: Modes | None = None


class Lens:
    """A question on its way to its answer. Whoever asks holds the guard, and asks for the answer once it is done.

    Its module has ``lens(values, options, budget, paused) -> Lens``, which only begins. Each of ``values`` is a
    `Child`: the value, what people call it, and the expression that reaches it. ``paused`` is where it is asked, None
    where nothing is paused. A question that makes no sense raises ``TypeError`` or ``ValueError`` there. No lens holds
    a snapshot: a snapshot holds it while it is worked at.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget  #: renewed for each slice
        self.guard: Untouched | None = None  #: held by whoever asks; it may be lifted where code of the program runs

    def go_on(self) -> bool:
        """Work until all is done, or the time is over. Whether all is done."""
        raise NotImplementedError

    def progress(self) -> float:
        """How much is done, from 0 to 1, as far as can be told."""
        raise NotImplementedError

    def found(self) -> Found:
        """The answer, as data that JSON can carry."""
        raise NotImplementedError

    def row(self) -> Child:
        """The answer as a row of a tree, with what there is to see below it."""
        raise NotImplementedError

    def text(self) -> str | None:
        """The answer as text to be copied, where that is more than its rows say: a table, a report."""
        return None
