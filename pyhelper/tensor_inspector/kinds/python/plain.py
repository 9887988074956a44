"""Values with nothing inside: numbers, strings, enum members, dates, paths."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from ...safe.attributes import slots
from ...safe.guard import Classes, class_dict, class_name, dict_get, instance_dict, module, mro, owner_of, plain_str
from ...words.text import exact_number, integer, joined, one_line, quoted, quoted_bytes, shorten
from ..families import by_base, either
from ..kind import Child, Kind
from .objects import attributes

if TYPE_CHECKING:
    from ...protocol import Badge, WatchedAs

_WHOLE_TEXT = 2000  #: characters of a string that its facts show


class Atom(Kind):
    """A value with nothing below it; inside another one's line it is its own line."""

    contains = False
    adds_attributes: ClassVar[bool] = False  #: whether what an instance holds by name is what a subclass adds

    def parts(self) -> Iterable[str | None]:
        return [self.line()]

    def line(self) -> str:
        raise NotImplementedError

    def brief(self) -> str:
        return self.line()

    def unlisted(self) -> Iterable[Child]:
        return filter(self._is_added, attributes(self.value)) if self.adds_attributes else ()

    def _is_added(self, child: Child) -> bool:
        """Whether an attribute is none that the built-in or library class keeps in C."""
        owner = owner_of(type(self.value), child.name)
        return child.name in instance_dict(self.value) or (owner is not None and "__slots__" in class_dict(owner))

    def inline(self) -> str | None:
        return self.line() if self.kind in ("number", "string", "none") else None


class Number(Atom):
    kind = "number"
    adds_attributes = True

    def line(self) -> str:
        value, cls = self.value, type(self.value)
        if cls is bool:
            return "True" if value else "False"
        if issubclass(cls, int):
            return integer(value)
        return float.__repr__(value) if issubclass(cls, float) else complex.__repr__(value)

    def brief(self) -> str:
        return exact_number(self.value) if type(self.value) is float else self.line()

    @property
    def watched_as(self) -> WatchedAs | None:  # type: ignore[override]
        return "number" if type(self.value) is float or type(self.value) is int else None

    def badges(self) -> list[Badge]:
        base = next((base for base in (float, complex) if issubclass(type(self.value), base)), None)
        if base is None:
            return []
        number = base.__pos__(self.value)  # of exactly that class
        if number != number:
            return ["nan"]
        return ["inf"] if inf in (abs(number.real), abs(number.imag)) else []


class String(Atom):
    kind = "string"
    adds_attributes = True

    def brief(self) -> str:
        return self._shown(24)

    def line(self) -> str:
        return shorten(self._shown(80))

    def fact_rows(self) -> list[list[str]]:
        length = self._base().__len__(self.value)
        return [["length", f"{length:,}"], *([["text", self._shown(_WHOLE_TEXT)]] if length > 80 else [])]

    def _base(self) -> Any:
        return next(base for base in (str, bytes, bytearray) if issubclass(type(self.value), base))

    def _shown(self, limit: int) -> str:
        return quoted(self.value, limit) if self._base() is str else quoted_bytes(self.value, limit)


class Constant(Atom):
    kind = "none"

    def line(self) -> str:
        return {type(None): "None", type(...): "..."}.get(type(self.value), "NotImplemented")


class Range(Atom):
    def line(self) -> str:
        start, stop, step = (range.__dict__[name].__get__(self.value) for name in ("start", "stop", "step"))
        ends = [integer(start), integer(stop), *([] if int.__eq__(step, 1) else [integer(step)])]
        shown = f"range({', '.join(ends)})"
        if int.__eq__(start, 0) and len(ends) == 2:
            return shown
        try:
            return f"{shown} · {range.__len__(self.value):,}"
        except OverflowError:  # beyond what a length can be
            return shown


class Package(Atom):
    kind = "package"

    def line(self) -> str:
        attrs = instance_dict(self.value)
        name, version = dict_get(attrs, "__name__"), dict_get(attrs, "__version__")
        return joined([plain_str(name) or "module", plain_str(version)])


class EnumMember(Atom):
    """By its name; a combination of flags without one by its number."""

    def brief(self) -> str:
        name = dict_get(instance_dict(self.value), "_name_")
        return f"{self.type_name()}.{name}" if type(name) is str else f"{self.type_name()}({self._shown() or '?'})"

    def line(self) -> str:
        named = type(dict_get(instance_dict(self.value), "_name_")) is str
        return f"{self.brief()} = {self._shown()}" if named and self._shown() else self.brief()

    def _shown(self) -> str:
        value = dict_get(instance_dict(self.value), "_value_")
        if type(value) in _NUMBERS:
            return Number(value, self.budget).brief()
        return String(value, self.budget).brief() if type(value) is str else ""


class Printed(Atom):
    """A small value of a known class, whose own repr is short and runs no code but its library's."""

    def line(self) -> str:
        return shorten(repr(self.value))

    def identity(self) -> tuple[object, tuple[()]]:
        return repr(self.value), ()


