"""Values of tensors and arrays: one of them, some as text."""

from __future__ import annotations

from typing import Any

from ..text import number, shorten
from .kind import NotFound


def element(value: Any, key: Any) -> Any:
    """``value[key]`` of a plain tensor or array, a view of its memory."""
    try:
        return value[key]
    except (IndexError, TypeError, ValueError, RuntimeError) as error:
        raise NotFound(str(error)) from None


def value_text(item: Any) -> str:
    """One element, as ``tolist`` gives it. Integers to the last digit."""
    cls = type(item)
    if cls is complex:
        return f"{number(item.real)} {'−' if item.imag < 0 else '+'} {number(abs(item.imag))}i"
    if cls is int:
        return int.__repr__(item).replace("-", "−")
    return number(item) if cls is float else shorten(repr(item), 80) if cls in (bool, str, bytes) else str(item)


def listed_values(value: Any) -> Any:
    """``tolist``, also for dtypes of torch that have none."""
    try:
        return value.tolist()
    except (RuntimeError, TypeError, NotImplementedError):
        return (value.dequantize() if value.is_quantized else value.float()).tolist()


def corner(value: Any, rows: int = 4, columns: int = 6) -> str:
    """The first rows and columns of the last two dimensions of a tensor or array, a line a row."""
    while len(value.shape) > 2:
        if value.shape[0] == 0:
            return "[]"
        value = value[0]
    if len(value.shape) == 0:
        return value_text(listed_values(value))
    if len(value.shape) == 1:
        return _row(value, columns)
    lines: list[str] = [_row(value[index], columns) for index in range(min(rows, value.shape[0]))]
    return "\n".join(lines + (["…"] if value.shape[0] > rows else []))


def _row(value: Any, columns: int) -> str:
    shown = ", ".join(value_text(item) for item in listed_values(value[:columns]))
    return f"[{shown}, …]" if value.shape[0] > columns else f"[{shown}]"
