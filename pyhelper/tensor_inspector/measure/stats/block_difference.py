"""How one block of elements differs from another, to the last digit."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from ...safe.guard import instance_dict, module
from ...safe.torch_name import torch_name
from .layout import index_of

LEAST = -(1 << 63)
_EXACT = 2.0**53  #: integers up to which float64 has each

if TYPE_CHECKING:
    from typing import TypedDict

    class ValueDifference(TypedDict):
        """How the elements of two tensors or arrays of one shape differ, from ``read`` of ``count`` elements.

        ``max_abs`` is the largest |a - b|, found ``at`` that index, where the values are ``a`` and ``b``; ``relative``
        is that as a share of the larger of these two, |a - b| / max(|a|, |b|): from 0 to 2, or Inf. ``nan_in_one`` of
        those that are different are NaN on one side. ``apart`` of them are farther apart than rounding explains: than
        ``torch.testing`` tolerates.
        """

        count: int
        read: int
        different: int
        apart: int
        nan_in_one: int
        max_abs: int | float
        relative: float
        at: list[int] | None
        a: int | float | complex | None
        b: int | float | complex | None


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


class Block:
    """A block of one of the two in one dimension: as it is (``part``), and as float64 or wider (``wide``)."""

    def __init__(self, part: Any, xp: Any, wider: bool) -> None:
        self.part, self.xp = flat(part, xp), xp
        name = torch_name(self.part.dtype)
        self.whole = "int" in name or name == "bool"
        self.unsigned = name == "uint64"
        is_complex = "complex" in name
        if wider:
            self.wide = cast(self.part, xp.clongdouble if is_complex else xp.longdouble)
        else:
            self.wide = cast(self.part, xp.complex128 if is_complex else xp.float64)


def _integer_gap(x: Block, y: Block) -> Any:
    """How far apart integers are, exactly: as 64 bits without a sign, less 2⁶³ so that a type with one orders them.

    None where one side alone goes beyond int64.
    """
    a, b = (cast(side.part, side.xp.int64) for side in (x, y))
    both = x.unsigned and y.unsigned
    if not both and any(side.unsigned and (part < 0).any() for side, part in ((x, a), (y, b))):
        return None
    more = (a ^ LEAST) > (b ^ LEAST) if both else a > b
    return x.xp.where(more, a - b, b - a) ^ LEAST


def _beyond_float64(x: Block, y: Block) -> Any:
    """What float64 leaves out of the integers beside floats, x less y; None where that is nothing."""
    of_x, of_y = (_left_out(side) if side.whole else None for side in (x, y))  # of integers beside floats, at most one
    return -of_y if of_y is not None else of_x


def _left_out(block: Block) -> Any:
    """The integers less what they are as float64: each half of their bits is exact there."""
    if "int64" not in str(block.part.dtype) or not (abs(block.wide) >= _EXACT).any():
        return None
    part = cast(block.part, block.xp.int64)
    high = (part >> 32) & 0xFFFFFFFF if block.unsigned else part >> 32
    upper, lower = (cast(half, block.wide.dtype) for half in (high, part & 0xFFFFFFFF))
    return upper * 2.0**32 - block.wide + lower


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


class BlockGaps:
    """Where two blocks differ (``unlike``), where one alone is NaN, and how far apart the elements are."""

    def __init__(self, x: Block, y: Block) -> None:
        self._x, self._y, self._whole = x, y, x.whole and y.whole
        xp = x.xp
        self.unlike = _unlike(x.wide, y.wide)
        if self._whole:  # numbers that float64 can't tell apart
            self.unlike = self.unlike | (cast(x.part, xp.int64) != cast(y.part, xp.int64))
        self._rest = None if self._whole else _beyond_float64(x, y)
        if self._rest is not None:
            self.unlike = self.unlike | (self._rest != 0)

    def one_nan(self) -> Any:
        x, y = self._x.wide, self._y.wide
        return (x != x) ^ (y != y)

    def sizes(self) -> tuple[Any, Any]:
        """|x - y| as floats, 0 where one is NaN; of integers also exactly, as `_integer_gap` has it, where it can."""
        x, y, xp = self._x, self._y, self._x.xp
        nothing, both = 0 * self.one_nan(), (x.wide == x.wide) & (y.wide == y.wide)
        if self._rest is None:
            gap = abs(xp.where((x.wide != y.wide) & both, x.wide - y.wide, nothing))
        else:
            gap = abs(xp.where(self.unlike & both, x.wide - y.wide + self._rest, nothing))
        steps = _integer_gap(x, y) if self._whole else None
        return (gap if steps is None else floats_of(steps, xp)), steps


def floats_of(steps: Any, xp: Any) -> Any:
    """64 bits without a sign, kept less 2⁶³, as float64."""
    low = cast(steps ^ LEAST, xp.float64)
    return xp.where(steps < 0, low, low + 2.0**64)


def within(gap: Any, steps: Any, size: Any, rtol: float, atol: float) -> Any:
    """Where two are as close as is tolerated; nothing is close to an infinity but itself."""
    if steps is not None and not rtol:
        return steps <= min(int(atol), (1 << 64) - 1) + LEAST
    return (gap <= atol + rtol * size) & (gap < math.inf)


def compare_blocks(
    found: ValueDifference,
    x: Block,
    y: Block,
    masks: list[Any],
    shape: tuple[int, ...],
    rtol: float,
    atol: float,
    close: tuple[float, float] | None,
) -> int:
    """Adds the differences of one block to ``found``; returns how many of its elements are masked."""
    xp, hidden, whole = x.xp, 0, x.whole and y.whole
    start = found["read"]
    found["read"] += math.prod(x.wide.shape)
    gaps = BlockGaps(x, y)
    unlike = gaps.unlike
    if masks:
        over = sum(1 * (flat(mask, xp) != 0) for mask in masks) > 0
        hidden, unlike = int(over.sum()), unlike & ~over
    if not unlike.any():
        return hidden
    one_nan, (gap, steps), size = gaps.one_nan(), gaps.sizes(), abs(y.wide)
    if rtol or atol:
        unlike = unlike & (one_nan | ~within(gap, steps, size, rtol, atol) | (gap == 0))
        if not unlike.any():
            return hidden
    one_nan, gap = one_nan & unlike, xp.where(unlike, gap, xp.zeros_like(gap))
    found["different"] += int(unlike.sum())
    near = None if close is None else (gap > 0) & (gap < math.inf) & (gap <= close[1] + close[0] * size)
    found["apart"] += int((unlike if near is None else unlike & ~near).sum())
    found["nan_in_one"] += int(one_nan.sum())
    order = gap if steps is None else xp.where(unlike, steps, xp.full_like(steps, LEAST))
    where = int(order.argmax()) if (gap > 0).any() else int((unlike * 1).argmax())
    a, b = x.part[where].item(), y.part[where].item()
    farthest = abs(int(a) - int(b)) if whole else float(gap[where])
    if found["at"] is None or farthest > found["max_abs"]:
        found["at"] = index_of(start + where, shape)
        found["a"], found["b"], found["max_abs"] = a, b, farthest
        found["relative"] = _relative(a, b, farthest)
    return hidden


def _relative(a: complex, b: complex, gap: float) -> float:
    if gap == math.inf:
        return math.inf
    largest = max(_size(a), _size(b))
    return float(gap / largest) if largest and largest < math.inf else 0.0


def _size(number: complex) -> float:
    try:
        return abs(number)
    except OverflowError:  # of a complex number's magnitude
        return math.inf


def _unlike(x: Any, y: Any) -> Any:
    """Where two blocks differ, part by part of complex numbers; NaN is like NaN."""
    if "complex" in str(x.dtype) or "complex" in str(y.dtype):
        return _unlike(x.real, y.real) | _unlike(_imag(x), _imag(y))
    return (x != y) & ((x == x) | (y == y))


def _imag(x: Any) -> Any:
    return x.imag if "complex" in str(x.dtype) else 0 * x
