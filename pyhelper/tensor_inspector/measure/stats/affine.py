"""Decides whether one tensor is another times a number or plus a number, for the whole or along one dimension."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...safe.torch_name import torch_name
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
        one, other, is_possible = x.reshape(1, -1), y.reshape(1, -1), True
    else:
        size = x.shape[along]
        if size < 2 or math.prod(x.shape) < _ROWS * size:
            return None
        one, other = (xp.moveaxis(side, along, 0).reshape(size, -1) for side in (x, y))
        is_possible = _vary(one, far, xp)
    found = _by(one, other, rtol, xp) if is_possible else None
    return None if found is None else _relation(found, one, other, b, rtol, along, xp)


def _relation(found: tuple[str, Any], x: Any, y: Any, b: Any, rtol: float, dim: int | None, xp: Any) -> Relation:
    """The relation with the plainest numbers that explain it, and whether they make ``b`` of ``a`` exactly."""
    how, numbers = found
    count = math.prod(x.shape)
    off = rtol * float(abs(y).max()) if how == "shifted" else 0.0
    plain = [_plain(number, off or rtol * abs(number)) for number in numbers.reshape(-1).tolist()]
    is_exact = _is_exact(how, x, y, plain, torch_name(b.dtype), xp)
    relation: Relation = {"how": how, "close": not is_exact, "read": count, "count": count}  # type: ignore[typeddict-item]
    if dim is None:
        relation["value"] = plain[0]
    else:
        relation["dim"] = dim
    return relation


def _plain(number: float, off: float) -> float:
    """The one of the fewest digits that is no farther off: 0.1 for 0.1000000015, ⅓ for 0.33333334."""
    parts = [1 / round(1 / number)] if 0 < abs(number) < 1 else []
    texts = (float(f"{number:.{digits}g}") for digits in range(1, 17))
    return next((one for one in (*parts, *texts) if abs(one - number) <= off), number)


def _by(x: Any, y: Any, rtol: float, xp: Any) -> tuple[str, Any] | None:
    """How ``y`` follows from ``x`` in each row, shifted or multiplied, with the number of each; None if neither."""
    shift = (y - x).mean(1).reshape(-1, 1)
    if _is_within(x + shift, y, rtol, xp):
        return "shifted", shift
    squares = (x * x).sum(1)
    factor = ((x * y).sum(1) / xp.where(squares > 0, squares, xp.ones_like(squares))).reshape(-1, 1)
    if _is_within(x * factor, y, rtol, xp) and bool((factor != 0).any()):
        return "multiplied", factor
    return None


def _is_exact(how: str, x: Any, y: Any, numbers: list[float], dtype: str, xp: Any) -> bool:
    """Whether a library makes ``y`` of ``x`` by these numbers, or by what that dtype has of them: rounded once."""
    rounded = getattr(xp, dtype, None)
    if rounded is None:
        return False
    column = _column(numbers, xp)
    made = [x + column] if how == "shifted" else [x * column]
    if "float" in dtype:
        own = cast(cast(column, rounded), xp.float64)
        made.append(x + own if how == "shifted" else x * own)
    if how == "multiplied" and all(0 < abs(number) < 1 for number in numbers):
        made.append(x / _column([float(round(1 / number)) for number in numbers], xp))
    return any(bool((cast(cast(one, rounded), xp.float64) == y).all()) for one in made)


def _column(numbers: list[float], xp: Any) -> Any:
    return xp.asarray(numbers, dtype=xp.float64).reshape(-1, 1)


def _is_within(made: Any, y: Any, rtol: float, xp: Any) -> bool:
    """Whether no element is farther off than rounding of the largest of its row explains."""
    largest = xp.maximum(xp.amax(abs(made), 1), xp.amax(abs(y), 1))
    return bool((xp.amax(abs(made - y), 1) <= rtol * largest).all())


def _vary(rows: Any, far: float, xp: Any) -> bool:
    """Whether each row has distinct elements: constant rows are always related."""
    return bool((xp.amax(rows, 1) - xp.amin(rows, 1) > far).all())
