"""Kinds: what each type of value is, and how the kind of a value is chosen."""

from __future__ import annotations

from .kind import COMPUTED, Child, Elements, Kind, NotFound, NotStatic
from .registry import LIBRARIES, WRITTEN_OUT, as_kind, as_unmade, kind_of, libraries
from .rows import Property, Rows, TextRow

__all__ = [
    "COMPUTED",
    "LIBRARIES",
    "WRITTEN_OUT",
    "Child",
    "Elements",
    "Kind",
    "NotFound",
    "NotStatic",
    "Property",
    "Rows",
    "TextRow",
    "as_kind",
    "as_unmade",
    "kind_of",
    "libraries",
]
