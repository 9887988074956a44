"""Some elements of a tensor or array as Python numbers."""

from __future__ import annotations

from typing import Any

from ..safe.guard import module
from ..safe.record import Record
from .stats import device


class Corner(Record):
    """The first rows and columns of the last two dimensions: a number, a list, or a list of rows.

    ``more_rows`` and ``more_columns`` tell whether there are others.
    """

    values: Any
    dimensions: int
    more_rows: bool = False
    more_columns: bool = False


def corner(value: Any, rows: int = 4, columns: int = 6) -> Corner:
    sizes = value.shape
    while len(sizes) > 2:
        if sizes[0] == 0:
            return Corner([], 1)
        value, sizes = value[0], sizes[1:]
    if len(sizes) == 0:
        return Corner(listed_values(value), 0)
    shown = value[:rows, :columns] if len(sizes) == 2 else value[:columns]
    return Corner(listed_values(shown), len(sizes), len(sizes) == 2 and sizes[0] > rows, sizes[-1] > columns)


def listed_values(value: Any) -> Any:
    """``tolist``, also for dtypes of torch that have none."""
    if not getattr(value, "is_cpu", True) and value.numel():
        value = device.at_hand(value)
    if getattr(value.dtype, "is_complex", False) and str(value.dtype) == "torch.complex32":
        value = _widened(value)
    try:
        return value.tolist()
    except (RuntimeError, TypeError, NotImplementedError):
        return (value.dequantize() if value.is_quantized else value.float()).tolist()


def _widened(value: Any) -> Any:
    """complex32 as complex64, by its parts: torch warns of what it does with it, and can't negate it."""
    torch: Any = module("torch")
    negative, conjugate = value.is_neg(), value.is_conj()
    stored = torch._neg_view(value) if negative else value
    parts = torch.view_as_real(stored.conj() if conjugate else stored).float()
    parts = parts.neg() if negative else parts
    imag = parts.select(-1, 1)
    return torch.complex(parts.select(-1, 0), imag.neg() if conjugate else imag)
