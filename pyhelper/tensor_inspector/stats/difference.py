"""How two tensors or arrays of one shape differ, element by element, in blocks and without a copy of either.

NaN equals NaN, an infinity itself. Integers are compared to the last digit; where one side is floating-point, both are
compared as float64 (complex128).
"""

from __future__ import annotations

import math
import sys
from contextlib import nullcontext
from typing import Any, TypedDict

from ..budget import Budget
from ..guard import instance_dict, module
from .layout import blocks
from .tally import Unread

_BLOCK = 1 << 15  # what torch works on with one thread: on busy cores, waiting for others costs more


class ValueDifference(TypedDict):
    """How the elements of two tensors or arrays of one shape differ, as far as ``read`` of ``count`` tell.

    ``max_abs`` is the largest |a - b|, found ``at`` that index, where the values are ``a`` and ``b``; ``max_rel`` the
    largest |a - b| / max(|a|, |b|) among finite ones. ``nan_in_one`` of those that are different are NaN on one side.
    """

    count: int
    read: int
    different: int
    nan_in_one: int
    max_abs: int | float
    max_rel: float
    at: list[int] | None
    a: int | float | complex | None
    b: int | float | complex | None


def difference(
    a: Any, b: Any, budget: Budget, *, rtol: float = 0.0, atol: float = 0.0, masks: tuple[Any, ...] = ()
) -> ValueDifference | Unread:
    """Where plain tensors or arrays ``a`` and ``b`` differ by more than ``atol + rtol·|b|``.

    The caller holds the guard, and has made sure that their memory can be read and that their shapes are the same.
    Counts are of the elements read: of all, unless the budget ends. What one of the ``masks``, boolean arrays of that
    shape, hides is neither compared nor counted.
    """
    if _is_wider(a) or _is_wider(b):
        return Unread("values not compared: wider than float64")
    (a, b, *hiding), repeats = _once(a, b, *masks)
    found: ValueDifference = {
        "count": math.prod(a.shape), "read": 0, "different": 0, "nan_in_one": 0,
        "max_abs": 0.0, "max_rel": 0.0, "at": None, "a": None, "b": None,
    }  # fmt: skip
    numpy = module("numpy")
    together: Any = zip(*(blocks(side, _BLOCK) for side in (a, b, *hiding))) if a.shape else [(a, b, *hiding)]
    hidden = 0
    with nullcontext() if numpy is None else numpy.errstate(all="ignore"):
        for x, y, *over in together if found["count"] else ():
            if budget.spent():
                break
            hidden += _compare(found, _Block(x), _Block(y), over, tuple(a.shape), rtol, atol)
    found["count"] -= hidden
    found["read"] -= hidden
    for amount in ("count", "read", "different", "nan_in_one"):
        found[amount] *= repeats
    return found if found["read"] or not found["count"] else Unread("values not compared: no time was left")


def _is_wider(value: Any) -> bool:
    """Whether float64 can't hold the elements: numpy's long doubles."""
    itemsize = {"f": 8, "c": 16}.get(getattr(value.dtype, "kind", ""), 0)
    return bool(itemsize and value.dtype.itemsize > itemsize)


def _once(*sides: Any) -> tuple[list[Any], int]:
    """All without the dimensions in which all repeat the same bytes, and how often they do."""
    repeats = 1
    where = []
    for size, *strides in zip(sides[0].shape, *map(_strides, sides)):
        repeated = size > 1 and not any(strides)
        repeats *= size if repeated else 1
        where.append(slice(0, 1) if repeated else slice(None))
    return [side[tuple(where)] for side in sides] if repeats > 1 else list(sides), repeats


def _strides(value: Any) -> Any:
    return value.stride() if hasattr(value, "untyped_storage") else value.strides


def library() -> Any:
    """What elements are compared with: torch where the program has it, else numpy."""
    torch: Any = module("torch")
    return torch if "Tensor" in instance_dict(torch) else sys.modules["numpy"]


def flat(part: Any) -> Any:
    """The elements of a tensor or array in one dimension, as a tensor or array of that library."""
    xp = library()
    part = part.reshape(-1)
    if hasattr(part, "untyped_storage"):
        return part.cpu()
    return _as_tensor(xp, part) if xp is not sys.modules["numpy"] else part


