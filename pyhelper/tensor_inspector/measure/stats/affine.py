"""Decides whether one tensor is another times a number or plus a number, for the whole or along one dimension."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .block_difference import cast, flat, library

if TYPE_CHECKING:
    from ...protocol import Relation

_FAR = 10  #: how many times as far apart as rounding explains the two must be
_ROWS = 3  #: of what each number is to be proved by


def affine(a: Any, b: Any, rtol: float, along: int | None = None) -> Relation | None:
    """How ``b`` is made of ``a``, to within ``rtol`` of its largest element; None where it is not, or not for sure.

    Both have one shape. The number is one for all, or one for each index of the dimension ``along``.
    """
    xp = library()
    if any("complex" in str(side.dtype) or "bool" in str(side.dtype) for side in (a, b)):
        return None
    x, y = (cast(flat(side, xp), xp.float64).reshape(tuple(side.shape)) for side in (a, b))
    largest = max(float(abs(x).max()), float(abs(y).max()))
    if not largest < math.inf:
        return None
    far = _FAR * rtol * largest
    if not float(abs(y - x).max()) > far:
        return None
    if along is None:
        found = _by(x.reshape(1, -1), y.reshape(1, -1), rtol, xp)
        return None if found is None else _relation(found[0], x, found[1])
    size = x.shape[along]
    if size < 2 or math.prod(x.shape) < _ROWS * size:
        return None
    one, other = (xp.moveaxis(side, along, 0).reshape(size, -1) for side in (x, y))
    found = _by(one, other, rtol, xp) if _vary(one, far, xp) else None
    return None if found is None else _relation(found[0], x, dim=along)


def _relation(name: Any, x: Any, value: float | None = None, dim: int | None = None) -> Relation:
    count = math.prod(x.shape)
    found: Relation = {"how": name, "close": True, "read": count, "count": count}
    if value is not None:
        found["value"] = value
    if dim is not None:
        found["dim"] = dim
    return found


def _by(x: Any, y: Any, rtol: float, xp: Any) -> tuple[str, float] | None:
    """How ``y`` follows from ``x`` in each row, shifted or multiplied, with the first row's number; None if neither."""
    shift = (y - x).mean(1).reshape(-1, 1)
    if _is_within(x + shift, y, rtol, xp):
        return "shifted", float(shift[0, 0])
    squares = (x * x).sum(1)
    factor = ((x * y).sum(1) / xp.where(squares > 0, squares, xp.ones_like(squares))).reshape(-1, 1)
    if _is_within(x * factor, y, rtol, xp) and bool((factor != 0).any()):
        return "multiplied", float(factor[0, 0])
    return None


def _is_within(made: Any, y: Any, rtol: float, xp: Any) -> bool:
    """Whether no element is farther off than rounding of the largest of its row explains."""
    largest = xp.maximum(xp.amax(abs(made), 1), xp.amax(abs(y), 1))
    return bool((xp.amax(abs(made - y), 1) <= rtol * largest).all())


def _vary(rows: Any, far: float, xp: Any) -> bool:
    """Whether each row has distinct elements: constant rows are always related."""
    return bool((xp.amax(rows, 1) - xp.amin(rows, 1) > far).all())
