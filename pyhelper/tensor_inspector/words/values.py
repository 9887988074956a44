"""The text of single elements, and of the first rows and columns of a tensor or array."""

from __future__ import annotations

from typing import Any

from ..measure.values import corner
from .text import exact_number, shorten


def value_text(item: Any) -> str:
    """One element, as ``tolist`` gives it. Integers to the last digit."""
    cls = type(item)
    if cls is float or cls is int:
        return exact_number(item)
    if cls is complex:
        return f"{exact_number(item.real)} {'−' if item.imag < 0 else '+'} {exact_number(abs(item.imag))}i"
    return shorten(repr(item), 80) if cls in (bool, str, bytes) else str(item)


def corner_text(value: Any) -> str:
    """The first rows and columns of the last two dimensions of a tensor or array, a line a row."""
    first = corner(value)
    if first.dimensions == 0:
        return value_text(first.values)
    if first.dimensions == 1:
        return _row(first.values, first.more_columns)
    lines = [_row(row, first.more_columns) for row in first.values]
    return "\n".join([*lines, "…"] if first.more_rows else lines)


def _row(listed: Any, more: bool) -> str:
    shown = ", ".join(map(value_text, listed))
    return f"[{shown}, …]" if more else f"[{shown}]"
