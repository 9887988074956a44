"""How two tensors or arrays of one shape differ, element by element, in blocks and without a copy of either.

NaN equals NaN, an infinity itself. Integers are compared to the last digit; where one side is floating-point, both are
compared as float64 (complex128), numpy's long doubles as such.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypedDict

from ...safe.budget import Budget
from ...safe.guard import instance_dict, module
from ..unread import Unread
from .layout import blocks, index_of

_LEAST = -(1 << 63)
#: What ``torch.testing.assert_close`` takes as close: rtol and atol, by dtype.
_CLOSE = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
_BLOCK = 1 << 15  # what torch works on with one thread: on busy cores, waiting for others costs more


if TYPE_CHECKING:

    class ValueDifference(TypedDict):
        """How the elements of two tensors or arrays of one shape differ, as far as ``read`` of ``count`` tell.

        ``max_abs`` is the largest |a - b|, found ``at`` that index, where the values are ``a`` and ``b``; ``max_rel``
        the largest |a - b| / max(|a|, |b|) among finite ones. ``nan_in_one`` of those that are different are NaN on one
        side. ``apart`` of them are farther apart than rounding explains: than ``torch.testing`` tolerates.
        """

        count: int
        read: int
        different: int
        apart: int
        nan_in_one: int
        max_abs: int | float
        max_rel: float
        at: list[int] | None
        a: int | float | complex | None
        b: int | float | complex | None


class PartialDifference:
    """How far the elements of two are compared, for a comparison that goes on where its time ended."""

    __slots__ = ("blocks", "found", "hidden")

    def __init__(self) -> None:
        self.found: ValueDifference | None = None
        self.blocks: Iterator[Any] = iter(())  #: those left of both, and of their masks
        self.hidden = 0

    def read(self) -> int:
        """How many elements are compared."""
        return 0 if self.found is None else self.found["read"]

    def share(self) -> float:
        """How much is compared, from 0 to 1."""
        return 0.0 if self.found is None or not self.found["count"] else self.found["read"] / self.found["count"]


def difference(
    a: Any,
    b: Any,
    budget: Budget,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    masks: tuple[Any, ...] = (),
    partial: PartialDifference | None = None,
) -> ValueDifference | Unread:
    """Where plain tensors or arrays ``a`` and ``b`` differ by more than ``atol + rtol·|b|``.

    The caller holds the guard, and has made sure that their memory can be read and that their shapes are the same.
    Counts are of the elements read: of all, unless the budget ends. What one of the ``masks``, boolean arrays of that
    shape, hides is neither compared nor counted. With the ``partial`` of an earlier call it goes on where that ended.
    """
    wider = _is_wider(a) or _is_wider(b)
    unknown = _is_unknown_to_torch(a) or _is_unknown_to_torch(b)
    if (wider or unknown) and (hasattr(a, "untyped_storage") or hasattr(b, "untyped_storage")):
        why = "wider than float64" if wider else "this torch has no uint64"
        return Unread("precision", f"values not compared: {why}")
    xp = sys.modules["numpy"] if wider or unknown else library()
    (a, b, *hiding), repeats = _once(a, b, *masks)
    at = PartialDifference() if partial is None else partial
    if at.found is None:
        at.found = {
            "count": math.prod(a.shape),
            "read": 0,
            "different": 0,
            "apart": 0,
            "nan_in_one": 0,
            "max_abs": 0.0,
            "max_rel": 0.0,
            "at": None,
            "a": None,
            "b": None,
        }
        together = zip(*(blocks(side, _BLOCK) for side in (a, b, *hiding))) if a.shape else [(a, b, *hiding)]
        at.blocks = iter(together if at.found["count"] else ())
    close = closeness(a, b)
    numpy = module("numpy")
    with nullcontext() if numpy is None else numpy.errstate(all="ignore"):
        # Of what is gone on with, something is read each time: the time may be over before the first block.
        read = at.found["read"] + at.hidden if partial is not None else -1
        while not budget.spent() or at.found["read"] + at.hidden == read:
            block = next(at.blocks, None)
            if block is None:
                break
            x, y, *over = block
            one, other = _Block(x, xp, wider), _Block(y, xp, wider)
            at.hidden += _compare(at.found, one, other, over, tuple(a.shape), rtol, atol, close)
    found = at.found.copy()
    found["count"] -= at.hidden
    found["read"] -= at.hidden
    for amount in ("count", "read", "different", "apart", "nan_in_one"):
        found[amount] *= repeats
    if found["count"] and not found["read"]:
        return Unread("no_time", "values not compared: no time was left")
    return found


def closeness(a: Any, b: Any) -> tuple[float, float] | None:
    """How far apart rounding may bring two: rtol and atol of the coarser dtype; None where one is no float."""
    known = [_CLOSE.get(str(side.dtype).replace("torch.", "")) for side in (a, b)]
    return None if None in known else max(pair for pair in known if pair is not None)


def _is_wider(value: Any) -> bool:
    """Whether float64 can't hold the elements: numpy's long doubles."""
    itemsize = {"f": 8, "c": 16}.get(getattr(value.dtype, "kind", ""), 0)
    return bool(itemsize and value.dtype.itemsize > itemsize)


def _is_unknown_to_torch(value: Any) -> bool:
    return str(value.dtype) == "uint64" and not hasattr(library(), "uint64")


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


def flat(part: Any, xp: Any = None) -> Any:
    """The elements of a tensor or array in one dimension, as a tensor or array of that library."""
    xp = library() if xp is None else xp
    part = part.reshape(-1)
    if hasattr(part, "untyped_storage"):
        return part.cpu()
    return _as_tensor(xp, part) if xp is not sys.modules["numpy"] else part


class _Block:
    """A block in two forms: as it is, and widened."""

    def __init__(self, part: Any, xp: Any, wider: bool) -> None:
        self.part, self.xp = flat(part, xp), xp
        name = str(self.part.dtype).replace("torch.", "")
        self.whole = "int" in name or name == "bool"
        self.unsigned = name == "uint64"
        is_complex = "complex" in name
        if wider:
            self.wide = cast(self.part, xp.clongdouble if is_complex else xp.longdouble)
        else:
            self.wide = cast(self.part, xp.complex128 if is_complex else xp.float64)


def _steps(x: _Block, y: _Block) -> Any:
    """How far apart integers are, exactly: as 64 bits without a sign, less 2⁶³ so that a type with one orders them.

    None where one side alone goes beyond int64.
    """
    a, b = (cast(side.part, side.xp.int64) for side in (x, y))
    both = x.unsigned and y.unsigned
    if not both and any(side.unsigned and (part < 0).any() for side, part in ((x, a), (y, b))):
        return None
    more = (a ^ _LEAST) > (b ^ _LEAST) if both else a > b
    return x.xp.where(more, a - b, b - a) ^ _LEAST


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
    found: ValueDifference,
    x: _Block,
    y: _Block,
    masks: list[Any],
    shape: tuple[int, ...],
    rtol: float,
    atol: float,
    close: tuple[float, float] | None,
) -> int:
    """Take in what one block tells; returns how many of its elements are hidden."""
    xp, hidden, whole = x.xp, 0, x.whole and y.whole
    start = found["read"]
    found["read"] += math.prod(x.wide.shape)
    unlike = _unlike(x.wide, y.wide)
    if whole:  # numbers that float64 can't tell apart
        unlike = unlike | (cast(x.part, xp.int64) != cast(y.part, xp.int64))
    if masks:
        over = sum(1 * (flat(mask, xp) != 0) for mask in masks) > 0
        hidden, unlike = int(over.sum()), unlike & ~over
    if not unlike.any():
        return hidden
    one_nan = (x.wide != x.wide) ^ (y.wide != y.wide)
    gap = abs(xp.where((x.wide != y.wide) & (x.wide == x.wide) & (y.wide == y.wide), x.wide - y.wide, 0 * one_nan))
    steps = _steps(x, y) if whole else None
    if steps is not None:
        low = cast(steps ^ _LEAST, xp.float64)
        gap = xp.where(steps < 0, low, low + 2.0**64)
    size = abs(y.wide)
    if rtol or atol:
        within = (gap <= atol + rtol * size) & (gap < math.inf)
        if steps is not None and not rtol:
            within = steps <= min(int(atol), (1 << 64) - 1) + _LEAST
        unlike = unlike & (one_nan | ~within | (gap == 0))
        if not unlike.any():
            return hidden
    one_nan, gap = one_nan & unlike, xp.where(unlike, gap, xp.zeros_like(gap))
    found["different"] += int(unlike.sum())
    near = None if close is None else (gap > 0) & (gap < math.inf) & (gap <= close[1] + close[0] * size)
    found["apart"] += int((unlike if near is None else unlike & ~near).sum())
    found["nan_in_one"] += int(one_nan.sum())
    size = xp.maximum(size, abs(x.wide))
    finite = (gap > 0) & (gap < math.inf) & (size < math.inf)
    relative = xp.where(finite, gap, xp.zeros_like(gap)) / xp.where(finite, size, xp.ones_like(gap))
    found["max_rel"] = max(found["max_rel"], float(relative.max()))
    order = gap if steps is None else xp.where(unlike, steps, xp.full_like(steps, _LEAST))
    where = int(order.argmax()) if (gap > 0).any() else int((unlike * 1).argmax())
    a, b = x.part[where].item(), y.part[where].item()
    farthest = abs(int(a) - int(b)) if whole else float(gap[where])
    if found["at"] is None or farthest > found["max_abs"]:
        found["at"] = index_of(start + where, shape)
        found["a"], found["b"], found["max_abs"] = a, b, farthest
    return hidden


def _unlike(x: Any, y: Any) -> Any:
    """Where two blocks differ, part by part of complex numbers; NaN is like NaN."""
    if "complex" in str(x.dtype) or "complex" in str(y.dtype):
        return _unlike(x.real, y.real) | _unlike(_imag(x), _imag(y))
    return (x != y) & ((x == x) | (y == y))


def _imag(x: Any) -> Any:
    return x.imag if "complex" in str(x.dtype) else 0 * x
