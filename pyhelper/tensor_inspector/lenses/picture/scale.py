"""Which colour a value has: from the clipped least to the most, or evenly about zero where there are both signs."""

from __future__ import annotations

from math import floor, inf

from ...safe.guard import module
from ...safe.record import Record
from .palettes import MASKED, NAN, NEG_INF, POS_INF, STEPS, Palette, diverging, sequential
from .tiles import Tiles, by_mark

_MANY = 1 << 12  #: tiles for which numpy is asked, where the program has it
_OF_MARK = by_mark(NAN, POS_INF, NEG_INF, MASKED)  #: the index of what a tile is marked as


class Scale(Record):
    """``low`` has the first colour of the palette and all below, ``high`` the last and all above; None of no values."""

    low: float | None
    high: float | None
    palette: Palette


def scale_of(values: list[float], clip: tuple[float, float]) -> Scale:
    """The scale of finite values, ``clip`` between two of their quantiles."""
    if not values:
        return Scale(None, None, sequential())
    low, high = clipped(values, clip)
    if min(values) < 0 < max(values):
        furthest = max(-low, high)
        if furthest > 0:
            return Scale(-furthest, furthest, diverging())
    return Scale(low, high, sequential())


def clipped(values: list[float], clip: tuple[float, float]) -> tuple[float, float]:
    """Two quantiles of values, linear between neighbours, as numpy's default is (Hyndman and Fan, 1996, type 7)."""
    if clip == (0.0, 1.0):
        return min(values), max(values)
    ordered = sorted(values)
    low, high = (_quantile(ordered, share) for share in clip)
    return low, high


def indices(tiles: Tiles, scale: Scale) -> bytes:
    """For each tile an index into the palette."""
    if scale.low is None or scale.high is None:
        return tiles.marks.translate(_table())
    low, high, last = scale.low, scale.high, STEPS - 1
    values = [low if value != value else value for value in tiles.values] if any(tiles.marks) else tiles.values
    factor = last / (high - low) if high > low else inf
    if 0 < factor < inf:  # zero in the middle of a scale stays there: nothing is rounded
        middle = low / 2 + high / 2
        start = last / 2 + 0.5 - middle * factor
        numpy = module("numpy")
        if numpy is None or len(values) < _MANY:
            found = bytes([0 if v <= low else last if v >= high else int(v * factor + start) for v in values])
        else:  # the same, twenty times as fast
            many = numpy.array(values)
            inside = numpy.where(many >= high, last, many * factor + start)
            found = numpy.where(many <= low, 0, inside).astype(numpy.uint8).tobytes()
    elif high / 2 > low / 2:  # too far apart, or too close, for the factor
        width = high / 2 - low / 2
        shares = [min(1.0, max(0.0, (v / 2 - low / 2) / width)) for v in values]
        found = bytes([int(share * last + 0.5) for share in shares])
    else:
        found = bytes([0 if v < low else last if v > low else last // 2 for v in values])
    return marked(found, tiles.marks)


def marked(found: bytes, marks: bytes) -> bytes:
    """Indices, of which those of marked tiles are the mark's."""
    if not any(marks):
        return found
    return bytes([_OF_MARK[mark] if mark else index for index, mark in zip(found, marks)])


def _table() -> bytes:
    return _OF_MARK + bytes(256 - len(_OF_MARK))


def _quantile(ordered: list[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    first = min(floor(at), len(ordered) - 1)
    part = at - first
    after = ordered[min(first + 1, len(ordered) - 1)]
    return ordered[first] * (1 - part) + after * part
