"""Reads a plane into tiles: all of it, or a sample where there is no time for all or it lies in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...measure.composed import is_composed
from ...safe.record import Record
from . import listed, reduction
from .layout import Layout, laid_out, layout_of, sampled
from .listed import Listed
from .source import is_tensor
from .tiles import Tiles

if TYPE_CHECKING:
    from ...safe.budget import Budget
    from .tiles import How

AT_ONCE = 1 << 18  #: elements that are read whole even where the time is over
OF_FILE = 1 << 22  #: elements that are read of a file, about
_HURRY = 150.0  #: milliseconds; with less, a quarter of the tiles is drawn: their colours take time too
SHARE = 0.7  #: of the time that is left, for a sample
_LISTED = 1000.0  #: Python's own numbers that are read in a millisecond, about
FAR_APART = 4  #: times as long as one of its neighbours takes an element of a sample


class TiledPlane(Record):
    """Tiles, how the plane is divided into them, and of how many elements so many were read."""

    tiles: Tiles
    layout: Layout
    total: int

    def is_exact(self) -> bool:
        return self.tiles.read == self.total


def read(plane: Any, size: int, how: How, budget: Budget, is_mapped: bool) -> TiledPlane:
    """A plane in at most ``size`` tiles along each side."""
    rows, columns = map(int, plane.shape)
    layout = layout_of(rows, columns, size)
    if layout.is_reduced() and budget.remaining_ms() < _HURRY:
        layout = layout_of(rows, columns, max(1, size // 2))
        layout = laid_out(rows, columns, layout.tile, size)
    work = PlaneReading(plane, layout, how, size)
    total = int(work.few.shape[0]) * int(work.few.shape[1])
    if is_mapped and total > OF_FILE:
        return work.sample(OF_FILE, by_lines=True)
    if budget.spent() and total > AT_ONCE:
        return work.sample(1)
    if type(plane) is Listed and total > budget.remaining_ms() * _LISTED:
        return work.sample(int(budget.remaining_ms() * _LISTED * SHARE))
    try:
        return work.all(budget)
    except reduction.TooSlow as late:
        return work.sample(int(budget.remaining_ms() * SHARE * late.per_ms / FAR_APART))


class PlaneReading:
    """A plane without the repetitions of dimensions along which it is expanded; what is read of it is repeated."""

    def __init__(self, plane: Any, layout: Layout, how: How, size: int) -> None:
        self._shape, self._layout, self._how, self._size = tuple(map(int, plane.shape)), layout, how, size
        self._strides = _strides(plane)
        self._repeats = [length > 1 and stride == 0 for length, stride in zip(self._shape, self._strides)]
        self.few = plane[:1] if self._repeats[0] else plane
        self.few = self.few[:, :1] if self._repeats[1] else self.few

    def all(self, budget: Budget) -> TiledPlane:
        if type(self.few) is Listed:
            return self._found(listed.tiles_of(self.few, self.few_of(self._layout), self._how), self._layout)
        return self._found(reduction.tiles_of(self.few, self.few_of(self._layout), self._how, budget), self._layout)

    def sample(self, wanted: int, by_lines: bool = False) -> TiledPlane:
        """About ``wanted`` elements, one of each tile at least; ``by_lines`` those that lie side by side."""
        by_rows = self.by_rows() if by_lines else None
        steps, few, layout = self.thinned(wanted, by_rows)
        if type(self.few) is Listed:
            return self._found(listed.tiles_of(listed.strided(self.few, steps), few, self._how), layout)
        return self._found(reduction.tiles_of(self.few[:: steps[0], :: steps[1]], few, self._how), layout)

    def thinned(self, wanted: int, by_rows: bool | None) -> tuple[tuple[int, int], Layout, Layout]:
        """The steps of a sample, the layout of what it reads, and that of the plane."""
        steps, tile = sampled(self.few_of(self._layout), max(1, wanted), by_rows)
        down, across = (
            own if repeats else other for own, repeats, other in zip(self._layout.tile, self._repeats, tile)
        )
        layout = laid_out(self._shape[0], self._shape[1], (down, across), self._size)
        few = self.few_of(layout)
        few.tile = few.tile[0] // steps[0] or 1, few.tile[1] // steps[1] or 1
        return steps, few, layout

    def by_rows(self) -> bool:
        """Whether its rows, rather than its columns, lie side by side in memory."""
        return abs(self._strides[1]) <= abs(self._strides[0])

    def few_of(self, layout: Layout) -> Layout:
        """The layout of what is read, in which a repeated dimension is one element."""

        def once(sides: tuple[int, int]) -> tuple[int, int]:
            return 1 if self._repeats[0] else sides[0], 1 if self._repeats[1] else sides[1]

        return Layout(once(layout.tile), once(layout.tiles), layout.pixels)

    def _found(self, tiles: Tiles, layout: Layout) -> TiledPlane:
        down, across = (amount if repeats else 1 for amount, repeats in zip(layout.tiles, self._repeats))
        total = int(self.few.shape[0]) * int(self.few.shape[1])
        times = self._shape[0] * self._shape[1] // total
        tiles.nan, tiles.pos_inf, tiles.neg_inf = tiles.nan * times, tiles.pos_inf * times, tiles.neg_inf * times
        tiles.masked *= times
        return TiledPlane(tiles.repeated((down, across)), layout, total)


def _strides(plane: Any) -> tuple[int, int]:
    if type(plane) is Listed:
        return plane.shape[1], 1
    if is_composed(plane):
        down, across = plane.strides()
        return down, across
    down, across = plane.stride() if is_tensor(plane) else plane.strides
    return down, across
