"""pandas scalars and dtypes, in pandas' own text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import (
    c_attribute,
    class_attribute,
    class_name,
    full_name,
    is_found_in,
    library_of,
    module,
    mro,
    plain_str,
)
from ...words.text import joined, shorten
from ..arrays.foreign_arrays import of_library
from ..families import by_name
from ..kind import Child, NotStatic
from ..numpy.dates import KNOWN_ZONES, date_text
from ..python.objects import WordedObject, attribute_count, brief
from ..python.plain import Atom

_WORKED_OUT = ("_cache", "_seconds", "_microseconds")  #: attributes in which its scalars store what they were asked
_timedelta: Any = module("datetime").timedelta


class PandasScalar(Atom):
    """A single value of pandas, also of a subclass: the text is that of pandas' class."""

    kind = "number"
    adds_attributes = True

    def line(self) -> str:
        return joined([self.type_name(), self._text()])

    def brief(self) -> str:
        return self._text()

    def identity(self) -> tuple[object, tuple[object, ...]] | None:
        return repr(self.value), ()

    def unlisted(self) -> Iterable[Child]:
        return (child for child in super().unlisted() if child.name not in _WORKED_OUT)

    def _base(self) -> Any:
        return next(base for base in mro(type(self.value)) if library_of(base) == "pandas")

    def _text(self) -> str:
        return shorten(self._base().__str__(self.value), 80)


class Interval(PandasScalar):
    """An interval; its line shows its ends and which of them it includes."""

    def identity(self) -> tuple[object, tuple[object, ...]]:
        return None, (self.value.left, self.value.right, self.value.closed)


class Timestamp(PandasScalar):
    """A point in time; a time zone that is the program's own is named, not asked for its text."""

    def _text(self) -> str:
        zone = c_attribute(self.value, "tzinfo")
        if self._is_in_known_zone():
            return super()._text()
        return f"{date_text(self._base().to_datetime64(self.value))} UTC, tzinfo {class_name(type(zone))}"

    def identity(self) -> tuple[object, tuple[object, ...]] | None:
        """Its text, and what that leaves out: the unit in which it counts, and whose time zone it has."""
        if not self._is_in_known_zone():
            return None
        unit = module("numpy").datetime_data(self._base().to_datetime64(self.value).dtype)[0]
        zone = c_attribute(self.value, "tzinfo")
        of = None if zone is None else f"tzinfo {full_name(type(zone))}"
        return joined([repr(self.value), f"unit {unit}", of]), ()

    def _is_in_known_zone(self) -> bool:
        zone = c_attribute(self.value, "tzinfo")
        return zone is None or library_of(type(zone)) in KNOWN_ZONES


class Timedelta(PandasScalar):
    """Asked for its text, it would keep its days and hours."""

    def _text(self) -> str:
        return date_text(self._base().to_timedelta64(self.value))

    def identity(self) -> tuple[object, tuple[object, ...]]:
        return str(self.value.to_timedelta64()), ()


class MissingValue(Atom):
    """``NA`` and ``NaT``."""

    kind = "none"

    def line(self) -> str:
        return class_name(type(self.value)).replace("Type", "")


class DateOffset(WordedObject):
    """A step between dates: how many of which; not of a class of the program, whose code would run."""

    def words(self) -> Iterable[str | None]:
        added = c_attribute(self.value, "_offset")
        is_added = issubclass(type(added), _timedelta) and _timedelta.__bool__(added)
        attributes = self.attribute_words() if attribute_count(self.value) else []
        return [self._text(), f"offset {brief(added, self)}" if is_added else None, *attributes]

    def first_rows(self) -> list[Child]:
        """All by which pandas compares it: ``n``, ``normalize``, of some ``weekday``, ``holidays``."""
        made = next(base for base in mro(type(self.value)) if is_found_in(base, "pandas"))
        return self.c_rows(*class_attribute(made, "_attributes"))

    def hidden(self) -> str | None:
        return None  # what else its class keeps in C is worked out from that

    def _text(self) -> str | None:
        """As pandas writes it: ``2B``. Its `freqstr` is not asked, which is kept once it was."""
        amount = c_attribute(self.value, "n")
        try:
            code = of_library(self.value, "rule_code", "pandas") if is_found_in(type(self.value), "pandas") else ""
        except (NotImplementedError, NotStatic):  # of one that is made of several units
            code = ""
        shown = "" if amount == 1 else str(amount)
        return f"{shown}{shorten(plain_str(code), 80)}" if code else f"× {shown}" if shown else None


class PandasDType(Atom):
    def line(self) -> str:
        is_other = library_of(type(self.value)) != "pandas"
        return self.type_name() if is_other else shorten(f"dtype {self.value}")


kind_for = by_name(
    {
        Timestamp: ("Timestamp",),
        Timedelta: ("Timedelta",),
        PandasScalar: ("Period",),
        Interval: ("Interval",),
        MissingValue: ("NaTType", "NAType"),
        PandasDType: ("ExtensionDtype",),
        DateOffset: ("BaseOffset",),
    },
    "pandas",
)
