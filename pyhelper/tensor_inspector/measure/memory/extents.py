"""The memory of a tensor, storage or array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional

from ...safe.guard import ByClass, class_module, class_name, module
from .blocks import Extent, extents_of_array

Reader = Optional[Callable[[Sequence[Any]], Sequence[Extent]]]


def has_memory(cls: type) -> bool:
    """Whether values of this class may have memory of their own, which `extents_of` returns."""
    return _reader(cls) is not None


def extents_of(value: Any) -> Sequence[Extent]:
    """Where the bytes of a value stand; nothing of what has none, or can't tell."""
    return extents_of_all((value,))


def extents_of_all(values: Iterable[Any]) -> list[Extent]:
    """The same of many, in no order: those of one class are asked at once."""
    alike: defaultdict[int, list[Any]] = defaultdict(list)
    for value in values:
        alike[id(type(value))].append(value)
    found: list[Extent] = []
    for some in alike.values():
        read = _reader(type(some[0]))
        found += () if read is None else read(some)
    return found


def _choose(cls: type) -> Reader:
    torch, numpy = module("torch"), module("numpy")
    if numpy is not None and hasattr(numpy, "ndarray") and issubclass(cls, numpy.ndarray):
        return lambda arrays: [extent for array in arrays for extent in extents_of_array(array)]
    if torch is None or not hasattr(torch, "nn"):
        return None
    from . import storages

    if issubclass(cls, torch.Tensor.__mro__[1]):
        return storages.extents_of_tensors
    is_typed = class_name(cls) == "TypedStorage" and class_module(cls) == "torch.storage"
    return storages.extents_of_storages if is_typed or issubclass(cls, torch._C.StorageBase) else None


_reader: ByClass[Reader] = ByClass(_choose)
