"""Copies of memory: what tensors and arrays share, their copies share too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...measure.memory.extents import extents_of_array
from ...measure.torch.elements import is_plain
from ...measure.torch.metadata import (
    Base,
    element_count,
    is_exact_tensor,
    is_nested,
    is_on_meta,
    is_quantized,
    layout_of,
    stored_bytes,
)
from ...measure.torch.readable import storage_address
from ...safe.guard import class_name, library_of, module

torch: Any = module("torch")
_SMALL = 1 << 24  #: bytes of memory that are copied whole, however little of it is seen
_SHARE = 2  #: larger memory is copied whole only where it is at most so many times what is seen


class CopiedMemory:
    """Copies each piece of memory once; copies of tensors and arrays that share it share its copy.

    Of memory that is much larger than what is seen of it, only what is seen is copied.
    """

    def __init__(self) -> None:
        self._copies: dict[tuple[str, int], Any] = {}  #: storages, by the device and where the original begins

    def tensor(self, value: Any) -> Any:
        """A copy of a plain tensor without ``requires_grad``, with the same shape and strides."""
        start = None if value.is_conj() or value.is_neg() else storage_address(value)
        if start is None:
            return value.clone()
        source = Base.untyped_storage(value)
        seen = value.numel() * value.element_size()
        copy = self._copy(
            (str(value.device), start), source.nbytes(), seen, lambda rest: rest.copy_(_over(source)[-len(rest) :])
        )
        if copy is None:
            return value.clone()
        made = torch.empty(0, dtype=value.dtype, device=value.device)
        return made.set_(copy, value.storage_offset(), value.shape, value.stride())

    def array(self, value: Any) -> Any:
        """A copy of an array of numbers."""
        numpy, base = module("numpy"), value
        while type(base.base) is numpy.ndarray:
            base = base.base
        whole = next(iter(extents_of_array(value)), None) if type(value) is numpy.ndarray else None
        if whole is None or whole.bytes != base.nbytes:
            return value.copy()

        def fill(rest: Any) -> None:
            rest.numpy()[:] = numpy.ravel(base, "K").view(numpy.uint8)[-len(rest) :]

        copy = self._copy((whole.device, whole.start), whole.bytes, value.nbytes, fill)
        if copy is None:
            return value.copy()
        first = value.__array_interface__["data"][0] - whole.start
        return numpy.ndarray(value.shape, value.dtype, _over(copy).numpy(), first, value.strides)

    def _copy(self, at: tuple[str, int], bytes: int, seen: int, fill: Callable[[Any], object]) -> Any:
        """The copy of the ``bytes`` at a place, None where they are not copied whole. ``fill`` writes its last bytes.

        A later call may ask for more bytes at the same place, as for arrays of several lengths: the copy then grows.
        """
        copy = self._copies.get(at)
        there = 0 if copy is None else copy.nbytes()
        if copy is not None and there >= bytes:
            return copy
        if bytes > max(_SMALL, _SHARE * seen):
            return None
        if copy is None:
            copy = self._copies[at] = torch.empty(bytes, dtype=torch.uint8, device=at[0]).untyped_storage()
        else:
            try:
                copy.resize_(bytes)  # tensors over it stay valid
            except RuntimeError:  # an array is over it
                return None
        fill(_over(copy)[there:])
        return copy


def _over(storage: Any) -> Any:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


def can_be_cloned(value: Any) -> bool:
    """Whether torch can copy a tensor without plain memory. It would crash where memory of the tensor was freed."""
    if class_name(type(value)) == "FakeTensor" and library_of(type(value)) == "torch":
        return True
    if not is_exact_tensor(value) or is_on_meta(value):
        return is_exact_tensor(value)
    if layout_of(value) is torch.sparse_coo:
        return is_plain(Base._indices(value)) and is_plain(Base._values(value))
    needed = None if is_nested(value) else (element_count(value) or 0) * int(Base.element_size(value))
    stored_there = stored_bytes(value)
    is_odd = is_nested(value) or is_quantized(value)
    return is_odd and stored_there is not None and stored_there >= (1 if needed is None else needed)
