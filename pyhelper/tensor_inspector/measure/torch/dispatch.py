"""What torch's C++ knows of a tensor whose class has a ``__torch_dispatch__``. No code of the class runs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from math import prod
from typing import Any

from ...safe.attributes import stored
from ...safe.guard import c_attribute, module
from ...safe.record import Record
from .metadata import (
    EXACT_TENSORS,
    Base,
    byte_count,
    device_of,
    element_count,
    is_any_tensor,
    is_on_meta,
    is_tensor,
    layout_of,
    shape_of,
    stored_bytes,
)
from .readable import storage_address

torch: Any = module("torch")
_ATTRIBUTES = 1000  #: looked at for tensors


class _NeedsItsClass(Exception):
    """Only the tensor class's own code could answer."""


class _Refusing:
    """A dispatch mode of ours, before which no code of a tensor class runs: whatever would be asked of it is refused.

    So its metadata can be asked for as torch itself keeps it, and what the class computes is found out by the refusal.
    """

    def __torch_dispatch__(self, *_: object) -> Any:
        raise _NeedsItsClass

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


class Metadata(Record):
    """What torch itself keeps of a tensor; None for what the code of its class computes."""

    shape: Any
    strides: Any
    device: Any
    layout: Any

    def is_whole(self) -> bool:
        return None not in (self.shape, self.strides, self.device, self.layout)

    def elements(self) -> int | None:
        """How many elements; None where the code of its class computes that, or it is a symbol."""
        sizes = (None,) if self.shape is None else tuple(self.shape)
        return prod(sizes) if all(type(size) is int for size in sizes) else None


def metadata_of(value: Any) -> Metadata:
    """The metadata of a tensor of any class. What the class would compute by code of its own is left out, as None."""

    def known(ask: Callable[[Any], Any]) -> Any:
        try:
            return ask(value)
        except Exception:
            return None

    with _Refusing():
        return Metadata(*map(known, (shape_of, Base.stride, device_of, layout_of)))


def known_count(value: Any) -> int | None:
    """How many elements a tensor of any class has; None where that is not known without its class's code."""
    return element_count(value) if is_tensor(value) else metadata_of(value).elements()


def known_device(value: Any) -> Any:
    """The device of a tensor of any class; None where that is not known without its class's code."""
    return device_of(value) if is_tensor(value) else metadata_of(value).device


def known_bytes(value: Any) -> int | None:
    """How many bytes the elements of a tensor of any class take in this process; None where that is not known."""
    if is_tensor(value) and is_on_meta(value):
        return 0
    local = c_attribute(value, "_local_tensor")  # of a sharded one
    if is_any_tensor(local):
        return known_bytes(local)
    return _wrapped_bytes(value) if is_wrapper(value) else byte_count(value)


def is_wrapper(value: Any) -> bool:
    """Whether a tensor has no memory of its own: its class computes its values from the tensors that it wraps."""
    is_computed = type(value) not in EXACT_TENSORS and torch._C._dispatch_keys(value).has(torch._C.DispatchKey.Python)
    return is_computed and not has_memory(value)


def inner_tensors(value: Any) -> list[tuple[str, Any]]:
    """The tensors that a tensor of a class written in Python keeps as its attributes, each once."""
    found: dict[int, tuple[str, Any]] = {}
    for name, item in islice(stored(value), _ATTRIBUTES):
        if is_any_tensor(item) and item is not value:
            found.setdefault(id(item), (name, item))
    return list(found.values())


def _wrapped_bytes(value: Any) -> int | None:
    """The bytes of the tensors that it wraps, and of those that these wrap; None where they are not known."""
    waiting, met, total = [value], {id(value)}, 0
    for wrapper in waiting:  # which grows
        inner = [item for _, item in inner_tensors(wrapper)]
        if not inner:
            return None
        for item in inner:
            if id(item) in met:
                continue
            met.add(id(item))
            if is_wrapper(item):
                waiting.append(item)
                continue
            taken = 0 if is_on_meta(item) else byte_count(item)
            if taken is None:
                return None
            total += taken
    return total


def has_memory(value: Any) -> bool:
    """Whether an instance has memory of its own, and leaves its metadata to torch."""
    if not metadata_of(value).is_whole() or not stored_bytes(value):
        return False
    try:
        return storage_address(value) is not None
    except Exception:
        return False
