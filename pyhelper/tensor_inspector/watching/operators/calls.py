"""A call of a function of torch: what it is given, and where the program makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...safe.guard import module
from ..places import CodePlace, user_frame
from .functions import Deed

if TYPE_CHECKING:
    from types import FrameType

    from ..modules import CalledModules


torch: Any = module("torch")


class FunctionCall:
    """One call, seen by the function mode. ``frame`` is the one that calls."""

    __slots__ = ("_called", "_place", "_tensors", "args", "deed", "frame", "function", "kwargs", "name")

    def __init__(
        self, function: Any, deed: Deed, name: str, args: Any, kwargs: Any, frame: FrameType, called: CalledModules
    ) -> None:
        self.function = function
        self.deed: Deed = deed
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.frame = frame
        self._called = called
        self._place: CodePlace | None = None
        self._tensors: list[Any] | None = None

    @property
    def place(self) -> CodePlace:
        """The user's line that runs, and the modules that are being called."""
        if self._place is None:
            self._place = CodePlace(user_frame(self.frame), self._called.innermost())
        return self._place

    @property
    def tensors(self) -> list[Any]:
        """The tensors among its arguments, and in lists and tuples among them."""
        if self._tensors is None:
            self._tensors = tensors_in((*self.args, *self.kwargs.values()))
        return self._tensors

    def floats(self) -> list[float]:
        """The floats that it is given as Python writes them."""
        return [one for one in _flat((*self.args, *self.kwargs.values())) if type(one) is float]


def tensors_in(values: Any) -> list[Any]:
    return [one for one in _flat(values) if isinstance(one, torch.Tensor)]


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value
