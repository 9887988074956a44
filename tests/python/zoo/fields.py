"""Objects of libraries of which a few fields say what they are: quantities, graphs, shardings, configurations, runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .declared import of
from .specimen import Specimen, Zoo

# quantities


def pint_quantity(value: Any, unit: str) -> Any:
    return import_module("pint").Quantity(value, unit)


def astropy_quantity(value: Any, unit: str) -> Any:
    return import_module("astropy.units").Quantity(value, unit)


def unyt_array(values: Any, unit: str) -> Any:
    return import_module("unyt").unyt_array(values, unit)


def numbers(*values: float) -> Any:
    return import_module("numpy").array(values)


QUANTITIES: Zoo = {
    "pint quantity": Specimen(
        lambda: pint_quantity(3.2, "m/s"), says=("Quantity · 3.2 m/s",), silent=("_magnitude",), needs=("pint",),
        changed=lambda: pint_quantity(3.2, "km/s"),
    ),
    "pint quantity of powers": Specimen(
        lambda: pint_quantity(2, "kg * m**2 / s**0.5"), says=("Quantity · 2 kg·m²/s^0.5",), needs=("pint",),
        changed=lambda: pint_quantity(3, "kg * m**2 / s**0.5"),
    ),
    "pint quantity without a unit": Specimen(
        lambda: pint_quantity(2.5, ""), says=("Quantity · 2.5 dimensionless",), needs=("pint",), changed=lambda: pint_quantity(2.5, "m"),
    ),
    "pint quantity of an array": Specimen(
        lambda: pint_quantity(numbers(1.0, 2, 3), "kilometer"), says=("Quantity · float64[3] · 1…3", " · km"), needs=("pint", "numpy"),
        facts={"shape": [3], "dtype": "float64", "stats.max": 3.0, "rows": [["unit", "km"]]},
        changed=lambda: pint_quantity(numbers(1.0, 2, 4), "kilometer"),
    ),
    "pint quantity of NaN": Specimen(
        lambda: pint_quantity(numbers(1, float("nan")), "m"), says=("1 NaN",), needs=("pint", "numpy"), changed=lambda: pint_quantity(numbers(1, 2), "m"),
    ),
    "pint unit": Specimen(
        lambda: of("pint", "Unit", "N*m"), says=("Unit · N·m",), needs=("pint",), changed=lambda: of("pint", "Unit", "N/m"),
    ),
    "astropy quantity of a number": Specimen(
        lambda: astropy_quantity(3.2, "m/s"), says=("Quantity · 3.2 m / s",), facts={"shape": [], "dtype": "float64"}, needs=("astropy",),
        changed=lambda: astropy_quantity(3.2, "km/s"),
    ),
    "astropy quantity of an array": Specimen(
        lambda: astropy_quantity([1.0, 2.0], "km"), says=("Quantity · float64[2] · 1…2", " · km"), facts={"shape": [2]}, needs=("astropy",),
        changed=lambda: astropy_quantity([1.0, 3.0], "km"),
    ),
    "astropy unit": Specimen(
        lambda: of("astropy.units", "Unit", "m/s"), says=("CompositeUnit · m / s",), needs=("astropy",), changed=lambda: of("astropy.units", "Unit", "m*s"),
    ),
    "unyt array": Specimen(
        lambda: unyt_array([1.0, 2.0, 3.0], "km"), says=("unyt_array · float64[3] · 1…3", " · km"), facts={"shape": [3], "dtype": "float64"}, needs=("unyt",),
        changed=lambda: unyt_array([1.0, 2.0, 3.0], "m"),
    ),
    "unyt quantity": Specimen(
        lambda: of("unyt", "unyt_quantity", 3.2, "m/s"), says=("unyt_quantity · 3.2 m/s",), needs=("unyt",),
        changed=lambda: of("unyt", "unyt_quantity", 3.3, "m/s"),
    ),
    "unyt unit": Specimen(
        lambda: import_module("unyt").km, says=("Unit · km",), needs=("unyt",), changed=lambda: import_module("unyt").mile,
    ),
}  # fmt: skip

SPECIMENS: Zoo = {**QUANTITIES}
