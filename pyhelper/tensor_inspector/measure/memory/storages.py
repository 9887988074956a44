"""The storage of a tensor: device, address and size, read without allocating or copying."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from ...safe.guard import instance_dict, module
from ..torch.metadata import EXACT_TENSORS, Base, is_any_tensor
from ..torch.readable import address_in, address_of_first, storage_address
from .blocks import Extent, bytes_of

torch: Any = module("torch")
_Bytes: Any = torch._C.StorageBase
_device_of = _Bytes.device.__get__
_INT = frozenset((int,))
_PARTS = ("_values", "_indices", "crow_indices", "col_indices", "ccol_indices", "row_indices", "values")


def extents_of_tensors(tensors: Sequence[Any]) -> list[Sequence[Extent]]:
    """The memory of each of some tensors of one class, where it has its own; of a sparse one, that of its parts."""
    if type(tensors[0]) in EXACT_TENSORS:
        try:
            return _extents_of_all(tensors)
        except Exception:  # one of them has no storage
            pass
    return [_extents_of(tensor) for tensor in tensors]


def bytes_of_tensors(tensors: Sequence[Any]) -> int | None:
    """How many bytes the storages of some tensors of torch's own classes take together, each once; None where they are
    not all in the memory of the CPU."""
    try:
        _, starts, sizes = _storages_of_all(tensors)
    except Exception:  # one of them has no storage
        return None
    have_memory = min(starts) > 0 and _INT.issuperset(map(type, sizes)) and min(sizes) > 0
    return bytes_of(starts, sizes) if have_memory and all(map(Base.is_cpu.__get__, tensors)) else None


def extents_of_storages(values: Sequence[Any]) -> list[Sequence[Extent]]:
    return [_extents(_untyped(value), None) for value in values]


def _extents_of_all(tensors: Sequence[Any]) -> list[Sequence[Extent]]:
    storages, starts, sizes = _storages_of_all(tensors)
    are_here = all(map(Base.is_cpu.__get__, tensors))
    devices: Iterable[str] = repeat("cpu") if are_here else map(_name_of, map(_device_of, storages))
    found: list[Sequence[Extent]] = []
    for tensor, storage, device, start, bytes in zip(tensors, storages, devices, starts, sizes):
        has_its_own = start > 0 and type(bytes) is int and bytes
        found.append((Extent(device, start, bytes),) if has_its_own else _extents(storage, tensor))
    return found


def _storages_of_all(tensors: Sequence[Any]) -> tuple[list[Any], list[int], list[Any]]:
    """The storages of some tensors, where each begins, and its size: asked of all at once, in a third of the time."""
    storages = list(map(Base.untyped_storage, tensors))
    asked = (address_of_first(), Base.storage_offset, Base.element_size)
    known = zip(*(map(ask, tensors) for ask in asked))
    starts = [first - offset * size if offset else first for first, offset, size in known]
    return storages, starts, list(map(_Bytes.nbytes, storages))


def _extents_of(value: Any) -> Sequence[Extent]:
    try:
        storage = Base.untyped_storage(value)
    except Exception:
        parts = _parts(value) if type(value) in EXACT_TENSORS else ()
        return [extent for part in parts for extent in _extents_of(part)]
    return _extents(storage, value)


def _extents(storage: Any, tensor: Any) -> Sequence[Extent]:
    bytes, device = _Bytes.nbytes(storage), _device_of(storage)
    if type(bytes) is not int or not bytes or device.type == "meta":
        return ()
    try:
        start = (None if tensor is None else storage_address(tensor)) or address_in(storage)
    except Exception:  # only its class's code could tell, or nothing is there
        return ()
    return () if start is None else (Extent(_name_of(device), start, bytes),)


def _name_of(device: Any) -> str:
    name = _names.get(device)
    if name is None:
        name = _names[device] = str(device)
    return name


_names: dict[Any, str] = {}  #: of devices, of which there are few


def _parts(value: Any) -> Iterator[Any]:
    """The dense tensors that a sparse one is made of."""
    for name in _PARTS:
        try:
            part = getattr(Base, name)(value)
        except Exception:  # of another layout
            continue
        if is_any_tensor(part):
            yield part


def _untyped(value: Any) -> Any:
    return instance_dict(value).get("_untyped_storage", value)
