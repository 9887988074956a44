"""Planes of |a - b|, computed block by block where they are read: none of their size is ever there."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from ...measure.composed import ComposedElements, is_composed, read_part
from ...measure.stats.block_difference import BlockGaps, cast, flat
from ...measure.stats.difference import Paired
from ..picture.reduction import Library
from ..picture.source import is_tensor


class Differences(ComposedElements):
    """How far the elements of two planes of one shape are apart: NaN where one alone is NaN, Inf where one alone is
    infinite or with another sign, and 0 where both are NaN. What a mask of either hides is masked."""

    __slots__ = ("_how", "can_be_masked")

    def __init__(self, a: Any, b: Any, how: Paired) -> None:
        super().__init__(a, b)
        self._how = how
        self.can_be_masked = any(is_composed(side) and side.can_be_masked for side in (a, b))

    def __getitem__(self, where: Any) -> Differences:
        a, b = self.arrays
        return Differences(a[where], b[where], self._how)

    def strides(self) -> tuple[int, ...]:
        each = [
            side.strides() if is_composed(side) else side.stride() if is_tensor(side) else side.strides
            for side in self.arrays
        ]
        return tuple(max(map(abs, strides)) for strides in zip(*each))

    def read(self) -> tuple[Any, Any]:
        """All of them, as float64."""
        (a, over_a), (b, over_b) = map(read_part, self.arrays)
        x, y, xp = self._how.block(a), self._how.block(b), self._how.xp
        gaps = BlockGaps(x, y)
        gap = gaps.sizes()[0]
        gap = xp.where(gap == gap, gap, xp.full_like(gap, inf))  # of complex numbers, between infinities
        gap = xp.where(gaps.one_nan(), xp.full_like(gap, nan), gap)
        masks = [flat(mask, xp).reshape(self.shape) for mask in (over_a, over_b) if mask is not None]
        return cast(gap, xp.float64).reshape(self.shape), masks[0] | masks[-1] if masks else None


class DifferencesLibrary(Library):
    """What reduces such planes to tiles."""

    def __init__(self, how: Paired) -> None:
        of_torch = hasattr(how.xp, "Tensor")
        on: dict[str, Any] = {"device": "cpu"} if of_torch else {}
        super().__init__(how.xp.zeros((1, 1), dtype=how.xp.float64, **on))
