"""pandas' scalars and dtypes, by pandas' own text."""

from __future__ import annotations

from typing import Any

from ...safe.guard import class_module, class_name, kept_in_c, mro
from ...words.text import joined, shorten
from ..kind import Kind
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
        base: Any = next(base for base in mro(type(self.value)) if class_name(base) in _BY_NAME)
        return shorten(base.__str__(self.value), 80)


class Moment(Scalar):
    """A point in time; a time zone that is the program's own is named, not asked for its text."""

    def _text(self) -> str:
        zone = kept_in_c(self.value, "tzinfo")
        if zone is None or class_module(type(zone)).partition(".")[0] in _ZONES:
            return super()._text()
        base: Any = next(base for base in mro(type(self.value)) if class_name(base) in _BY_NAME)
        return f"{date_text(base.to_datetime64(self.value))} UTC, tzinfo {class_name(type(zone))}"


class Span(Scalar):
    """Asked for its text, it would keep its days and hours."""

    def _text(self) -> str:
        base: Any = next(base for base in mro(type(self.value)) if class_name(base) in _BY_NAME)
        return date_text(base.to_timedelta64(self.value))


class Missing(Atom):
    """``NA`` and ``NaT``."""

    kind = "none"

    def line(self) -> str:
        return class_name(type(self.value)).replace("Type", "")


class DType(Atom):
    def line(self) -> str:
        own = class_module(type(self.value)).partition(".")[0] != "pandas"
        return self.type_name() if own else shorten(f"dtype {self.value}")


_BY_NAME: dict[str, type[Kind]] = {
    "Timestamp": Moment, "Timedelta": Span, "Period": Scalar, "Interval": Scalar, "NaTType": Missing,
    "NAType": Missing, "ExtensionDtype": DType,
}  # fmt: skip


def kind_for(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    for base in bases:
        kind = _BY_NAME.get(class_name(base))
        if kind is not None and class_module(base).partition(".")[0] == "pandas":
            return kind
    return None
