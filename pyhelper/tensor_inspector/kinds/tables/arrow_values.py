"""Arrays and tables of pyarrow, whose row warns of NaN. Their summaries are declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...safe.guard import library_of, module
from ..families import by_home
from ..python.objects import PlainObject

_COPIED = 1 << 18  #: bytes of floats that are copied to be read
_FLOATS = ("halffloat", "float", "double")  #: what Arrow calls their types


class _ArrowValue(PlainObject):
    def inner_entries(self) -> Iterable[tuple[object, object]] | None:
        return self.all_entries()


class ArrowArray(_ArrowValue):
    """An array, or one in chunks. Its floats are read where Arrow keeps them; of few with gaps those that are there."""

    def all_entries(self) -> Iterator[tuple[object, object]]:
        found: Any = self.value
        is_read = library_of(type(found)) == "pyarrow" and module("numpy") is not None and str(found.type) in _FLOATS
        left = _COPIED
        for chunk in _chunks(found) if is_read else ():
            if not chunk.null_count:
                yield "", chunk.to_numpy()
            elif chunk.nbytes <= left:
                left -= chunk.nbytes
                yield "", _there(chunk)


class ArrowTable(_ArrowValue):
    """A table or a batch of records, by its columns."""

    def all_entries(self) -> Iterator[tuple[object, object]]:
        if library_of(type(self.value)) == "pyarrow":
            for index, name in enumerate(self.value.schema.names):
                yield name, self.value.column(index)


def _there(chunk: Any) -> Any:
    """A copy of the floats that are not missing, cut out by numpy."""
    numpy: Any = module("numpy")
    mask, data = chunk.buffers()
    start, end = chunk.offset, chunk.offset + len(chunk)
    values = numpy.frombuffer(data, f"f{chunk.type.bit_width // 8}")[start:end]
    valid = numpy.unpackbits(numpy.frombuffer(mask, "u1")[start // 8 : -(-end // 8)], bitorder="little")
    return values[valid[start % 8 :][: len(values)].view("?")]


def _chunks(array: Any) -> Iterator[Any]:
    """The arrays of which it is made; itself where it is one."""
    if issubclass(type(array), module("pyarrow").ChunkedArray):
        yield from (array.chunk(index) for index in range(array.num_chunks))
    else:
        yield array


kind_for = by_home({ArrowArray: ("Array", "ChunkedArray"), ArrowTable: ("Table", "RecordBatch")}, "pyarrow")
