"""numpy arrays and scalars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from ..guard import full_name, module, mro
from ..protocol import Badge, Facts
from ..stats import Unread, of_array, unreadable_array
from ..text import joined, plural, quoted, shape, shorten, size
from .kind import Child, Elements, Kind, NotStatic, Rows, Said, WithRows
from .objects import other_attributes
from .plain import Atom
from .stats_text import Reading, badges, stats_rows, stats_words
from .tensor_text import corner, element, value_text

numpy: Any = module("numpy")
_ndarray: Any = numpy.ndarray
_VALUES = 10  #: arrays of integers up to this many elements show their values


class Array(WithRows):
    """An array by the base class's own methods: a subclass's overrides do not run."""

    kind = "array"
    summarized = True
    rank = 0

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.array = _ndarray.view(value, _ndarray) if type(value) is not _ndarray else value
        self._known: Reading | None = None

    def head(self) -> str:
        return f"{dtype_name(self.array.dtype)}{shape(self.array.shape)}"

    def brief(self) -> str:
        return self.head()

    def line(self) -> str:
        own = None if type(self.value) is _ndarray else self.type_name()
        return joined([own, *self._value_words(), *self._layout_words()])

    def badges(self) -> list[Badge]:
        return badges(self.reading())

    def reading(self) -> Reading:
        if self._known is None:
            kind = self.array.dtype.kind
            reason = unreadable_array(self.array) or (None if kind in "biufc" else _WHY.get(kind, "values not read"))
            self._known = of_array(self.array, self.budget.share()) if reason is None else Unread(reason)
        return self._known

    def item(self, key: Any) -> Any:
        reason = unreadable_array(self.array)
        if reason is not None:
            raise NotStatic(reason)
        found = element(self.array, key)
        return ArrayElements(found) if type(found) is _ndarray else found

    def facts(self) -> Facts:
        facts: Facts = {
            "type": full_name(type(self.value)),
            "shape": list(self.array.shape),
            "dtype": dtype_name(self.array.dtype),
            "strides": list(self.array.strides),
            "bytes": _bytes(self.array),
            "notes": list(self._layout_words()),
        }
        reading = self.reading()
        if isinstance(reading, Unread):
            facts["stats"], facts["unread"] = None, reading.reason
        else:
            facts["stats"], facts["values"] = reading, corner(self.array)
        return facts

    def is_open(self) -> bool:
        """Whether there are values to list."""
        return self.array.ndim > 0 and len(self.array) > 0 and unreadable_array(self.array) is None

    def _value_words(self) -> list[str]:
        shown = self._shown_values()
        if shown is not None:
            return [f"{self.head()} {shown}"]
        return [self.head(), *stats_words(self.reading(), self.array.dtype.kind == "b")]

    def _shown_values(self) -> str | None:
        """The values themselves, where they say more than statistics: of a 0-d array, and of few integers."""
        array = self.array
        if isinstance(self.reading(), Unread):
            return None
        if array.ndim == 0:
            return value_text(array.item())
        few = array.ndim == 1 and 0 < array.size <= _VALUES and array.dtype.kind in "iu"
        return str(array.tolist()).replace("-", "−") if few else None

    def _layout_words(self) -> Iterator[str]:
        array = self.array
        if any(base is numpy.ma.MaskedArray for base in mro(type(self.value))):
            yield "mask ignored"
        if not array.flags.writeable:
            yield "read-only"
        if array.base is not None and array is self.value:
            yield "view"
        if _bytes(array) < array.nbytes:
            yield f"expanded from {size(_bytes(array))}"
        elif not (array.flags.c_contiguous or array.flags.f_contiguous):
            yield "not contiguous"
        elif array.flags.f_contiguous and not array.flags.c_contiguous:
            yield "Fortran order"

    def rows(self) -> list[Child]:
        rows = [Child("values", values_rows(self.array), "")] if self.is_open() else []
        if not isinstance(self.reading(), Unread):
            rows.append(Child("stats", stats_rows(self.reading())))
        if self.array.base is not None and self.array is self.value:
            rows.append(Child("base", self.array.base, ".base"))
        return rows + (other_attributes(self.value) if type(self.value) is not _ndarray else [])


class ArrayElements(Elements):
    """Elements that were taken out of an array, as one."""

    __slots__ = ()


class Part(Array):
    """Elements taken out to be looked at: their values, not their layout."""

    contains = False

    def __init__(self, value: ArrayElements, budget: Any) -> None:
        super().__init__(value.value, budget)

    def line(self) -> str:
        return joined(self._value_words())

    def child_count(self) -> int | None:
        return len(self.array) if self.is_open() else 0

    def children(self, start: int, count: int) -> Iterable[Child]:
        return values_rows(self.array).children(start, count) if self.is_open() else ()


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


def _bytes(array: Any) -> int:
    """Bytes that the elements take, those that one stride-0 dimension repeats counted once."""
    distinct = (length for length, stride in zip(array.shape, array.strides) if stride != 0 or length == 0)
    return int(prod(distinct)) * int(array.itemsize)


def values_rows(array: Any) -> Rows:
    """The elements along the first dimension: values, objects, or parts that open in turn."""
    length = len(array)

    def rows(start: int, count: int) -> Iterator[Child]:
        part = array[start : start + count]
        if array.ndim > 1:
            values: Any = map(ArrayElements, part)
        elif array.dtype.kind == "O":
            values = part.tolist()
        else:
            values = (Said(value_text(item)) for item in part.tolist())
        for index, value in enumerate(values, start):
            yield Child(f"[{index}]", value, f"[{index}]")

    return Rows(plural(length, "row" if array.ndim > 1 else "value"), length, rows)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    if cls is ArrayElements:
        return Part
    for base in bases:
        if base is _ndarray:
            return Array
        if base is numpy.generic:
            return Scalar
        if base is numpy.dtype:
            return DType
    return None
