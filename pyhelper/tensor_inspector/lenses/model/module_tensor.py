"""`ModuleTensor`: a parameter or buffer of a module, with its size, device and memory."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from ...measure.memory.blocks import Extent
from ...measure.torch.codes import known_elements
from ...measure.torch.dispatch import known_bytes, known_device
from ...measure.torch.elements import memory_of
from ...measure.torch.metadata import (
    EXACT_TENSORS,
    Base,
    byte_count,
    device_of,
    dtype_name,
    is_on_meta,
    requires_grad,
    shape_of,
)
from ...measure.torch.visits import is_lazy
from ...safe.guard import class_name


class ModuleTensor:
    """What is known of one by its metadata. ``elements`` and ``bytes`` are None where they are not known.

    Two that have the same ``memory`` are tied: they are one tensor, or show the same elements. Of a fake tensor, and of
    one on the device "meta", the bytes are those that it would take elsewhere.
    """

    __slots__ = tuple("bytes device dtype elements extent is_lazy key memory path requires_grad shape value".split())

    def __init__(self, key: str, value: Any, path: str | None, coded: tuple[int, ...] | None) -> None:
        is_exact = type(value) in EXACT_TENSORS
        self.key = key
        self.path = path  #: the expression that reaches it
        self.value = value
        self.is_lazy = not is_exact and is_lazy(type(value))
        self.dtype = dtype_name(value)
        self.requires_grad = bool(requires_grad(value))
        device = device_of(value) if is_exact else known_device(value)
        self.device = "" if device is None else str(device)
        self.elements = 0 if self.is_lazy else known_elements(value, coded)
        self.shape = tuple(shape_of(value)) if is_exact else ()
        self.bytes = 0 if self.is_lazy else self._bytes(is_exact)
        begins = memory_of(value) if is_exact and self.elements else None
        self.memory: Hashable = id(value)
        self.extent: Extent | None = None  #: from its first element to its last
        if begins is not None:
            self.memory = begins, Base.storage_offset(value), self.bytes
            self.extent = self._extent(begins)

    def _bytes(self, is_exact: bool) -> int | None:
        if not is_exact and class_name(type(self.value)) != "FakeTensor":
            return known_bytes(self.value)
        if not is_exact or is_on_meta(self.value):
            return None if self.elements is None else self.elements * int(Base.element_size(self.value))
        return byte_count(self.value)

    def _extent(self, begins: int) -> Extent:
        size = int(Base.element_size(self.value))
        last = sum((length - 1) * stride for length, stride in zip(self.shape, Base.stride(self.value)))
        return Extent(self.device, begins + size * int(Base.storage_offset(self.value)), size * (last + 1))
