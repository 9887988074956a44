"""What is known of each tile of a plane, as Python's own data."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from ...safe.record import Record

if TYPE_CHECKING:
    from typing import Literal

    How = Literal["mean", "min", "max", "nearest", "range"]  #: what of a tile is shown; range: its minimum and maximum
FINITE, NAN, POS_INF, NEG_INF, MASKED = (
    0,
    1,
    2,
    4,
    8,
)  #: a tile is marked by the sum of what it holds besides numbers


def by_mark(*numbers: int) -> bytes:
    """A number for each sum of marks: that of the first of NaN, Inf, −Inf, masked; 0 without any."""
    pairs = list(zip((NAN, POS_INF, NEG_INF, MASKED), numbers))
    return bytes(next((number for bit, number in pairs if mark & bit), 0) for mark in range(16))


class Tiles(Record):
    """Tiles row by row. ``values`` are over the finite elements of each (NaN where it has none), ``highs`` the maxima
    where the range is asked for; ``marks`` say what else is in it.

    ``least`` and ``most`` are over the finite elements of the plane; the counts too are of elements.
    """

    shape: tuple[int, int]
    values: list[float]
    highs: list[float]
    marks: bytes
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0
    least: float = inf
    most: float = -inf
    read: int = 0  #: elements of those that are there, each place in memory once
    masked: int = 0

    def repeated(self, times: tuple[int, int]) -> Tiles:
        """The same with its only row, or its only column, so many times: that of an expanded dimension."""
        down, across = times
        if times == (1, 1):
            return self

        def repeat(items: list[float]) -> list[float]:
            wide = [item for item in items for _ in range(across)]
            return wide * down

        marks = bytes(mark for mark in self.marks for _ in range(across)) * down
        shape = self.shape[0] * down, self.shape[1] * across
        counts = self.nan, self.pos_inf, self.neg_inf, self.least, self.most, self.read, self.masked
        return Tiles(shape, repeat(self.values), repeat(self.highs), marks, *counts)

    def finite(self) -> list[float]:
        """All that is shown of finite elements."""
        both = [*self.values, *self.highs]
        return [value for value in both if value == value] if any(self.marks) else both
