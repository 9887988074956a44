"""Planes of |a - b|, computed block by block where they are read: none of their size is ever there."""

from __future__ import annotations

from math import inf, nan
from typing import Any

from ...measure.stats.block_difference import BlockGaps, cast
from ...measure.stats.difference import Paired
from ..picture.reduction import Library
from ..picture.source import is_tensor


class Differences:
    """How far the elements of two planes of one shape are apart: NaN where one alone is NaN, Inf where one alone is
    infinite or with another sign, and 0 where both are NaN."""

    def __init__(self, a: Any, b: Any, how: Paired) -> None:
        self._a, self._b, self._how = a, b, how
        self.shape = tuple(map(int, a.shape))
        both = zip(*(plane.stride() if is_tensor(plane) else plane.strides for plane in (a, b)))
        self.strides = tuple(max(map(abs, strides)) for strides in both)

    def __getitem__(self, where: Any) -> Differences:
        return Differences(self._a[where], self._b[where], self._how)

    def numbers(self) -> Any:
        """All of them, as float64."""
        x, y, xp = self._how.block(self._a), self._how.block(self._b), self._how.xp
        gaps = BlockGaps(x, y)
        gap = gaps.sizes()[0]
        gap = xp.where(gap == gap, gap, xp.full_like(gap, inf))  # of complex numbers, between infinities
        gap = xp.where(gaps.one_nan(), xp.full_like(gap, nan), gap)
        return cast(gap, xp.float64).reshape(self.shape)


class DifferencesLibrary(Library):
    """What reduces such planes to tiles."""

    def __init__(self, how: Paired) -> None:
        of_torch = hasattr(how.xp, "Tensor")
        on: dict[str, Any] = {"device": "cpu"} if of_torch else {}
        super().__init__(how.xp.zeros((1, 1), dtype=how.xp.float64, **on))

    def reals(self, block: Differences) -> Any:
        return block.numbers()
