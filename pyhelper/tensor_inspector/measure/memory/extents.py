"""The memory of a tensor, storage or array."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Optional

from ...safe.guard import ByClass, c_attribute, class_module, class_name, module
from .blocks import Extent

Extents = Sequence[Extent]
Reader = Optional[Callable[[Sequence[Any]], Sequence[Extents]]]


def has_memory(cls: type) -> bool:
    """Whether values of this class may have memory of their own, which `extents_of` returns."""
    return _reader(cls) is not None


def extents_of(value: Any) -> Extents:
    """Where the bytes of a value stand; nothing of what has none, or can't tell."""
    return extents_of_each((value,))[0]


def extents_of_each(values: Sequence[Any]) -> list[Extents]:
    """Where the bytes of each of some values stand: those of one class are asked at once."""
    alike: defaultdict[int, list[int]] = defaultdict(list)
    for at, value in enumerate(values):
        alike[id(type(value))].append(at)
    found: list[Extents] = [()] * len(values)
    for places in alike.values():
        read = _reader(type(values[places[0]]))
        if read is not None:
            for at, extents in zip(places, read([values[at] for at in places])):
                found[at] = extents
    return found


def _choose(cls: type) -> Reader:
    torch = module("torch")
    if is_array_class(cls):
        return lambda arrays: [tuple(extents_of_array(array)) for array in arrays]
    if torch is None or not hasattr(torch, "nn"):
        return None
    from . import storages

    if issubclass(cls, torch.Tensor.__mro__[1]):
        return storages.extents_of_tensors
    is_typed = class_name(cls) == "TypedStorage" and class_module(cls) == "torch.storage"
    return storages.extents_of_storages if is_typed or issubclass(cls, torch._C.StorageBase) else None


_reader: ByClass[Reader] = ByClass(_choose)


def is_array(value: object) -> bool:
    return is_array_class(type(value))


def is_array_class(cls: type) -> bool:
    numpy = module("numpy")
    return numpy is not None and hasattr(numpy, "ndarray") and issubclass(cls, numpy.ndarray)


def extents_of_array(value: Any) -> Iterator[Extent]:
    """The memory that an array keeps alive: that of the array it is a view of, if it is one."""
    numpy = module("numpy")
    base = c_attribute(value, "base")
    while base is not None and issubclass(type(base), numpy.ndarray):
        value, base = base, c_attribute(base, "base")
    plain = numpy.ndarray.view(value, numpy.ndarray) if type(value) is not numpy.ndarray else value
    if plain.nbytes:
        low = high = plain.__array_interface__["data"][0]
        for size, stride in zip(plain.shape, plain.strides):
            low += min(0, (size - 1) * stride)
            high += max(0, (size - 1) * stride)
        yield Extent("cpu", low, high + plain.itemsize - low)
