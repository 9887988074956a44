"""numpy arrays with a unit, as astropy and unyt have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...measure.reading import is_alarming
from ...safe.guard import instance_dict
from ...words.line import Word
from ..families import by_home
from ..numpy.array import NumpyArray
from ..python.objects import brief

if TYPE_CHECKING:
    from ...protocol import Facts

_UNITS = "_unit", "units"  #: the attributes that hold it


class UnitArray(NumpyArray):
    """An array and its unit; a single number with its unit behind it."""

    def unit(self) -> str:
        """The unit as its library writes it; empty where it has none."""
        held = instance_dict(self.value)
        unit = next((held[name] for name in _UNITS if held.get(name) is not None), None)
        return "" if unit is None else brief(unit, self)

    def brief(self) -> str:
        return f"{self._number() or self.head()} {self.unit()}".rstrip()

    def parts(self) -> Iterable[str | None]:
        if self._number() is None:
            return [self.type_name(), *self._value_words(), self.unit(), *self._layout_words()]
        return [self.type_name(), Word(self.brief(), loud=is_alarming(self.reading())), *self._layout_words()]

    def _number(self) -> str | None:
        return None if self.array.shape else self.contents.shown()

    def facts(self) -> Facts:
        facts = super().facts()
        return {**facts, "rows": [*facts.get("rows", []), ["unit", self.unit()]]}

    def settings(self) -> dict[str, str]:
        return {**super().settings(), "unit": self.unit()}


kind_for = by_home({UnitArray: ("Quantity", "unyt_array")}, "astropy.units", "unyt")
