"""The storage of a tensor: device, address and size, read without allocating or copying."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

from ...safe.guard import instance_dict, module
from ..torch.metadata import EXACT_TENSORS, Base, is_any_tensor
from ..torch.readable import address_in, address_of_first, storage_address
from .blocks import Extent

torch: Any = module("torch")
_Bytes: Any = torch._C.StorageBase
_device_of = _Bytes.device.__get__
_PARTS = ("_values", "_indices", "crow_indices", "col_indices", "ccol_indices", "row_indices", "values")


def extents_of_tensors(tensors: Sequence[Any]) -> list[Sequence[Extent]]:
    """The memory of each of some tensors of one class, where it has its own; of a sparse one, that of its parts."""
    if type(tensors[0]) in EXACT_TENSORS:
        try:
            return _extents_of_all(tensors)
        except Exception:  # one of them has no storage
            pass
    return [_extents_of(tensor) for tensor in tensors]


def extents_of_storages(values: Sequence[Any]) -> list[Sequence[Extent]]:
    return [_extents(_untyped(value), None) for value in values]


def _extents_of_all(tensors: Sequence[Any]) -> list[Sequence[Extent]]:
    """Asked of all at once, in a third of the time."""
    storages = list(map(Base.untyped_storage, tensors))
    are_here = all(map(Base.is_cpu.__get__, tensors))
    devices = repeat("cpu") if are_here else map(_name_of, map(_device_of, storages))
    asked = (address_of_first(), Base.storage_offset, Base.element_size)
    known = zip(tensors, storages, devices, map(_Bytes.nbytes, storages), *(map(ask, tensors) for ask in asked))
    found: list[Sequence[Extent]] = []
    for tensor, storage, device, bytes, first, offset, size in known:
        start = first - offset * size if offset else first
        has_its_own = start > 0 and type(bytes) is int and bytes
        found.append((Extent(device, start, bytes),) if has_its_own else _extents(storage, tensor))
    return found


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
