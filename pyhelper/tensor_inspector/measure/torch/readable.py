"""Decides whether the elements of a tensor can be read in place: the one file that knows what would crash or disturb.

It is asked before any element is read. It knows tensors with memory of their own; tensors made of several (sparse,
nested, quantized, wrapped) ask it for each part.
"""

from __future__ import annotations

import os
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.memory import are_mapped, mapped
from ...safe.torch_name import torch_name
from .. import devices
from ..unread import FREED, UNMAPPED, Unread, too_small

_OPAQUE = {f"{sign}int{bits}": f"{bits}-bit integers" for sign in ("", "u") for bits in range(1, 8)}
_opaque: dict[Any, Unread | None] = {}  #: by dtype


def why_unread(t: Any, budget: Budget | None = None) -> Unread | None:
    """Why the elements of a tensor can't be read now; None when they can.

    It is a tensor that runs no code of a subclass (`metadata.plain`), of any layout with strides. A device that is at
    work may take the budget's time to come to an end.
    """
    dtype = t.dtype
    unread = _opaque[dtype] if dtype in _opaque else why_opaque(dtype)
    return unread or (None if t.is_cpu else devices.why_silent(t, budget)) or _why_gone(t)


def are_there(tensors: list[Any]) -> bool:
    """Whether all of these have contiguous elements in memory that can be read, and all of it.

    It is asked of all at once, in a third of the time. Where it is False, `why_unread` says which can't be read.
    """
    tensor, storage = module("torch").Tensor, module("torch").UntypedStorage
    if not hasattr(storage, "resizable"):  # an older torch does not tell whose memory it is
        return False
    if not (all(map(tensor.is_cpu.__get__, tensors)) and all(map(tensor.is_contiguous, tensors))):
        return False
    storages = list(map(tensor.untyped_storage, tensors))
    asked = (tensor.storage_offset, tensor.numel, tensor.element_size)
    extents = zip(*(map(ask, tensors) for ask in asked), map(storage.nbytes, storages))
    if not all((offset + count) * size <= have for offset, count, size, have in extents):
        return False
    if all(map(storage.resizable, storages)) and not any(map(storage.is_shared, storages)):
        return True  # memory that torch has allocated for this process is there
    return _are_mapped(tensors, storages)


def _are_mapped(tensors: list[Any], storages: list[Any]) -> bool:
    """Whether the last bytes of those that lie in other memory can be read, none of which is that of a named file."""
    methods, first, last = module("torch").Tensor, address_of_first(), []
    for tensor, storage in zip(tensors, storages):
        is_foreign, count = not storage.resizable(), methods.numel(tensor)
        if is_foreign and getattr(storage, "filename", None):
            return False
        if count and (is_foreign or storage.is_shared()):
            last.append(first(tensor) + count * methods.element_size(tensor) - 1)
    return are_mapped(last)


def why_opaque(dtype: Any) -> Unread | None:
    """Why the elements of a dtype are only bytes to torch; None where it knows their values."""
    if dtype not in _opaque:
        name = torch_name(dtype)
        what = _OPAQUE.get(name)
        if name.startswith("bits"):
            what = "bits without a meaning"
        elif name.startswith("float4_"):
            what = "two 4-bit floats a byte"
        _opaque[dtype] = None if what is None else Unread("dtype", f"values not read: {what}")
    return _opaque[dtype]


def _why_gone(t: Any) -> Unread | None:
    """Why its memory is not all there."""
    extent = t.numel()
    if not extent:
        return None
    storage = t.untyped_storage()
    if not t.is_contiguous():
        extent = 1 + sum((n - 1) * stride for n, stride in zip(t.shape, t.stride()))
    have, need = storage.nbytes(), (t.storage_offset() + extent) * t.element_size()
    if need > have:
        return too_short(have, need)
    is_foreign = not getattr(storage, "resizable", bool)()  # taken over by torch from elsewhere, as from a file
    if t.is_cpu and (is_foreign or storage.is_shared()):  # memory that torch has allocated for this process is there
        return _why_cut_short(storage, need, address_of(t) + extent * t.element_size() - 1, is_foreign)
    return None


def _why_cut_short(storage: Any, need: int, last: int, is_foreign: bool) -> Unread | None:
    """Why the mapped file ends before the elements, the last byte of which is at ``last``."""
    filename = getattr(storage, "filename", None) if is_foreign else None
    if filename:
        try:
            on_disk = os.stat(filename).st_size
        except OSError:
            on_disk = need  # removed, which leaves a mapping readable
        if on_disk < need:
            return too_small("file truncated", on_disk, need)
    return None if mapped(last) else UNMAPPED


def too_short(have: int, need: int) -> Unread:
    """Why a storage can't be read that has fewer bytes than its elements take."""
    return FREED if have == 0 else too_small("storage too small", have, need)


def address_of_first() -> Any:
    """The function that gives the address of a tensor's first element. ``data_ptr`` announces a write, which would copy
    memory that is copied on write."""
    methods = module("torch").Tensor
    return getattr(methods, "const_data_ptr", None) or methods.data_ptr


def address_of(t: Any) -> int:
    """Where its first element is."""
    return int(address_of_first()(t))


def storage_address(t: Any) -> int | None:
    """Where the storage of a tensor of any class begins; None where it has no memory, or no elements."""
    methods, first = module("torch").Tensor, address_of(t)
    offset = methods.storage_offset(t)
    before = offset * methods.element_size(t) if offset else 0
    return first - before if first > before else None


def address_in(storage: Any) -> int | None:
    """Where a storage begins; None where it has no memory. It is looked at through a tensor, which copies nothing."""
    torch = module("torch")
    over = torch.Tensor.set_(torch.empty(0, dtype=torch.uint8, device=storage.device), storage)
    return address_of(over) or None
