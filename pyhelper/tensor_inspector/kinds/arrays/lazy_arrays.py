"""dask: arrays that are not computed, by their shape, dtype and chunks."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING, Any

from ...measure.unread import Reading, Unread
from ...safe.attributes import attribute
from ...safe.guard import c_attribute, full_name, instance_dict, module, mro
from ...words.line import head
from ...words.text import plural, shape
from ..families import by_home
from ..numpy.contents import dtype_name
from ..python.objects import PlainObject

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

_UNREAD = Unread("no_values", "not computed")


class DaskArray(PlainObject):
    """A dask array: nothing of it is computed, so its statistics are not known."""

    kind = "array"
    rank = 0
    summarized = True
    needs = ("_Array__chunks", "_meta")

    def chunks(self) -> tuple[tuple[Any, ...], ...]:
        """The lengths of the chunks along each dimension; one that is not known is NaN."""
        found: tuple[tuple[Any, ...], ...] = attribute(self.value, "_Array__chunks")
        return found

    def sizes(self) -> tuple[int | str, ...]:
        lengths = (sum(chunks) for chunks in self.chunks())
        return tuple(int(length) if length == length else "?" for length in lengths)

    def head(self) -> str:
        return head(self.dtype(), f"[{', '.join(map(str, self.sizes()))}]")

    def dtype(self) -> str:
        """By what the library of its chunks keeps in C: a class of the program may compute it."""
        known = c_attribute(attribute(self.value, "_meta"), "dtype")
        numpy = instance_dict(module("numpy")).get("dtype")
        return dtype_name(known) if any(base is numpy for base in mro(type(known))) else ""

    def brief(self) -> str:
        return self.head()

    def parts(self) -> Iterable[str | None]:
        chunks = self.chunks()
        amount = prod(map(len, chunks))
        of = shape(tuple(max(lengths, default=0) for lengths in chunks)) if amount > 1 else ""
        return [
            self.type_name(),
            self.head(),
            f"{plural(amount, 'chunk')} {f'of {of}' if of else ''}".rstrip(),
            _UNREAD.text,
        ]

    def badges(self) -> list[Badge]:
        return []

    def reading(self) -> Reading:
        return _UNREAD

    def facts(self) -> Facts:
        return {
            "type": full_name(type(self.value)),
            "shape": list(self.sizes()),
            "dtype": self.dtype(),
            "stats": None,
            "unread": _UNREAD.text,
            "rows": [["chunks", " × ".join(str(len(lengths)) for lengths in self.chunks())]],
        }


kind_for = by_home({DaskArray: ("Array",)}, "dask.array")
