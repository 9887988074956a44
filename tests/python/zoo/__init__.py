"""Kinds of values that a paused program may hold: each with how to make it and what must be said of it.

A table a family. `zoo` joins them under unique names; `test_zoo.py` looks at each in a child process of its own.
"""

from __future__ import annotations

from . import (
    alarms,
    arrays,
    beside,
    configurations,
    cuda,
    declared,
    dense,
    fields,
    foreign,
    frameworks,
    gaps,
    kept,
    libraries,
    objects,
    settings,
    tensors,
    training,
)
from .specimen import Specimen, Zoo

__all__ = ["Specimen", "zoo"]

_FAMILIES = (
    dense,
    tensors,
    training,
    arrays,
    libraries,
    declared,
    foreign,
    kept,
    alarms,
    fields,
    gaps,
    beside,
    configurations,
    frameworks,
    settings,
    objects,
    cuda,
)
zoo: Zoo = {
    f"{family.__name__.rpartition('.')[2]}: {name}": specimen
    for family in _FAMILIES
    for name, specimen in family.SPECIMENS.items()
}
