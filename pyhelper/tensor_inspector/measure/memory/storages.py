"""Where the bytes of tensors stand: storages by device and address, asked without allocating or copying anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...safe.guard import instance_dict, module
from ..torch.metadata import EXACT_TENSORS, Base, is_any_tensor
from ..torch.readable import address_in, storage_address
from .blocks import Extent

torch: Any = module("torch")
_Bytes: Any = torch._C.StorageBase
_device_of = _Bytes.device.__get__
_PARTS = ("_values", "_indices", "crow_indices", "col_indices", "ccol_indices", "row_indices", "values")


def is_storage(value: object) -> bool:
    return issubclass(type(value), _Bytes) or issubclass(type(_untyped(value)), _Bytes)


def extents_of_tensor(value: Any) -> list[Extent]:
    """The memory beneath a tensor of any class that has some of its own; of a sparse one, that of its parts."""
    try:
        storage = Base.untyped_storage(value)
    except Exception:
        parts = _parts(value) if type(value) in EXACT_TENSORS else ()
        return [extent for part in parts for extent in extents_of_tensor(part)]
    return _extents(storage, value)


def extents_of_storage(value: Any) -> list[Extent]:
    return _extents(_untyped(value), None)


def _extents(storage: Any, tensor: Any) -> list[Extent]:
    bytes, device = _Bytes.nbytes(storage), _device_of(storage)
    if type(bytes) is not int or not bytes or device.type == "meta":
        return []
    try:
        start = (None if tensor is None else storage_address(tensor)) or address_in(storage)
    except Exception:  # only its class's code could tell, or nothing is there
        return []
    return [] if start is None else [Extent(_name_of(device), start, bytes)]


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
