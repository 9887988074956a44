"""How a plane is divided into tiles, and tiles into pixels; which of its elements a sample reads."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from ...safe.record import Record

_LARGEST = 32  #: pixels an element, at the most
_LEAST = 24  #: pixels that the shorter side of a picture has, at the least
_IMAGE = 4  #: times as long as wide, up to which the sides are reduced by one factor


class Layout(Record):
    """Tiles of ``tile`` elements, ``tiles`` of them along each side, ``pixels`` a tile: (down, across)."""

    tile: tuple[int, int]
    tiles: tuple[int, int]
    pixels: tuple[int, int]

    def is_reduced(self) -> bool:
        return self.tile != (1, 1)


def layout_of(rows: int, columns: int, size: int) -> Layout:
    """A plane in at most ``size`` pixels along each side, whole pixels a tile."""
    down, across = -(-rows // size), -(-columns // size)
    if max(rows, columns) <= _IMAGE * min(rows, columns):
        down = across = max(down, across)
    return laid_out(rows, columns, (down, across), size)


def laid_out(rows: int, columns: int, tile: tuple[int, int], size: int) -> Layout:
    tiles = -(-rows // tile[0]), -(-columns // tile[1])
    pixels = max(1, min(_LARGEST, size // max(tiles)))
    height, width = (max(pixels, min(_LEAST, size) // amount) for amount in tiles)
    return Layout(tile, tiles, (height, width))


class Stretch(Record):
    """Elements ``start`` to ``stop`` along a side, ``width`` of them in each tile from ``first`` on."""

    start: int
    stop: int
    first: int
    width: int

    def tiles(self) -> int:
        return (self.stop - self.start) // self.width


def parts(length: int, tile: int, most: int) -> Iterator[Stretch]:
    """Stretches of a side, each of up to ``most`` elements: of whole tiles, or of one."""
    whole = length - length % tile
    if tile <= most:
        step = most // tile * tile
        for start in range(0, whole, step):
            yield Stretch(start, min(whole, start + step), start // tile, tile)
        if whole < length:
            yield Stretch(whole, length, whole // tile, length - whole)
        return
    for first, of_tile in enumerate(range(0, length, tile)):
        end = min(length, of_tile + tile)
        for start in range(of_tile, end, most):
            stop = min(end, start + most)
            yield Stretch(start, stop, first, stop - start)


def sampled(layout: Layout, wanted: int, by_rows: bool | None) -> tuple[tuple[int, int], tuple[int, int]]:
    """Steps (down, across) by which about ``wanted`` elements are read, one of each tile at least, and the tiles, in
    elements, that are a multiple of them. Steps are odd: an even one could coincide with periodic data.

    ``by_rows``: read whole rows, or False whole columns, rather than elements that lie far apart.
    """
    each = max(1, wanted // (layout.tiles[0] * layout.tiles[1]))
    side = max(1, int(sqrt(each)))
    high, wide = layout.tile
    if by_rows is None:
        down = min(high, max(side, each // wide))
        across = min(wide, max(1, each // down))
    elif by_rows:
        across = min(wide, each)
        down = max(1, each // across)
    else:
        down = min(high, each)
        across = max(1, each // down)
    steps = _odd(high, min(down, high)), _odd(wide, min(across, wide))
    return steps, (_multiple(high, steps[0]), _multiple(wide, steps[1]))


def _odd(tile: int, amount: int) -> int:
    """The step that reads about ``amount`` of the elements along a tile."""
    step = -(-tile // amount)
    return step if step == 1 else step | 1


def _multiple(tile: int, step: int) -> int:
    return -(-tile // step) * step
