"""What an expression reaches in the frames of a function, now and in later calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..kinds import NotFound, NotStatic, as_kind
from ..kinds.measured import measurement_of
from ..safe.budget import Budget
from ..safe.guard import module
from ..stop import frame as stop
from ..stop.expression import parse, resolve
from ..words.text import full_path
from .recording.names import variable_of

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from ..protocol import FunctionName, Measurement

_LIMIT = 100  #: milliseconds in which an expression is followed
_READING = 10  #: milliseconds for the statistics of what it reaches at a stop
NUMBERS = (int, float)


class NamedThing:
    """An expression of a function. Nothing of the program is run to follow it."""

    def __init__(self, expression: str, function: FunctionName) -> None:
        self.expression = expression
        self.function = function
        self._is_its: dict[int, tuple[CodeType, bool]] = {}  #: by the id: codes of two files may be equal

    def is_of(self, frame: FrameType) -> bool:
        """Whether a frame is one of the function's."""
        code = frame.f_code
        known = self._is_its.get(id(code))
        if known is None:
            is_its = stop.function_name(frame) == self.function["name"]
            known = self._is_its[id(code)] = code, is_its and full_path(code.co_filename) == self.function["file"]
        return known[1]

    def frame(self, frame: FrameType | None) -> FrameType | None:
        """The nearest frame of the function, from this one outward."""
        while frame is not None and not self.is_of(frame):
            frame = frame.f_back
        return frame

    def value(self, frame: FrameType) -> Any:
        """What it reaches in a frame of the function; None for nothing yet, and for what can't be watched."""
        try:
            name = parse(self.expression)[0][1]
            value: Any = resolve(self.expression, variable_of(frame, name), frame.f_globals, Budget(_LIMIT))
        except (NotFound, NotStatic):
            return None
        return value if _can_be_watched(value) else None

    def measurement(self, frame: FrameType) -> Measurement | None:
        """The numbers of what it reaches in a paused frame; None in one of another function."""
        if not self.is_of(frame):
            return None
        try:
            value: Any = stop.resolved(frame, self.expression, Budget(_LIMIT))
            return measurement_of(as_kind(value, Budget(_READING))) if _can_be_watched(value) else None
        except Exception:
            return None

    def is_gone(self, frame: FrameType) -> bool:
        """Whether the nearest frame of the function, paused, proves that its first name is none of the function's.

        A variable that is not assigned yet is known to the code. Before Python 3.11 functions of one name, as methods
        of two classes, are not told apart: nothing is proven.
        """
        named = self.frame(frame)
        if named is None or not hasattr(named.f_code, "co_qualname"):
            return False
        try:
            name = parse(self.expression)[0][1]
        except NotStatic:
            return False
        code = named.f_code
        known = (code.co_varnames, code.co_cellvars, code.co_freevars, code.co_names)
        where = (*known, variable_of(named, name), named.f_globals, named.f_builtins)
        return not any(name in names for names in where)


def _can_be_watched(value: Any) -> bool:
    torch: Any = module("torch")
    return issubclass(type(value), (torch.Tensor, torch.nn.Module, torch.optim.Optimizer, *NUMBERS))
