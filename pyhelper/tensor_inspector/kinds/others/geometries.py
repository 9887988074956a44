"""shapely's geometries, which C++ holds: compared by their well-known binary form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import library_of, module, mro
from ...words.line import class_word
from ...words.text import one_line
from ..families import by_name
from ..kind import Child
from ..python.objects import PlainObject, property_rows

_BRIEF = 40  #: characters in the line of another value


class Geometry(PlainObject):
    """A geometry, as shapely writes it; the address of its C++ object is no attribute of it."""

    def parts(self) -> Iterable[str | None]:
        return [class_word(self.type_name()), one_line(self._written())]

    def brief(self) -> str:
        return one_line(self._written(), _BRIEF)

    def child_count(self) -> int | None:
        return len(property_rows(self.value))

    def children(self, start: int, count: int) -> Iterable[Child]:
        return property_rows(self.value)[start : start + count]

    def fact_rows(self) -> list[list[str]]:
        return []

    def identity(self) -> tuple[object, tuple[()]] | None:
        return module("shapely").to_wkb(self.value, include_srid=True), ()

    def _written(self) -> str:
        base: Any = next(base for base in mro(type(self.value)) if library_of(base) == "shapely")
        return str(base.__repr__(self.value))


kind_for = by_name({Geometry: ("Geometry",)}, "shapely")
