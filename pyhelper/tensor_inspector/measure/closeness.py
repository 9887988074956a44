"""How close two tensors or arrays of one shape are: what is beyond a tolerance, and what is farthest apart."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ..safe.guard import module
from ..safe.torch_name import torch_name
from .composed import like_of, read_part
from .stats.block_difference import LEAST, BlockGaps, cast, flat, within
from .stats.difference import Paired, once, paired, together
from .stats.layout import index_of
from .unread import Unread

if TYPE_CHECKING:
    from typing import Literal, TypedDict

    _Count = Literal[
        "count", "read", "masked", "masked_in_one", "different", "beyond", "nan_in_one", "nan_in_both", "inf_in_one"
    ]

    class Farthest(TypedDict):
        """Where the two elements are that are farthest apart, ``by`` so much."""

        by: int | float
        at: list[int]

    class FoundCloseness(TypedDict):
        """What is known from ``read`` of ``count`` elements.

        ``masked`` of those that were looked at are hidden by a mask, and neither compared nor counted;
        ``masked_in_one`` of these on one side alone. ``different`` is how many are not equal, ``beyond`` how many of
        these are farther apart than is tolerated; NaN is equal to NaN. ``nan_in_one`` are NaN on one side alone,
        ``inf_in_one`` infinite on one side alone or with another sign. Of two finite numbers ``relative`` is
        |a - b| / |b|, where b is not 0. ``ulps`` counts the floats from one to the other, where both are of one
        floating dtype.
        """

        count: int
        read: int
        masked: int
        masked_in_one: int
        different: int
        beyond: int
        nan_in_one: int
        nan_in_both: int
        inf_in_one: int
        max_abs: Farthest | None
        max_relative: Farthest | None
        max_ulps: Farthest | None


_COUNTS: tuple[_Count, ...] = (
    "count", "read", "masked", "masked_in_one", "different", "beyond", "nan_in_one", "nan_in_both", "inf_in_one",
)  # fmt: skip
_FLOATS = ("float", "bfloat")  #: how the names of dtypes with a last place begin


class Closeness:
    """The closeness of two, block by block: ``found`` is what is known so far."""

    def __init__(self, a: Any, b: Any, rtol: float, atol: float) -> None:
        """The caller holds the guard. Raises ``ValueError`` with a sentence where the two can't be compared."""
        how = paired(like_of(a), like_of(b))
        if isinstance(how, Unread):
            raise ValueError(how.text)
        self._how: Paired = how
        self._tolerance = rtol, atol
        (self._a, self._b), self._repeats = once(a, b)
        self._has_ulps = _has_places(like_of(a), like_of(b))
        self.total = math.prod(map(int, self._a.shape))
        self._looked_at = 0
        self._found: FoundCloseness = {
            "count": 0,
            "read": 0,
            "masked": 0,
            "masked_in_one": 0,
            "different": 0,
            "beyond": 0,
            "nan_in_one": 0,
            "nan_in_both": 0,
            "inf_in_one": 0,
            "max_abs": None,
            "max_relative": None,
            "max_ulps": None,
        }

    def steps(self) -> Iterator[int]:
        """Reads both, in steps of so many elements."""
        numpy = module("numpy")
        for x, y in together(self._a, self._b):
            with nullcontext() if numpy is None else numpy.errstate(all="ignore"):
                amount = self._add(x, y)
            yield amount

    def found(self) -> FoundCloseness:
        found = self._found.copy()
        found["count"], found["read"] = self.total - found["masked"], self._looked_at - found["masked"]
        for amount in _COUNTS:
            found[amount] *= self._repeats
        return found

    def _add(self, one: Any, other: Any) -> int:
        """Compares two blocks, and returns of how many elements they are."""
        found, start, amount = self._found, self._looked_at, math.prod(map(int, one.shape))
        self._looked_at += amount
        one, other, places = self._there(one, other)
        x, y = self._how.block(one), self._how.block(other)
        both_nan = (x.wide != x.wide) & (y.wide != y.wide)
        found["nan_in_both"] += int(both_nan.sum())
        gaps = BlockGaps(x, y)
        unlike = gaps.unlike & ~both_nan  # complex numbers with NaN may differ in their other part
        if not unlike.any():
            return amount
        xp, one_nan, (gap, steps), size = x.xp, gaps.one_nan(), gaps.sizes(), abs(y.wide)
        nothing, infinite = xp.zeros_like(gap), xp.full_like(gap, math.inf)
        gap = xp.where(gap == gap, gap, infinite)  # of complex numbers, between infinities
        is_infinite = unlike & ~one_nan & ((abs(x.wide) == math.inf) | (size == math.inf))
        found["different"] += int(unlike.sum())
        found["beyond"] += int((unlike & (one_nan | ~within(gap, steps, size, *self._tolerance))).sum())
        found["nan_in_one"] += int(one_nan.sum())
        found["inf_in_one"] += int(is_infinite.sum())

        def at_end(before: Farthest | None, where: int, by: float) -> Farthest | None:
            """The one before, unless that at a place of this block is farther."""
            if by <= (0 if before is None else before["by"]):
                return before
            place = where if places is None else int(places[where])
            return {"by": by, "at": index_of(start + place, tuple(self._a.shape))}

        at = int((gap if steps is None else steps).argmax())
        is_whole = x.whole and y.whole
        by = abs(int(x.part[at].item()) - int(y.part[at].item())) if is_whole else float(gap[at])
        found["max_abs"] = at_end(found["max_abs"], at, by)
        has_share = (size > 0) & (size < math.inf) & (gap < math.inf)
        share = xp.where(has_share, gap, nothing) / xp.where(has_share, size, nothing + 1)
        at = int(share.argmax())
        found["max_relative"] = at_end(found["max_relative"], at, float(share[at]))
        if self._has_ulps:
            ulps = _ulps(one, other, unlike & (abs(x.wide) < math.inf) & (size < math.inf), xp)
            at = int(ulps.argmax())
            found["max_ulps"] = at_end(found["max_ulps"], at, int(ulps[at]) - LEAST)
        return amount

    def _there(self, one: Any, other: Any) -> tuple[Any, Any, Any]:
        """What no mask hides of two blocks, and the places of that; None where all are there."""
        (one, over_one), (other, over_other) = read_part(one), read_part(other)
        masks = [flat(mask, self._how.xp) for mask in (over_one, over_other) if mask is not None]
        hidden = masks[0] | masks[-1] if masks else None
        if hidden is None or not bool(hidden.any()):
            return one, other, None
        alone = masks[0] ^ masks[1] if len(masks) == 2 else hidden
        self._found["masked"] += int(hidden.sum())
        self._found["masked_in_one"] += int(alone.sum())
        (places,) = self._how.xp.where(~hidden)
        return _picked(one, places), _picked(other, places), places


