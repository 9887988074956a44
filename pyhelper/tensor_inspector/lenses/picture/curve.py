"""Rows of pixels of a line plot: each tile a step from its least to its greatest value, the least at the bottom."""

from __future__ import annotations

from .layout import Layout
from .palettes import INK, MASKED, NAN, NEG_INF, POS_INF
from .raster import LEAST_GLYPH, glyph
from .tiles import FINITE, Tiles, by_mark

_PAPER, _ZERO, _INK = range(3)  #: of the palette of a line
_MARKED = by_mark(NAN, POS_INF, NEG_INF, MASKED)  #: the index of what a tile is marked as
_THICK = 128  #: pixels of height from which a line has two


def curve(tiles: Tiles, layout: Layout, low: float | None, high: float | None, height: int) -> list[bytes]:
    """Rows from the top down. A tile with NaN is a column of its colour; with Inf its upper half, with −Inf the lower;
    what it has of finite values is drawn over that."""
    width, thick = layout.pixels[1], 2 if height >= _THICK else 1
    rows = [bytearray(len(tiles.values) * width) for _ in range(height)]

    def y_of(value: float) -> int:
        """The row of a value; that of the middle where all are equal."""
        assert low is not None
        assert high is not None
        span = high / 2 - low / 2
        share = 0.5 if span <= 0 else min(1.0, max(0.0, (value / 2 - low / 2) / span))
        return round((1 - share) * (height - thick))

    if low is not None and high is not None and low <= 0 <= high and low < high:
        rows[y_of(0.0)][:] = bytes([_ZERO]) * len(rows[0])
    before: tuple[int, int] | None = None
    for at, (least, most, mark) in enumerate(zip(tiles.values, tiles.highs, tiles.marks)):
        left = at * width
        if mark != FINITE:
            _mark(rows, left, width, _MARKED[mark])
        if least != least:
            before = None
            continue
        top, bottom = y_of(most), y_of(least) + thick
        for row in rows[top:bottom]:
            row[left : left + width] = bytes([_INK]) * width
        if before is not None:  # up or down from the one before
            for row in rows[min(bottom, before[1]) - 1 : max(top, before[0]) + 1]:
                row[left : left + min(thick, width)] = bytes([_INK]) * min(thick, width)
        before = top, bottom
    return [bytes(row) for row in rows]


def _mark(rows: list[bytearray], left: int, width: int, index: int) -> None:
    """Colours a column, and draws the glyph where there is room."""
    middle = len(rows) // 2
    first, last = (0, middle) if index == POS_INF else (middle, len(rows)) if index == NEG_INF else (0, len(rows))
    for row in rows[first:last]:
        row[left : left + width] = bytes([index]) * width
    side = min(width, last - first)
    if side < LEAST_GLYPH:
        return
    top = {POS_INF: 0, NEG_INF: len(rows) - side}.get(index, middle - side // 2)
    for y, drawn in enumerate(glyph(index, side), top):
        for x, pixel in enumerate(drawn, left + (width - side) // 2):
            if pixel == "#":
                rows[y][x] = INK[index]
