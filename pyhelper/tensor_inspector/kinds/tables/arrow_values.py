"""Arrays and tables of pyarrow, whose row warns of NaN. Their summaries are declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...safe.guard import library_of, module
from ..families import by_home
from ..python.objects import PlainObject

_FLOATS = ("halffloat", "float", "double")  #: what Arrow calls their types


class _ArrowValue(PlainObject):
    def inner_entries(self) -> Iterable[tuple[object, object]] | None:
        return self.all_entries()


class ArrowArray(_ArrowValue):
    """An array, or one in chunks. Its floats are read where Arrow keeps them: none is copied."""

    def all_entries(self) -> Iterator[tuple[object, object]]:
        found: Any = self.value
        is_read = library_of(type(found)) == "pyarrow" and module("numpy") is not None and str(found.type) in _FLOATS
        for chunk in _chunks(found) if is_read else ():
            if not chunk.null_count:
                yield "", chunk.to_numpy()


class ArrowTable(_ArrowValue):
    """A table or a batch of records, by its columns."""

    def all_entries(self) -> Iterator[tuple[object, object]]:
        if library_of(type(self.value)) == "pyarrow":
            for index, name in enumerate(self.value.schema.names):
                yield name, self.value.column(index)


def _chunks(array: Any) -> Iterator[Any]:
    """The arrays of which it is made; itself where it is one."""
    if issubclass(type(array), module("pyarrow").ChunkedArray):
        yield from (array.chunk(index) for index in range(array.num_chunks))
    else:
        yield array


kind_for = by_home({ArrowArray: ("Array", "ChunkedArray"), ArrowTable: ("Table", "RecordBatch")}, "pyarrow")
