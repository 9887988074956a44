"""Merges overlapping memory, so that shared bytes count once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...safe.guard import c_attribute, module

_SPACES = ("cpu", "cuda", "xpu")  #: devices whose pointers are addresses in one space


class Extent(NamedTuple):
    """So many bytes from an address on a device on."""

    device: str
    start: int
    bytes: int


class MemoryBlocks:
    """What overlaps of some extents is one block. All is kept as lists of numbers: there are many.

    >>> blocks = MemoryBlocks([Extent("cpu", 200, 8), Extent("cpu", 100, 50), Extent("cpu", 120, 80)])
    >>> [(blocks.bytes[number], blocks.members(number)) for number in range(len(blocks))]
    [(100, [1, 2]), (8, [0])]
    """

    def __init__(self, extents: Sequence[Extent]) -> None:
        self.bytes: list[int] = []
        self._order = sorted(range(len(extents)), key=extents.__getitem__)
        self._begins: list[int] = []
        device, start, end, in_space = "", 0, 0, False
        for at, member in enumerate(self._order):
            on, first, bytes = extents[member]
            if on != device:
                device, end = on, 0
                in_space = device.partition(":")[0] in _SPACES
            if first < end if in_space else end and first == start:
                end = max(end, first + bytes)
                self.bytes[-1] = end - start
            else:
                start, end = first, first + bytes
                self._begins.append(at)
                self.bytes.append(bytes)
        self._begins.append(len(self._order))

    def __len__(self) -> int:
        return len(self.bytes)

    def members(self, number: int) -> list[int]:
        """The extents of a block, by their numbers."""
        return self._order[self._begins[number] : self._begins[number + 1]]


def is_array(value: object) -> bool:
    numpy = module("numpy")
    return numpy is not None and hasattr(numpy, "ndarray") and issubclass(type(value), numpy.ndarray)


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
