"""Watches what an expression reaches in a function: an object once it is found, or else each of its values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any, Literal

from ..safe.guard import module
from .boundaries import faults
from .boundaries.conditions import roles_of
from .boundaries.subjects import Subject
from .expression import NUMBERS, NamedThing
from .light import Light

if TYPE_CHECKING:
    from types import FrameType

    from .hits import FaultOrigin

torch: Any = module("torch")


class NamedWatch(Light):
    """Looks for the thing as an optimizer steps and as its function returns.

    A module, an optimizer or a parameter is one object, and is watched as such from then on. Other tensors and numbers
    are made anew again and again: each that is found is looked at.
    """

    def __init__(
        self,
        what: Any,
        thing: NamedThing,
        hit: Callable[[FaultOrigin, FrameType | None, str], None],
        stepped: Callable[[], None],
    ) -> None:
        super().__init__(what, Subject.unknown(), hit, stepped)
        self._thing = thing
        self._was_found = False
        self.is_returning = False  #: the function, while its values are looked at
        self._is_object = False
        self._profiled: Any = None  #: what calls back as functions return

    def begin(self) -> None:
        super().begin()
        paused = self._thing.frame(sys._getframe(1))
        if paused is not None:
            self.verdict.quietly(self._look_in, paused)  # tells nothing while the program is paused
        if not self._is_object and sys.getprofile() is None:  # the program may have a profiler
            self._profiled = self._returned  # one object: each access makes another
            sys.setprofile(self._profiled)

    def end(self) -> None:
        self._stop_profiling()
        super().end()

    @property
    def looks(self) -> Literal["object", "returns", "steps"] | None:
        """How the thing is watched; None while it is looked for."""
        if not self._was_found:
            return None
        return "object" if self._is_object else "steps" if self._profiled is None else "returns"

    def _stop_profiling(self) -> None:
        if self._profiled is not None and sys.getprofile() is self._profiled and get_ident() == self.thread:
            sys.setprofile(None)
        self._profiled = None

    def _returned(self, frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and not self.verdict.is_over and self._thing.is_of(frame):
            self.is_returning = True
            try:
                self.verdict.quietly(self._look_in, frame)
            finally:
                self.is_returning = False

    def _look_before(self, optimizer: Any, are_there: bool, frame: FrameType) -> None:
        if not self._is_object:
            named = self._thing.frame(frame)
            if named is not None:
                self._look_in(named)
        super()._look_before(optimizer, are_there, frame)

    def _look_in(self, frame: FrameType) -> None:
        value = self._find(frame)
        if self._is_object or value is None:
            return
        self._look_at_value(torch.tensor(value) if isinstance(value, NUMBERS) else value, frame)

    def _find(self, frame: FrameType) -> Any:
        """What the expression reaches now; an object is taken over as what is watched."""
        value = self._thing.value(frame)
        self._was_found = self._was_found or value is not None
        if not _is_object(value):
            return value
        self._is_object = True
        self._stop_profiling()
        self._subject = Subject(value)
        self._roles = roles_of(self._condition, self._subject)
        self.watch_subject()
        return value

    def _look_at_value(self, value: Any, frame: FrameType) -> None:
        expression = self._thing.expression
        if self._is_fault:
            met = self._condition.met(value, "value", None)
            if met is not None:
                self._tell(faults.of_loss(value, met.kind, frame), frame, f"in {expression}")
            return
        self._look([value], "value", [self._thing], frame, expression)


def _is_object(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return bool(value.is_leaf and value.requires_grad)
    return isinstance(value, (torch.nn.Module, torch.optim.Optimizer))
