"""pandas' scalars and dtypes, by pandas' own text."""

from __future__ import annotations

from typing import Any

from ...safe.guard import class_name, kept_in_c, library_of, mro
from ...words.text import joined, shorten
from ..families import by_name
from ..numpy.dates import date_text
from ..python.plain import Atom

_ZONES = ("datetime", "zoneinfo", "pytz", "dateutil")  #: whose time zones run no code of the program


class Scalar(Atom):
    """Also of a subclass: the text is that of pandas' class."""

    kind = "number"

    def line(self) -> str:
        return joined([self.type_name(), self._text()])

    def brief(self) -> str:
        return self._text()

    def _text(self) -> str:
        base: Any = next(base for base in mro(type(self.value)) if library_of(base) == "pandas")
        return shorten(base.__str__(self.value), 80)


class Moment(Scalar):
    """A point in time; a time zone that is the program's own is named, not asked for its text."""

    def _text(self) -> str:
        zone = kept_in_c(self.value, "tzinfo")
        if zone is None or library_of(type(zone)) in _ZONES:
            return super()._text()
        base: Any = next(base for base in mro(type(self.value)) if library_of(base) == "pandas")
        return f"{date_text(base.to_datetime64(self.value))} UTC, tzinfo {class_name(type(zone))}"


class Span(Scalar):
    """Asked for its text, it would keep its days and hours."""

    def _text(self) -> str:
        base: Any = next(base for base in mro(type(self.value)) if library_of(base) == "pandas")
        return date_text(base.to_timedelta64(self.value))


class Missing(Atom):
    """``NA`` and ``NaT``."""

    kind = "none"

    def line(self) -> str:
        return class_name(type(self.value)).replace("Type", "")


class DType(Atom):
    def line(self) -> str:
        own = library_of(type(self.value)) != "pandas"
        return self.type_name() if own else shorten(f"dtype {self.value}")


kind_for = by_name(
    {
        Moment: ("Timestamp",),
        Span: ("Timedelta",),
        Scalar: ("Period", "Interval"),
        Missing: ("NaTType", "NAType"),
        DType: ("ExtensionDtype",),
    },
    "pandas",
)
