"""The calls of modules that are on the stack, and what a module of torch computes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...safe.guard import class_attribute, class_name, module
from ..modules import dotted_name
from .scopes import function_of
from .subjects import tensors_of

if TYPE_CHECKING:
    from types import FrameType

torch: Any = module("torch")

_CALL: Any = torch.nn.Module._call_impl.__code__
#: Modules of torch that make no NaN of finite numbers: what they are given has been looked at, or is later.
HARMLESS: frozenset[Any] = frozenset(
    getattr(torch.nn, name, None)
    for name in "ReLU ReLU6 LeakyReLU GELU SiLU Sigmoid Tanh ELU Hardtanh Dropout Dropout2d Identity Flatten".split()
)
_STEPS = 400  #: frames that are gone through


class RunningCall:
    """A call of a module that runs: what it was given."""

    def __init__(self, frame: FrameType) -> None:
        given = frame.f_locals
        self.module: Any = given["self"]
        self.args: Any = given.get("args", ())
        self.kwargs: Any = given.get("kwargs", {})

    def tensors(self) -> Iterator[Any]:
        yield from tensors_of(self.args)
        yield from tensors_of(self.kwargs)


def running_calls(frame: FrameType | None) -> list[RunningCall]:
    """The innermost first."""
    found: list[RunningCall] = []
    for _ in range(_STEPS):
        if frame is None:
            break
        if frame.f_code is _CALL:
            found.append(RunningCall(frame))
        frame = frame.f_back
    return found


def name_in_model(calls: list[RunningCall]) -> str | None:
    """The dotted name of the innermost in the outermost."""
    return dotted_name((ref(calls[-1].module), ref(calls[0].module))) if calls else None


def is_torchs_alone(called: Any) -> bool:
    """Whether no code of the user runs in a module."""
    return not any(
        function_of(one)[0] is not None or any(function_of(held)[0] is not None for held in vars(one).values())
        for one in called.modules()
    )


def operation_of(called: Any) -> str | None:
    """The one function that the forward of torch's own module calls: ``linear``, ``gru``."""
    forward = class_attribute(type(called), "forward")
    names = getattr(getattr(forward, "__code__", None), "co_names", ())
    if "F" in names:
        found = [name for name in names if callable(vars(torch.nn.functional).get(name))]
        return found[0] if len(found) == 1 else None
    own = class_name(type(called)).lower()
    return own if own in names or "_conv_forward" in names else None
