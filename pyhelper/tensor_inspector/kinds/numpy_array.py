"""numpy arrays and scalars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..guard import full_name, module
from ..protocol import Badge, Facts
from ..stats import Unread, of_array
from ..text import joined, plural, quoted, shape, shorten
from .kind import Child, Kind, Rows, Said
from .objects import attributes_row
from .plain import Atom
from .stats_text import Reading, badges, stats_rows, stats_words
from .tensor_text import corner, element, value_text

numpy: Any = module("numpy")
_ndarray: Any = numpy.ndarray
_VALUES = 10  #: arrays of integers up to this many elements show their values


class Array(Kind):
    """An array by the base class's own methods: a subclass's overrides do not run."""

    kind = "array"
    summarized = True
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self._plain = _ndarray.view(value, _ndarray) if type(value) is not _ndarray else value
        self._known: Reading | None = None

    def head(self) -> str:
        return f"{dtype_name(self._plain.dtype)}{shape(self._plain.shape)}"

    def brief(self) -> str:
        return self.head()

    def line(self) -> str:
        own = None if type(self.value) is _ndarray else self.type_name()
        return joined([own, *self.value_words(), *self._layout_words()])

    def value_words(self) -> list[str]:
        shown = self._shown_values()
        if shown is not None:
            return [f"{self.head()} {shown}"]
        return [self.head(), *stats_words(self.reading(), self._plain.dtype.kind == "b")]

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def reading(self) -> Reading:
        if self._known is None:
            kind = self._plain.dtype.kind
            self._known = (
                of_array(self._plain, self.budget.share())
                if kind in "biufc"
                else Unread(_WHY.get(kind, f"{self._plain.dtype.name} values"))
            )
        return self._known

    def item(self, key: Any) -> Any:
        return element(self._plain, key)

    def child_count(self) -> int | None:
        return len(self._rows())

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self._rows()[start : start + count]

    def facts(self) -> Facts:
        array = self._plain
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": list(array.shape),
            "dtype": dtype_name(array.dtype),
            "strides": list(array.strides),
            "bytes": array.nbytes,
            "notes": list(self._layout_words()),
        }
        reading = self.reading()
        if isinstance(reading, Unread):
            facts["stats"], facts["unread"] = None, reading.reason
        else:
            facts["stats"], facts["values"] = reading, corner(array)
        return facts

    def _shown_values(self) -> str | None:
        array = self._plain
        if isinstance(self.reading(), Unread):
            return None
        if array.ndim == 0:
            return value_text(array.item())
        few = array.ndim == 1 and 0 < array.size <= _VALUES and array.dtype.kind in "iu"
        return str(array.tolist()).replace("-", "−") if few else None

    def _layout_words(self) -> Iterator[str]:
        array = self._plain
        if not array.flags.writeable:
            yield "read-only"
        if array.base is not None and self._plain is self.value:
            yield "view"
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            yield "not contiguous"
        elif array.flags.f_contiguous and not array.flags.c_contiguous:
            yield "Fortran order"

    def _rows(self) -> list[Child]:
        rows = []
        reading = self.reading()
        readable = not isinstance(reading, Unread) or (
            self._plain.dtype.kind in "SUMm" and "freed" not in reading.reason
        )
        if self._plain.ndim and len(self._plain) and readable:
            rows.append(Child("values", values_rows(self._plain, self.budget), ""))
        if not isinstance(reading, Unread):
            rows.append(Child("stats", stats_rows(reading)))
        if self._plain.base is not None and self._plain is self.value:
            rows.append(Child("base", self._plain.base, ".base"))
        return rows + (attributes_row(self.value) if type(self.value) is not _ndarray else [])


class Scalar(Atom):
    """A numpy scalar, by its own C-level text."""

    kind = "number"

    def line(self) -> str:
        value = self.value
        if issubclass(type(value), numpy.generic) and value.dtype.kind in "biufcMm":
            return f"{value.dtype.name} {value.item() if value.dtype.kind in 'biufc' else str(value)}"
        if issubclass(type(value), (str, bytes)):
            return quoted(value) if issubclass(type(value), str) else shorten(bytes.__repr__(value))
        return self.type_name()


class DType(Atom):
    def line(self) -> str:
        return shorten(f"dtype {dtype_name(self.value)}")


_WHY = {
    "O": "objects: not read",
    "V": "structured values",
    "U": "strings",
    "S": "byte strings",
    "M": "dates",
    "m": "time spans",
}


def dtype_name(dtype: Any) -> str:
    if dtype.kind in "SUOV":
        return shorten(str(dtype) if dtype.fields else {"O": "object"}.get(dtype.kind, str(dtype)), 40)
    return str(dtype.name)


def values_rows(array: Any, budget: Any) -> Rows:
    """The elements along the first dimension, each a value or the rows of a slice."""
    length = len(array)

    def rows(start: int, count: int) -> Iterator[Child]:
        if array.ndim == 1:
            for index, item in enumerate(array[start : start + count].tolist(), start):
                yield Child(f"[{index}]", Said(value_text(item)), f"[{index}]")
            return
        for index in range(start, min(start + count, length)):
            below = values_rows(array[index], budget)
            below.line = joined(Array(array[index], budget).value_words())
            below.kind = "array"
            yield Child(f"[{index}]", below, f"[{index}]")

    return Rows(plural(length, "row" if array.ndim > 1 else "value"), length, rows)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    for base in bases:
        if base is _ndarray:
            return Array
        if base is numpy.generic:
            return Scalar
        if base is numpy.dtype:
            return DType
    return None