class Fraction(Atom):
    def line(self) -> str:
        found = dict(slots(self.value))
        return f"Fraction({', '.join(integer(found.get(name, 0)) for name in ('_numerator', '_denominator'))})"

    def identity(self) -> tuple[object, list[object]]:
        return None, [item for _, item in slots(self.value)]


class Decimal(Atom):
    """A decimal, also of a subclass, by the text of the base: it tells all digits and the sign of zero."""

    adds_attributes = True

    def line(self) -> str:
        return shorten(self._text())

    def identity(self) -> tuple[object, tuple[()]]:
        return self._text(), ()

    def _text(self) -> str:
        base: Any = next(base for base in mro(type(self.value)) if _is_of(base, "decimal", ("Decimal",)))
        return plain_str(base.__repr__(self.value))


class DateOrTime(Atom):
    """A date or time, also of a subclass. A time zone that is the program's own is named, not asked for its text."""

    adds_attributes = True

    def line(self) -> str:
        base, zone = self._base(), self._zone()
        if _is_known_zone(zone):
            return shorten(base.__repr__(self.value))
        return joined([base.__repr__(base.replace(self.value, tzinfo=None)), f"tzinfo {class_name(type(zone))}"])

    def identity(self) -> tuple[object, tuple[()]] | None:
        return (repr(self.value), ()) if _is_known_zone(self._zone()) else None

    def _base(self) -> Any:
        return next(base for base in mro(type(self.value)) if _is_of(base, "datetime", _MOMENTS))

    def _zone(self) -> Any:
        zoned = self._base().__dict__.get("tzinfo")
        return None if zoned is None else zoned.__get__(self.value)


class Path(Atom):
    """A path from its parts: its ``__str__`` would store the text in it."""

    def line(self) -> str:
        return one_line(f"{self.type_name()}({quoted(self.written(), 90)})")

    def brief(self) -> str:
        return quoted(self.written(), 40)

    def identity(self) -> tuple[object, tuple[()]] | None:
        written = self.written()
        return None if written == "…" else (written, ())

    def written(self) -> str:
        cls = type(self.value)
        try:
            if hasattr(cls, "_parse_path"):  # Python 3.12
                raw = self.value._raw_paths
                parts = cls._parse_path(self._joined(raw) if raw and all(type(part) is str for part in raw) else "")
            else:
                parts = (self.value._drv, self.value._root, self.value._parts)
            return plain_str(cls._format_parsed_parts(*parts)) or "."
        except AttributeError:
            return "…"

    def _joined(self, raw: list[str]) -> str:
        flavour = getattr(type(self.value), "parser", None) or type(self.value)._flavour
        return plain_str(flavour.join(*raw))


_NUMBERS = Classes(int, float, bool)
_MOMENTS = ("date", "time", "datetime", "timedelta", "timezone")
_ZONES = (("datetime", ("timezone",)), ("zoneinfo", ("ZoneInfo",)))


def _is_of(cls: type, library: str, names: tuple[str, ...]) -> bool:
    """Whether it is one of these classes of the standard library, not of a file of the program that took its name."""
    found = module(library)
    return found is not None and any(vars(found).get(name) is cls for name in names) and _is_standard(found)


def _is_known_zone(zone: object) -> bool:
    """Whether a time zone is none of the program's own."""
    return zone is None or any(_is_of(type(zone), *at) for at in _ZONES)


def _is_standard(library: Any) -> bool:
    file = plain_str(vars(library).get("__file__"))
    return not file or file.startswith(plain_str(getattr(module("os"), "__file__", None)).rpartition("os.py")[0])


def _enum_member(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    enum = getattr(module("enum"), "Enum", None)
    return EnumMember if enum is not None and any(base is enum for base in bases) else None


def _of_standard_library(cls: type, bases: tuple[type, ...]) -> type[Kind] | None:
    for library, kind, names in _EXACT:
        if _is_of(cls, library, names):
            return kind
    for library, kind, names in _SUBCLASSED:
        if any(_is_of(base, library, names) for base in bases):
            return kind
    return None


_EXACT: tuple[tuple[str, type[Kind], tuple[str, ...]], ...] = (
    ("fractions", Fraction, ("Fraction",)),
    ("uuid", Printed, ("UUID",)),
    ("zoneinfo", Printed, ("ZoneInfo",)),
    ("pathlib", Path, ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")),
)
_SUBCLASSED: tuple[tuple[str, type[Kind], tuple[str, ...]], ...] = (
    ("datetime", DateOrTime, _MOMENTS),
    ("decimal", Decimal, ("Decimal",)),
)
kind_for = either(
    _enum_member,
    by_base(
        {
            Number: (int, float, complex),
            String: (str, bytes, bytearray),
            Constant: (type(None), type(...), type(NotImplemented)),
            Package: (ModuleType,),
            Range: (range,),
        }
    ),
    _of_standard_library,
)
