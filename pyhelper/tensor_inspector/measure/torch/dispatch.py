"""What torch itself keeps of a tensor whose class has a ``__torch_dispatch__``. None of that class's code runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...safe.guard import module
from .metadata import Base, device_of, layout_of, shape_of, stored_bytes

torch: Any = module("torch")


class Refused(Exception):
    """Only the tensor class's own code could answer."""


class _Refusing:
    """A dispatch mode of ours, before which no code of a tensor class runs: whatever would be asked of it is refused.

    So its metadata can be asked for as torch itself keeps it, and what the class computes is found out by the refusal.
    """

    def __torch_dispatch__(self, *_: object) -> Any:
        raise Refused

    def __enter__(self) -> None:
        self._pop = module("torch.utils._python_dispatch")._pop_mode  # looked up before there is something to undo
        self._hidden = torch._C._dispatch_tls_is_dispatch_key_excluded("Python")
        torch._C._dispatch_tls_set_dispatch_key_excluded("Python", False)
        try:
            torch._C._push_on_torch_dispatch_stack(self)
        except BaseException:
            torch._C._dispatch_tls_set_dispatch_key_excluded("Python", self._hidden)
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self._pop()
        finally:
            torch._C._dispatch_tls_set_dispatch_key_excluded("Python", self._hidden)


class Metadata:
    """What torch itself keeps of a tensor; None for what the code of its class computes."""

    __slots__ = ("device", "layout", "shape", "strides")

    def __init__(self, shape: Any, strides: Any, device: Any, layout: Any) -> None:
        self.shape = shape
        self.strides = strides
        self.device = device
        self.layout = layout

    def is_whole(self) -> bool:
        return None not in (self.shape, self.strides, self.device, self.layout)


def metadata_of(value: Any) -> Metadata:
    def told(ask: Callable[[Any], Any]) -> Any:
        try:
            return ask(value)
        except Exception:
            return None

    with _Refusing():
        return Metadata(*map(told, (shape_of, Base.stride, device_of, layout_of)))


def has_memory(value: Any) -> bool:
    """Whether an instance has memory of its own, and leaves its metadata to torch."""
    if not metadata_of(value).is_whole() or not stored_bytes(value):
        return False
    try:
        return bool(Base.untyped_storage(value).data_ptr())
    except Exception:
        return False
