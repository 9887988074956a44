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


def difference(a: Any, b: Any, budget: Budget, *, rtol: float = 0.0, atol: float = 0.0) -> ValueDifference | Unread:
    """Where plain tensors or arrays ``a`` and ``b`` differ by more than ``atol + rtol·|b|``.

    The caller holds the guard, and has made sure that their memory can be read and that their shapes are the same.
    Counts are of the elements read: of all, unless the budget ends.
    """
    if _is_wider(a) or _is_wider(b):
        return Unread("values not compared: wider than float64")
    a, b, repeats = _once(a, b)
    found: ValueDifference = {
        "count": math.prod(a.shape), "read": 0, "different": 0, "nan_in_one": 0,
        "max_abs": 0.0, "max_rel": 0.0, "at": None, "a": None, "b": None,
    }  # fmt: skip
    numpy = module("numpy")
    pairs = zip(blocks(a, _BLOCK), blocks(b, _BLOCK)) if a.shape else [(a, b)]
    with nullcontext() if numpy is None else numpy.errstate(all="ignore"):
        for x, y in pairs if found["count"] else ():
            if budget.spent():
                break
            _compare(found, _Block(x), _Block(y), tuple(a.shape), rtol, atol)
    for amount in ("count", "read", "different", "nan_in_one"):
        found[amount] *= repeats
    return found if found["read"] or not found["count"] else Unread("values not compared: no time was left")


def _is_wider(value: Any) -> bool:
    """Whether float64 can't hold the elements: numpy's long doubles."""
    itemsize = {"f": 8, "c": 16}.get(getattr(value.dtype, "kind", ""), 0)
    return bool(itemsize and value.dtype.itemsize > itemsize)


def _once(a: Any, b: Any) -> tuple[Any, Any, int]:
    """Both without the dimensions in which both repeat the same bytes, and how often they do."""
    repeats = 1
    where = []
    for size, one, other in zip(a.shape, _strides(a), _strides(b)):
        repeated = size > 1 and one == other == 0
        repeats *= size if repeated else 1
        where.append(slice(0, 1) if repeated else slice(None))
    return (a[tuple(where)], b[tuple(where)], repeats) if repeats > 1 else (a, b, 1)


def _strides(value: Any) -> Any:
    return value.stride() if hasattr(value, "untyped_storage") else value.strides


class _Block:
    """A block in two forms: as it is, and widened; torch's where the program has torch, else numpy's."""

    def __init__(self, part: Any) -> None:
        torch: Any = module("torch")
        self.part = part.reshape(-1)
        self.xp: Any = torch if "Tensor" in instance_dict(torch) else sys.modules["numpy"]
        xp = self.xp
        if xp is torch and not hasattr(part, "untyped_storage"):
            self.part = _as_tensor(torch, self.part)
        elif xp is torch:
            self.part = self.part.cpu()
        name = str(self.part.dtype).replace("torch.", "")
        self.whole = "int" in name or name == "bool"
        self.wide = _cast(self.part, xp.complex128 if "complex" in name else xp.float64)


def _as_tensor(torch: Any, array: Any) -> Any:
    """A numpy block as a tensor of its own; torch knows neither longdouble nor foreign byte orders."""
    numpy = sys.modules["numpy"]
    kind, bits = array.dtype.kind, 8 * array.dtype.itemsize
    name = {"b": "uint8", "i": f"int{bits}", "u": f"uint{bits}", "f": "float64", "c": "complex128"}[kind]
    if not hasattr(torch, name):
        name = "int64"
    return torch.from_numpy(numpy.array(array, dtype=name))


def _cast(part: Any, dtype: Any) -> Any:
    return part.to(dtype) if hasattr(part, "untyped_storage") else part.astype(dtype)


def _compare(found: ValueDifference, x: _Block, y: _Block, shape: tuple[int, ...], rtol: float, atol: float) -> None:
    xp = x.xp
    start = found["read"]
    found["read"] += math.prod(x.wide.shape)
    one_nan = (x.wide != x.wide) ^ (y.wide != y.wide)
    unlike = _unlike(x.wide, y.wide)
    gap = abs(xp.where((x.wide != y.wide) & (x.wide == x.wide) & (y.wide == y.wide), x.wide - y.wide, 0 * one_nan))
    if x.whole and y.whole:  # numbers that float64 can't tell apart
        steps = _cast(x.part, xp.int64) - _cast(y.part, xp.int64)
        unlike = unlike | (steps != 0)
        gap = xp.where(gap < 2**52, _cast(abs(steps), xp.float64), gap)
    size = abs(y.wide)
    if rtol or atol:
        unlike = unlike & (one_nan | ~((gap <= atol + rtol * size) & (gap < math.inf)) | ((gap == 0) & unlike))
        gap = xp.where(unlike, gap, xp.zeros_like(gap))
    if not unlike.any():
        return
    found["different"] += int(unlike.sum())
    found["nan_in_one"] += int(one_nan.sum())
    size = xp.maximum(size, abs(x.wide))
    finite = (gap > 0) & (gap < math.inf) & (size < math.inf)
    relative = xp.where(finite, gap, xp.zeros_like(gap)) / xp.where(finite, size, xp.ones_like(gap))
    found["max_rel"] = max(found["max_rel"], float(relative.max()))
    where = int(gap.argmax()) if (gap > 0).any() else int((unlike * 1).argmax())
    if found["at"] is None or float(gap[where]) > found["max_abs"]:
        found["at"] = _place(start + where, shape)
        a, b = x.part[where].item(), y.part[where].item()
        found["a"], found["b"] = a, b
        found["max_abs"] = abs(int(a) - int(b)) if x.whole and y.whole else float(gap[where])


def _unlike(x: Any, y: Any) -> Any:
    """Where two blocks differ, part by part of complex numbers; NaN is like NaN."""
    if "complex" in str(x.dtype) or "complex" in str(y.dtype):
        return _unlike(x.real, y.real) | _unlike(_imag(x), _imag(y))
    return (x != y) & ((x == x) | (y == y))


def _imag(x: Any) -> Any:
    return x.imag if "complex" in str(x.dtype) else 0 * x


def _place(flat: int, shape: tuple[int, ...]) -> list[int]:
    """The index of the element that is the ``flat``-th in row-major order."""
    place = []
    for size in reversed(shape):
        flat, index = divmod(flat, size)
        place.append(index)
    return place[::-1]
