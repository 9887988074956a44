"""pandas scalars and dtypes, in pandas' own text."""

from __future__ import annotations

from typing import Any

from ...safe.guard import c_attribute, class_name, library_of, mro
from ...words.text import joined, shorten
from ..families import by_name
from ..numpy.dates import KNOWN_ZONES, date_text
from ..python.plain import Atom


class PandasScalar(Atom):
    """A single value of pandas, also of a subclass: the text is that of pandas' class."""

    kind = "number"

    def line(self) -> str:
        return joined([self.type_name(), self._text()])

    def brief(self) -> str:
        return self._text()

    def identity(self) -> tuple[object, tuple[object, ...]] | None:
        return repr(self.value), ()

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
        return super().identity() if self._is_in_known_zone() else None

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
    },
    "pandas",
)