class _Block:
    """A block in two forms: as it is, and widened."""

    def __init__(self, part: Any) -> None:
        self.part, self.xp = flat(part), library()
        name = str(self.part.dtype).replace("torch.", "")
        self.whole = "int" in name or name == "bool"
        self.wide = cast(self.part, self.xp.complex128 if "complex" in name else self.xp.float64)


def _as_tensor(torch: Any, array: Any) -> Any:
    """A numpy block as a tensor of its own; torch knows neither longdouble nor foreign byte orders."""
    numpy = sys.modules["numpy"]
    kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
    name = {"b": "bool", "i": f"int{bits}", "u": f"uint{bits}", "f": "float64", "c": "complex128"}[kind]
    if not hasattr(torch, name):
        name = "int64"
    return torch.from_numpy(numpy.array(array, dtype=name))


def cast(part: Any, dtype: Any) -> Any:
    """A tensor or array of that library as another dtype of it."""
    return part.to(dtype) if hasattr(part, "untyped_storage") else part.astype(dtype)


def _compare(
    found: ValueDifference, x: _Block, y: _Block, masks: list[Any], shape: tuple[int, ...], rtol: float, atol: float
) -> int:
    """Take in what one block tells; returns how many of its elements are hidden."""
    xp, hidden = x.xp, 0
    start = found["read"]
    found["read"] += math.prod(x.wide.shape)
    one_nan = (x.wide != x.wide) ^ (y.wide != y.wide)
    unlike = _unlike(x.wide, y.wide)
    gap = abs(xp.where((x.wide != y.wide) & (x.wide == x.wide) & (y.wide == y.wide), x.wide - y.wide, 0 * one_nan))
    if x.whole and y.whole:  # numbers that float64 can't tell apart
        steps = cast(x.part, xp.int64) - cast(y.part, xp.int64)
        unlike = unlike | (steps != 0)
        gap = xp.where(gap < 2**52, cast(abs(steps), xp.float64), gap)
    size = abs(y.wide)
    if rtol or atol:
        unlike = unlike & (one_nan | ~((gap <= atol + rtol * size) & (gap < math.inf)) | ((gap == 0) & unlike))
        gap = xp.where(unlike, gap, xp.zeros_like(gap))
    for mask in masks:
        unlike = unlike & (flat(mask) == 0)
    if masks:
        hidden = int((sum(1 * (flat(mask) != 0) for mask in masks) > 0).sum())
        one_nan, gap = one_nan & unlike, xp.where(unlike, gap, xp.zeros_like(gap))
    if not unlike.any():
        return hidden
    found["different"] += int(unlike.sum())
    found["nan_in_one"] += int(one_nan.sum())
    size = xp.maximum(size, abs(x.wide))
    finite = (gap > 0) & (gap < math.inf) & (size < math.inf)
    relative = xp.where(finite, gap, xp.zeros_like(gap)) / xp.where(finite, size, xp.ones_like(gap))
    found["max_rel"] = max(found["max_rel"], float(relative.max()))
    where = int(gap.argmax()) if (gap > 0).any() else int((unlike * 1).argmax())
    if found["at"] is None or float(gap[where]) > found["max_abs"]:
        found["at"] = place(start + where, shape)
        a, b = x.part[where].item(), y.part[where].item()
        found["a"], found["b"] = a, b
        found["max_abs"] = abs(int(a) - int(b)) if x.whole and y.whole else float(gap[where])
    return hidden


def _unlike(x: Any, y: Any) -> Any:
    """Where two blocks differ, part by part of complex numbers; NaN is like NaN."""
    if "complex" in str(x.dtype) or "complex" in str(y.dtype):
        return _unlike(x.real, y.real) | _unlike(_imag(x), _imag(y))
    return (x != y) & ((x == x) | (y == y))


def _imag(x: Any) -> Any:
    return x.imag if "complex" in str(x.dtype) else 0 * x


def place(position: int, shape: tuple[int, ...]) -> list[int]:
    """The index of the element at that position in row-major order."""
    index = []
    for size in reversed(shape):
        position, within = divmod(position, size)
        index.append(within)
    return index[::-1]