def _picked(block: Any, places: Any) -> Any:
    """The elements of a block at some places."""
    if hasattr(block, "untyped_storage"):
        return block.reshape(-1).cpu()[places]
    return block.reshape(-1)[places.numpy() if hasattr(places, "untyped_storage") else places]


def _has_places(a: Any, b: Any) -> bool:
    """Whether both are of one floating dtype, whose bits are in the order of its numbers."""
    name = torch_name(a.dtype)
    return name == torch_name(b.dtype) and name.startswith(_FLOATS) and _width(a) <= 8 and not _is_fnuz(name)


def _is_fnuz(name: str) -> bool:
    """Whether the bits of −0 are NaN, and those of exponents alone have no sign."""
    return name.endswith(("fnuz", "e8m0fnu")) or "float4" in name


def _width(side: Any) -> int:
    return int(side.element_size() if hasattr(side, "untyped_storage") else side.dtype.itemsize)


def _ulps(one: Any, other: Any, are_told: Any, xp: Any) -> Any:
    """How many floats on one is from the other, less 2⁶³; none where that is not told."""
    a, b = _ordered(one, xp), _ordered(other, xp)
    return xp.where(are_told, xp.where(a > b, a - b, b - a) ^ LEAST, xp.full_like(a, LEAST))


def _ordered(part: Any, xp: Any) -> Any:
    """Floats as integers of 64 bits in the same order, neighbours as neighbours; both zeros are 0."""
    width = _width(part)
    if hasattr(part, "untyped_storage"):
        torch = module("torch")
        bits = part.cpu().resolve_neg().reshape(-1).contiguous().view(getattr(torch, f"int{8 * width}"))
    else:
        numpy = sys.modules["numpy"]
        bits = numpy.ascontiguousarray(part.reshape(-1), part.dtype.newbyteorder("=")).view(f"i{width}")
    whole = cast(flat(bits, xp), xp.int64)
    return xp.where(whole < 0, -(1 << (8 * width - 1)) - whole, whole)
