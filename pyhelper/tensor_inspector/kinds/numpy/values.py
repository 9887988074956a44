"""What numpy has besides arrays: scalars, records, dtypes, random generators, functions, opened files."""

from __future__ import annotations

from collections.abc import Iterable
from types import WrapperDescriptorType
from typing import TYPE_CHECKING, Any

from ...safe.guard import (
    Classes,
    c_attribute,
    class_attribute,
    class_name,
    dict_get,
    instance_dict,
    is_found_in,
    module,
    mro,
    plain_str,
)
from ...words.text import joined, listed, plural, quoted, quoted_bytes, shorten
from ...words.values import value_text
from ..families import by_home
from ..kind import Child, Kind, WithRows
from ..python.objects import WordedObject, brief
from ..python.plain import Atom
from ..registry import as_kind
from .by_dtype import Records, contents_of, field_name
from .contents import ArrayElements, dtype_name

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

numpy: Any = module("numpy")
_as_array = numpy.generic.__dict__["__array__"]


def _array(value: Any) -> Any:
    """A scalar as an array without dimensions. numpy looks its class up in a dict, which would run the ``__hash__`` of
    a metaclass of the program's: then only the memory is read."""
    if type(type(value)) is type:
        return _as_array(value)
    dtype = numpy.dtype(next(base for base in mro(type(value)) if is_found_in(base, "numpy")))
    return numpy.frombuffer(value, dtype).copy().reshape(())


class UnreadScalar(Atom):
    """A scalar that numpy can't read without running code of the program."""

    kind = "number"

    def line(self) -> str:
        return f"{self.type_name()} · not read: its metaclass has a say in that"


class NumpyScalar(Atom):
    """A numpy scalar, by the methods of its C type."""

    kind = "number"
    adds_attributes = True

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.array = _array(value)

    def line(self) -> str:
        dtype = "" if self.array.dtype.kind in "US" else f"{dtype_name(self.array.dtype)} "
        return shorten(dtype + self.brief())

    def brief(self) -> str:
        if self.array.dtype.kind in "biufc":
            return value_text(self.array.item())
        return contents_of(self.array, self.budget).shown() or self.type_name()

    def scalar(self) -> Any:
        return self.array

    def badges(self) -> list[Badge]:
        if self.array.dtype.kind not in "fc":
            return []
        if numpy.isnan(self.array):
            return ["nan"]
        return ["inf"] if numpy.isinf(self.array) else []

    def facts(self) -> Facts:
        return {**super().facts(), "dtype": dtype_name(self.array.dtype), "bytes": int(self.array.itemsize)}


class RecordValue(WithRows):
    """One record of a structured array: a value for each of its fields."""

    def __init__(self, value: Any, budget: Any) -> None:
        super().__init__(value, budget)
        self.array = _array(value)
        self.contents = contents_of(self.array, budget)

    def parts(self) -> Iterable[str | None]:
        return [self.type_name(), self.contents.shown() or quoted_bytes(self.array.tobytes())]

    def rows(self) -> list[Child]:
        if not isinstance(self.contents, Records):
            return []
        rows = []
        for name in self.array.dtype.names:
            field = self.array[name]
            rows.append(Child(repr(name), ArrayElements(field) if field.ndim else field[()], f"[{name!r}]"))
        return rows


class NumpyDType(Atom):
    def brief(self) -> str:
        names = self.value.names
        if names is None:
            order = " big-endian" if self.value.byteorder == ">" else " little-endian"
            return shorten(dtype_name(self.value) if self.value.isnative else f"{dtype_name(self.value)}{order}")
        fields = (f"{name} {field_name(self.value[name])}" for name in names[:12])
        return joined(["structured", listed(fields, len(names) > 12, 90)])

    def line(self) -> str:
        return shorten(f"dtype {self.brief()}")

    def fact_rows(self) -> list[list[str]]:
        return [["bytes of an element", str(self.value.itemsize)], ["as numpy writes it", shorten(str(self.value))]]


