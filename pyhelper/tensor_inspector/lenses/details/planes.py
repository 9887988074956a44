"""Reads planes side by side into tiles, in steps: all of them, or a sample where there is no time for all."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any

from ...safe.record import Record
from ..picture.layout import Layout, layout_of
from ..picture.reading import AT_ONCE, FAR_APART, OF_FILE, SHARE, PlaneReading
from ..picture.reduction import Library, TileGrids, TooSlow, check_pace

if TYPE_CHECKING:
    from ...safe.budget import Budget
    from ..picture.tiles import How

MOST_TILES = 1 << 18  #: of all planes together


class Tiled(Record):
    """The grids of planes of one ``layout``; a dimension along which a plane is expanded is one tile in them.

    Each element that was read stands for ``times`` elements; ``total`` are those that are there to be read.
    """

    grids: list[TileGrids]
    layout: Layout
    times: int
    total: int

    def read(self) -> float:
        """The share of the elements that was read."""
        return sum(grid.read for grid in self.grids) / self.total


class PlanesReading:
    """Planes of one shape, how they are divided, and the tiles once they are read."""

    def __init__(self, planes: list[Any], size: int, how: How, base: int, library: Library | None = None) -> None:
        rows, columns = map(int, planes[0].shape)
        self._size = _fitting(rows, columns, size, MOST_TILES // len(planes))
        self._layout, self._how, self._base = layout_of(rows, columns, self._size), how, base
        self._library = library
        self._readings = [PlaneReading(plane, self._layout, how, self._size) for plane in planes]
        few = self._readings[0].few
        self.total = len(planes) * int(few.shape[0]) * int(few.shape[1])
        self._times = len(planes) * rows * columns // self.total
        self.tiled: Tiled | None = None

    def steps(self) -> Iterator[int]:
        """Reads all, in steps of so many elements."""
        grids = []
        for reading in self._readings:
            grids.append(self._grids(reading.few, reading.few_of(self._layout)))
            yield from grids[-1].steps()
        self._keep(grids, self._layout)

    def at_once(self, budget: Budget, is_mapped: bool) -> None:
        """Reads all, or a sample where the time is too short, or where it would be read from a file."""
        if is_mapped and self.total > OF_FILE:
            return self._sample(OF_FILE, by_lines=True)
        if budget.spent() and self.total > AT_ONCE:
            return self._sample(1)
        try:
            return check_pace(self.steps(), self.total, budget)
        except TooSlow as late:
            return self._sample(int(max(0.0, budget.remaining_ms()) * SHARE * late.per_ms / FAR_APART))

    def _sample(self, wanted: int, by_lines: bool = False) -> None:
        grids, layout, each = [], self._layout, max(1, wanted // len(self._readings))
        by_rows = self._readings[0].by_rows() if by_lines else None
        for reading in self._readings:
            (down, across), few, layout = reading.thinned(each, by_rows)
            grids.append(self._grids(reading.few[::down, ::across], few))
            for _ in grids[-1].steps():
                pass
        self._keep(grids, layout)

    def _grids(self, plane: Any, layout: Layout) -> TileGrids:
        return TileGrids(plane, layout, self._how, self._base, self._library)

    def _keep(self, grids: list[TileGrids], layout: Layout) -> None:
        self.tiled = Tiled(grids, layout, self._times, self.total)


def _fitting(rows: int, columns: int, size: int, most: int) -> int:
    """The number of tiles along a side, ``size`` at most, with which there are no more than ``most`` of them."""
    while size > 1:
        down, across = layout_of(rows, columns, size).tiles
        if down * across <= most:
            break
        size = min(size - 1, int(size * sqrt(most / (down * across))))
    return max(1, size)
