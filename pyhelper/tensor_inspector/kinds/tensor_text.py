"""Values of tensors and arrays: one of them, some as text."""

from __future__ import annotations

from typing import Any

from ..safe.guard import Classes, module
from ..words.text import exact_number, number, shorten
from .kind import NotFound, NotStatic

_VIEWED = Classes(int, slice, type(None), type(...), str)  #: subscripts that take no copy; strings name fields


def element(value: Any, key: Any) -> Any:
    """``value[key]`` of a plain tensor or array, a view of its memory; ``NotStatic`` where it would be a copy."""
    if any(type(part) not in _VIEWED for part in (key if type(key) is tuple else (key,))):
        raise NotStatic("such a subscript copies elements")
    try:
        return value[key]
    except (IndexError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise NotFound(str(error)) from None


def value_text(item: Any) -> str:
    """One element, as ``tolist`` gives it. Integers to the last digit."""
    cls = type(item)
    if cls is float or cls is int:
        return exact_number(item)
    if cls is complex:
        return f"{number(item.real)} {'−' if item.imag < 0 else '+'} {number(abs(item.imag))}i"
    return shorten(repr(item), 80) if cls in (bool, str, bytes) else str(item)


def listed_values(value: Any) -> Any:
    """``tolist``, also for dtypes of torch that have none."""
    if str(value.dtype) == "torch.complex32":
        value = _widened(value)
    try:
        return value.tolist()
    except (RuntimeError, TypeError, NotImplementedError):
        return (value.dequantize() if value.is_quantized else value.float()).tolist()


def _widened(value: Any) -> Any:
    """complex32 as complex64, by its parts: torch warns of what it does with it, and can't negate it."""
    torch: Any = module("torch")
    negative, conjugate = value.is_neg(), value.is_conj()
    beneath = torch._neg_view(value) if negative else value
    parts = torch.view_as_real(beneath.conj() if conjugate else beneath).float()
    parts = parts.neg() if negative else parts
    imag = parts.select(-1, 1)
    return torch.complex(parts.select(-1, 0), imag.neg() if conjugate else imag)


def corner(value: Any, rows: int = 4, columns: int = 6) -> str:
    """The first rows and columns of the last two dimensions of a tensor or array, a line a row."""
    sizes = value.shape
    while len(sizes) > 2:
        if sizes[0] == 0:
            return "[]"
        value, sizes = value[0], sizes[1:]
    if len(sizes) == 0:
        return value_text(listed_values(value))
    shown = value[:rows, :columns] if len(sizes) == 2 else value[:columns]
    listed, more = listed_values(shown), sizes[-1] > columns
    if len(sizes) == 1:
        return _row(listed, more)
    lines = [_row(row, more) for row in listed]
    return "\n".join([*lines, "…"] if sizes[0] > rows else lines)


def _row(listed: Any, more: bool) -> str:
    shown = ", ".join(map(value_text, listed))
    return f"[{shown}, …]" if more else f"[{shown}]"
