"""pint: quantities, which are any value with units, and the units. None of pint's code runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...measure.stats import Reading
from ...safe.attributes import attribute
from ...safe.guard import class_attribute, full_name, instance_dict, plain_str
from ...words.line import Word
from ...words.text import number
from ..families import by_home
from ..kind import Child, Kind, WithRows
from ..python.objects import attributes_but, brief
from ..python.plain import Atom
from ..registry import as_kind

if TYPE_CHECKING:
    from ...protocol import Badge, Facts

_OF_PINT = frozenset(("_magnitude", "_units", "_dimensionality", "_REGISTRY"))
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Quantity(WithRows):
    """A value with units: a number of which the line shows both, or what they are the units of."""

    needs = ("_magnitude", "_units")
    summarized = True

    @cached_property
    def magnitude(self) -> Kind:
        return as_kind(attribute(self.value, "_magnitude"), self.budget)

    def brief(self) -> str:
        return f"{self.magnitude.brief()} {unit_text(self)}"

    def parts(self) -> Iterable[str | None]:
        if isinstance(self.magnitude, Atom):
            return [self.type_name(), Word(self.brief(), loud=bool(self.magnitude.badges()))]
        return [self.type_name(), *self.magnitude.parts(), unit_text(self)]

    def badges(self) -> list[Badge]:
        return self.magnitude.badges()

    def facts(self) -> Facts:
        facts = self.magnitude.facts()
        rows = [*facts.get("rows", []), ["unit", unit_text(self)]]
        return {**facts, "type": full_name(type(self.value)), "rows": rows}

    def rows(self) -> list[Child]:
        return [
            Child("magnitude", self.magnitude.value, "._magnitude"),
            Child("units", _powers(self.value), "._units._d"),
        ]

    def unlisted(self) -> Iterable[Child]:
        return attributes_but(self.value, _OF_PINT)

    def holds_tensors(self) -> bool:
        return self.magnitude.holds_tensors()

    def entries(self) -> Iterable[tuple[object, object]]:
        return [("magnitude", self.magnitude.value)]

    def reading(self) -> Reading | None:
        return self.magnitude.reading()

    def measured(self) -> Any:
        return self.magnitude.measured()


class Unit(Atom):
    """Units without a value."""

    needs = ("_units",)

    def brief(self) -> str:
        return unit_text(self)

    def line(self) -> str:
        return f"{self.type_name()} · {self.brief()}"

    def settings(self) -> dict[str, str]:
        return {"unit": self.brief()}


def unit_text(asked: Kind) -> str:
    """The units of what pint made, by their symbols, as in ``kg·m/s²``."""
    known = [(_symbol(asked.value, name), power) for name, power in dict.items(_powers(asked.value))]
    above = [f"{symbol}{_exponent(power, asked)}" for symbol, power in known if not _is_negative(power)]
    below = [f"{symbol}{_exponent(-power, asked)}" for symbol, power in known if _is_negative(power)]
    return "/".join(["·".join(above) or "1", *below]) if known else "dimensionless"


def _powers(value: object) -> dict[Any, Any]:
    """The names of its units, each with its power."""
    found = attribute(attribute(value, "_units"), "_d")
    return found if issubclass(type(found), dict) else {}


def _symbol(value: object, name: object) -> str:
    """``km`` for a kilometre, as the registry defines it; where it does not, the name."""
    registry = instance_dict(value).get("_REGISTRY") or class_attribute(type(value), "_REGISTRY")
    for definitions in _maps(instance_dict(registry).get("_units")):
        symbol = instance_dict(dict.get(definitions, name)).get("defined_symbol")
        if type(symbol) is str:
            return symbol
    return plain_str(name)


def _maps(chain: object) -> Iterator[dict[Any, Any]]:
    """The dicts of a ``ChainMap``."""
    found = instance_dict(chain).get("maps")
    return (one for one in found if issubclass(type(one), dict)) if type(found) is list else iter(())


def _is_negative(power: object) -> bool:
    return type(power) in (int, float) and power < 0  # type: ignore[operator]


def _exponent(power: Any, asked: Kind) -> str:
    if type(power) in (int, float) and power == 1:
        return ""
    if type(power) is int or (type(power) is float and power.is_integer()):
        return number(int(power)).translate(_SUPERSCRIPTS)
    return f"^{brief(power, asked)}"


kind_for = by_home({Quantity: ("PlainQuantity",), Unit: ("PlainUnit",)}, "pint")
