"""Rows of pixels of a heatmap: each tile a block of one colour, with a glyph where it is not finite."""

from __future__ import annotations

from collections.abc import Sequence

from .layout import Layout
from .palettes import INK, MASKED, NAN, NEG_INF, POS_INF

LEAST_GLYPH = 4  #: pixels along a side from which a tile has room for a glyph
GROWN = 3  #: pixels along a side of a mark that stands alone among tiles of one pixel, where it could be overlooked
_MARKS = (MASKED, NAN, POS_INF, NEG_INF)  #: one behind the other
_ALONE = 500  #: tiles for each marked one, from which marks are grown


def raster(indices: bytes, layout: Layout) -> list[bytes]:
    """``indices`` into the palette, tile by tile, as rows of pixels from the top down."""
    (_, across), (height, width) = layout.tiles, layout.pixels
    if are_grown(indices, layout):
        indices = _grown(indices, layout)
    blocks = _blocks(height, width) if min(layout.pixels) >= LEAST_GLYPH else {}
    rows: list[bytes] = []
    for start in range(0, len(indices), across):
        tiles = indices[start : start + across]
        if blocks and max(tiles) >= MASKED:
            for y in range(height):
                solid = [bytes([index]) * width for index in range(MASKED)]
                table = [*solid, *(blocks[index][y] for index in _MARKS)]
                rows.append(b"".join([table[index] for index in tiles]))
        else:
            rows += [_widened(tiles, width)] * height
    return rows


def are_grown(indices: bytes, layout: Layout) -> bool:
    """Whether marks are drawn over the finite tiles around them, so that they are seen."""
    marked = sum(map(indices.count, _MARKS)) if layout.pixels == (1, 1) else 0
    return 0 < marked * _ALONE <= len(indices)


def _grown(indices: bytes, layout: Layout) -> bytes:
    """Indices with each mark on the tiles around it too, but for those that are marked themselves."""
    (down, across), found = layout.tiles, bytearray(indices)
    for mark in (MASKED, NEG_INF, POS_INF, NAN):
        at = indices.find(mark)
        while at >= 0:
            row, column = divmod(at, across)
            first, last = max(0, column - 1), min(across, column + 2)
            for start in range(max(0, row - 1) * across, min(down, row + 2) * across, across):
                found[start + first : start + last] = bytes([mark]) * (last - first)
            at = indices.find(mark, at + 1)
    return bytes(index if index >= MASKED else grown for index, grown in zip(indices, found))


def glyph(index: int, side: int) -> list[str]:
    """The glyph of what is not finite, in a square of pixels: ``#`` where it is.

    >>> glyph(NAN, 4), glyph(POS_INF, 4)
    (['#..#', '.##.', '.##.', '#..#'], ['....', '.##.', '.##.', '####'])
    """
    margin = max(0 if side < 6 else 1, side // 6)
    inner = side - 2 * margin
    thick = max(0, inner // 8)
    rows = []
    for y in range(side):
        row = ""
        for x in range(side):
            down, right = y - margin, x - margin
            inside = 0 <= down < inner and 0 <= right < inner
            if index == NAN:
                drawn = min(abs(down - right), abs(down + right - inner + 1)) <= thick
            elif index == MASKED:
                drawn = abs(down + right - inner + 1) <= thick
            else:
                depth = down if index == POS_INF else inner - 1 - down
                drawn = abs(2 * right - inner + 1) <= depth
            row += "#" if inside and drawn else "."
        rows.append(row)
    return rows


def _blocks(height: int, width: int) -> dict[int, list[bytes]]:
    """The rows of a tile for each of what is not finite."""
    side = min(height, width)
    above, left = (height - side) // 2, (width - side) // 2
    found = {}
    for index, ink in INK.items():
        ground = bytes([index])
        rows = [ground * width for _ in range(height)]
        for y, row in enumerate(glyph(index, side), above):
            drawn = bytes(ink if pixel == "#" else index for pixel in row)
            rows[y] = ground * left + drawn + ground * (width - side - left)
        found[index] = rows
    return found


def _widened(tiles: Sequence[int], width: int) -> bytes:
    row = bytearray(len(tiles) * width)
    for at in range(width):
        row[at::width] = bytes(tiles)
    return bytes(row)