class RandomSource(WordedObject):
    """A source of random numbers: none is drawn."""

    def words(self) -> Iterable[str | None]:
        source = self._first_attribute("bit_generator", "_bit_generator")
        yield None if source is None else class_name(type(source))
        seeds = self._first_attribute("seed_seq")
        entropy = c_attribute(self.value if seeds is None else seeds, "entropy")
        yield f"seed {entropy}" if type(entropy) is int else None

    def first_rows(self) -> list[Child]:
        source = "_bit_generator" if c_attribute(self.value, "bit_generator") is None else "bit_generator"
        return self.c_rows(source, "seed_seq", "state", "entropy", "spawn_key")

    def hidden(self) -> str | None:
        has_state = self._first_attribute("bit_generator", "state") is not None  # which is a row, or a row of a row
        return None if has_state else super().hidden()

    def _first_attribute(self, *names: str) -> Any:
        return next((found for found in (c_attribute(self.value, name) for name in names) if found is not None), None)


class BitGenerator(RandomSource):
    """The bit generator of a `Generator`. Before its lock exists it has no state, and asking for it crashes."""

    needs = ("lock",)


class Ufunc(Atom):
    kind = "callable"

    def brief(self) -> str:
        return f"{plain_str(c_attribute(self.value, '__name__'))}()"

    def line(self) -> str:
        taken, given = c_attribute(self.value, "nin"), c_attribute(self.value, "nout")
        return shorten(f"ufunc {self.brief()[:-2]} · {taken} in, {given} out")


class FlatIterator(WordedObject):
    """A ``flatiter`` with its position; it is never advanced."""

    def words(self) -> Iterable[str | None]:
        base = c_attribute(self.value, "base")
        yield f"at {c_attribute(self.value, 'index')} of {brief(base, self)}"

    def first_rows(self) -> list[Child]:
        return self.c_rows("base")

    def child_count(self) -> int | None:
        return 1

    def children(self, start: int, count: int) -> Iterable[Child]:
        return self.first_rows()[start : start + count]


class NpzFile(WordedObject):
    """An ``.npz`` file as ``numpy.load`` opens it: its arrays are read when asked for, so not here."""

    def words(self) -> Iterable[str | None]:
        names = self.attr("files")
        if type(names) is list:
            shown = listed((quoted(name, 24) for name in names[:12] if type(name) is str), len(names) > 12, 70)
            yield f"{plural(len(names), 'array')} in the file: {shown}"
        yield None if self.attr("zip") is not None else "closed"


class BusinessCalendar(WordedObject):
    """The days of the week and the holidays of a ``busdaycalendar``."""

    def first_rows(self) -> list[Child]:
        return self.c_rows("weekmask", "holidays")

    def hidden(self) -> str | None:
        return None


class ArrayFunction(Atom):
    """A function of numpy's, such as ``numpy.sum``, by the one it hands over to."""

    kind = "callable"

    def brief(self) -> str:
        return self._wrapped().brief()

    def line(self) -> str:
        return self._wrapped().line()

    def _wrapped(self) -> Kind:
        return as_kind(dict_get(instance_dict(self.value), "__wrapped__"), self.budget)


def _can_be_read(cls: type, bases: tuple[type, ...]) -> bool:
    """Whether `_array` runs no code of the program."""
    own_buffer = type(class_attribute(cls, "__buffer__")) not in Classes(type(None), WrapperDescriptorType)
    numeric = any(base is numpy.number or base is numpy.bool_ for base in bases)
    return type(cls) is type or (numeric and not own_buffer)


_known = by_home(
    {
        RecordValue: ("void",),
        NumpyScalar: ("generic",),
        NumpyDType: ("dtype",),
        Ufunc: ("ufunc",),
        FlatIterator: ("flatiter",),
        RandomSource: ("Generator", "RandomState", "SeedSequence"),
        BitGenerator: ("BitGenerator",),
        NpzFile: ("NpzFile",),
        BusinessCalendar: ("busdaycalendar",),
    },
    "numpy",
)


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    kind = _known(cls, bases)
    if kind is NumpyScalar and not _can_be_read(cls, bases):
        return UnreadScalar
    wraps = type(instance_dict(numpy).get("sum"))
    return ArrayFunction if cls is wraps and class_name(wraps) == "_ArrayFunctionDispatcher" else kind
