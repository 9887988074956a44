"""Watches what an expression reaches in a function: an object once it is found, or else each of its values."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal
from weakref import ref

from .. import debugger
from ..measure.torch.metadata import is_trainable_leaf
from ..safe.guard import module
from .boundaries import faults
from .boundaries.conditions import roles_of
from .boundaries.subjects import Subject
from .expression import NUMBERS, NamedThing
from .light import Light
from .returns import returns

if TYPE_CHECKING:
    from types import FrameType

    from .hits import FaultOrigin

torch: Any = module("torch")


class NamedWatch(Light):
    """Looks for the thing as an optimizer steps and as its function returns.

    A module, an optimizer or a parameter is one object, and is watched as such, until the expression reaches another.
    Other tensors and numbers are made anew again and again: each that is found is looked at.
    """

    def __init__(
        self,
        what: Any,
        thing: NamedThing,
        hit: Callable[[FaultOrigin, FrameType | None, str], None],
        stepped: Callable[[], None],
        is_wanted: Callable[[], bool],
    ) -> None:
        super().__init__(what, Subject.unknown(), hit, stepped)
        self._thing = thing
        self._is_wanted = is_wanted
        self._was_found = False
        self.is_returning = False  #: the function, while its values are looked at
        self._is_object = False
        self._told: Any = lambda: None  #: the value that was told last, a tensor by weak reference

    def begin(self) -> None:
        super().begin()
        selected = debugger.user_frame()
        is_its = selected is not None and self._thing.is_of(selected)
        paused = selected if is_its else self._thing.frame(sys._getframe(1))
        if paused is not None:
            self.verdict.quietly(self._look_in, paused, "step")  # tells nothing while the program is paused
        if not self._is_object:
            returns.add(self._thing.is_of, self._returned)

    def end(self) -> None:
        returns.remove(self._returned)
        super().end()

    @property
    def looks(self) -> Literal["object", "returns", "steps"] | None:
        """How the thing is watched; None while it is looked for."""
        if not self._was_found:
            return None
        return "object" if self._is_object else "returns" if returns.are_seen() else "steps"

    def _returned(self, frame: FrameType | None) -> bool:
        """Looks at what a frame of the function has that returns."""
        if self.verdict.is_over or self._is_object:
            return False
        if frame is None:
            return self._is_wanted()
        self.is_returning = True
        try:
            self.verdict.quietly(self._look_in, frame, "return")
        finally:
            self.is_returning = False
        return not self._is_object

    def _look_before(self, optimizer: Any, are_there: bool, frame: FrameType) -> None:
        returns.take()  # where a profiler of the program has ended
        named = self._thing.frame(frame)
        if named is not None:
            self._look_in(named, "step")
        super()._look_before(optimizer, are_there, frame)

    def _look_in(self, frame: FrameType, at: str) -> None:
        value = self._found_in(frame)
        if value is None or value is self._told():
            return
        is_number = isinstance(value, NUMBERS)
        tensor = torch.tensor(float(value), dtype=torch.float64, device="cpu") if is_number else value
        told = (lambda: value) if is_number else ref(value)
        self._look_at_value(tensor, told, frame, at)

    def _found_in(self, frame: FrameType) -> Any:
        """What the expression reaches now, if that is no object; one is taken over as what is watched."""
        value = self._thing.value(frame)
        self._was_found = self._was_found or value is not None
        if value is None or not _is_object(value):
            return None if self._is_object else value
        if value is not self.subject.thing():
            self._is_object = True
            self.subject = Subject(value)
            self._roles = roles_of(self._condition, self.subject)
            self.watch_subject()
        return None

    def _look_at_value(self, value: Any, told: Callable[[], Any], frame: FrameType, at: str) -> None:
        expression = self._thing.expression
        if self._is_fault:
            met = self._condition.met(value, "value", None)
            if met is not None:
                self._told = told
                self._tell(faults.of_loss(value, met.kind, frame), frame, f"in {expression}")
            return
        for _, met in self._condition.among([value], "value", [(self._thing, at)]):
            self._told = told
            self._tell_condition(met, "value", expression, frame)


def _is_object(value: Any) -> bool:
    """Whether it stays, and its gradient or what it returns can be looked at."""
    return is_trainable_leaf(value) or issubclass(type(value), (torch.nn.Module, torch.optim.Optimizer))
