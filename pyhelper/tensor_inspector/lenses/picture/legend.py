"""What a picture shows, in words: of what, the scale, what is not finite, how much of it a pixel stands for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...safe.record import Record
from ...words.text import number
from .layout import Layout
from .palettes import Palette, hex_of
from .plane import Where
from .raster import GROWN
from .scale import Scale
from .tiles import Tiles

if TYPE_CHECKING:
    from .tiles import How

_DIGITS = (4, 8, 17)
_EXACT = 1 << 53  #: from here on float64 has not all whole numbers
_LABELS = 12  #: that are named
_SHOWN = {"mean": "the mean", "min": "the minimum", "max": "the maximum", "nearest": "the first", "range": "the range"}


class Drawn(Record):
    """What was drawn: the legend and the data are made of it."""

    dtype: str
    shape: tuple[int, ...]
    where: Where
    layout: Layout
    tiles: Tiles
    scale: Scale
    palette: Palette
    how: How
    clip: tuple[float, float]
    read: float  #: the share of the plane that was read
    is_complex: bool = False
    labels: dict[int, int] | None = None
    is_bool: bool = False
    is_grown: bool = False


def legend(drawn: Drawn) -> str:
    return "\n".join(_lines(drawn))


def label_text(label: int, is_bool: bool) -> str:
    return str(bool(label)) if is_bool else str(label).replace("-", "−")


def _lines(drawn: Drawn) -> Iterator[str]:
    sizes = ", ".join(map(str, drawn.shape))
    sampled = "" if drawn.read >= 1 else "≈ "
    yield " ".join(filter(None, (f"{sampled}{drawn.dtype}[{sizes}]", drawn.where.text())))
    yield _scale(drawn)
    yield _not_finite(drawn)
    yield _tile(drawn)


def _tile(drawn: Drawn) -> str:
    """What the elements are in the picture."""
    (high, wide), (height, width) = drawn.layout.tile, drawn.layout.pixels
    is_line = drawn.where.down is None
    if is_line:
        block, tile = f"{width} pixels across" if width > 1 else "pixel across", f"{wide} elements"
    else:
        block, tile = (
            f"{height} × {width} pixels" if (height, width) != (1, 1) else "pixel",
            f"{high} × {wide} elements",
        )
    if drawn.layout.is_reduced():
        which = "" if drawn.read >= 1 else "what was read of "
        return f"each {block}: {_SHOWN[drawn.how]} of {which}{tile}"
    return f"each element: {block if block[0] != 'p' else f'1 {block}'}"


def _scale(drawn: Drawn) -> str:
    low, high = drawn.scale.low, drawn.scale.high
    if drawn.palette.name == "labels":
        shown = [
            f"{label_text(label, drawn.is_bool)} ×{amount:,} ({hex_of(colour)})"
            for (label, amount), colour in zip((drawn.labels or {}).items(), drawn.palette.colours)
        ]
        return "labels: " + ", ".join(shown[:_LABELS])
    if low is None or high is None:
        return "no finite value"
    what = "magnitude " if drawn.is_complex else "share of True " if drawn.is_bool else ""
    least, most = _told_apart(low, high)
    if drawn.palette.name == "line":
        text = f"{what}{least} (bottom) to {most} (top)"
    elif drawn.palette.name == "diverging":
        text = f"{what}{least} (blue) over 0 (grey) to {most} (orange)"
    elif low == high:
        about = "≈" if abs(low) >= _EXACT else ""
        text = f"{what}{about}{least} everywhere"
    else:
        text = f"{what}{least} (dark blue) to {most} (light yellow)"
    if drawn.clip != (0.0, 1.0):
        text += f", clipped to quantiles {drawn.clip[0]:g} … {drawn.clip[1]:g}"
    return text


def _told_apart(low: float, high: float) -> tuple[str, str]:
    """Two numbers in as many digits as tell them apart."""
    pairs = [(number(low, digits), number(high, digits)) for digits in _DIGITS]
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def _not_finite(drawn: Drawn) -> str:
    tiles = drawn.tiles
    found = [(tiles.nan, "NaN", "magenta ×"), (tiles.pos_inf, "Inf", "green ▲"), (tiles.neg_inf, "−Inf", "black ▼")]
    found.append((tiles.masked, "masked", "dark red ∕"))
    text = ", ".join(f"{amount:,} {name} ({mark})" for amount, name, mark in found if amount)
    text += f", marked by {GROWN} × {GROWN} pixels" if drawn.is_grown else ""
    if drawn.read >= 1:
        return text or "no NaN, Inf or −Inf"
    return f"{text or 'no NaN or Inf seen'}; {_share(drawn.read)} read: NaN, Inf not all counted"


def _share(read: float) -> str:
    return "<0.1%" if read < 0.001 else f"{number(100 * read, 2)}%"
