"""Numbers that are known within an error: only the digits that are sure."""

from __future__ import annotations

from math import inf
from sys import float_info

from ..session import session
from .text import HUGE, number, tidied

_MAX_FLOAT = float_info.max


def bounded(value: float, error: float, digits: int = 0, about: bool = False) -> str:
    """``value`` with only the digits that ``|value - truth| <= error`` guarantees; 0: one less than preferred, 3.
    ``about``: marked with ≈ in any case.

    Where the rounding of the last digit is in doubt, one digit more may be sure: 0.0125 is neither 0.012 nor 0.013.

    >>> bounded(0.0123456, 1e-9), bounded(-3.7e-9, 1e-8), bounded(1.23456, 0.02), bounded(2.125, 1e-15)
    ('0.0123', '≈0', '1', '2.125')
    """
    digits = digits or session.preferred.digits - 1
    sign = "≈" if about else ""
    if error <= 0 or not -inf < value < inf:
        return sign + number(value, digits)
    if abs(value) <= error:
        return "≈0"
    low, high = value - error, value + error
    if not -_MAX_FLOAT <= low < high <= _MAX_FLOAT:
        low, high = max(low, -_MAX_FLOAT), min(high, _MAX_FLOAT)
    text = _agreed(low, high, digits) or _agreed(low, high, digits + 1)
    if text is not None:
        return sign + text
    for fewer in range(digits - 1, 0, -1):
        text = _agreed(low, high, fewer)
        if text is not None:
            return sign + text
    return "≈" + number(value, 1)


def _agreed(low: float, high: float, digits: int) -> str | None:
    """The text of both numbers with so many digits; None where it is not one."""
    text = f"{low:.{digits}g}"
    if text != f"{high:.{digits}g}":
        return None
    return tidied(text) if -HUGE < low < HUGE else number(low, digits)
