"""The colours of pictures: light to dark evenly to the eye, told apart by colour-blind eyes too.

Anchors are in OKLCH (lightness, chroma, hue in degrees), between which OKLab is linear (Björn Ottosson, "A perceptual
color space for image processing", 2020). All palettes share one table of 256 colours, as a PNG of indices has.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

from ...safe.record import Record

Colour = tuple[int, int, int]  #: red, green, blue

STEPS = 241  #: colours of a scale; odd, so that one of them stands for the middle
MOST_LABELS = 12  #: categories that are told apart
MASKED, NAN, POS_INF, NEG_INF = 252, 253, 254, 255  #: the indices of what is masked or not finite
INK = {
    NAN: 249,
    POS_INF: 250,
    NEG_INF: 251,
    MASKED: 248,
}  #: of their glyphs, quiet: many side by side don't dazzle
#: In no palette, and at least 0.09 in OKLab from each of its colours, also with one kind of cone missing.
SPECIAL: dict[int, Colour] = {
    NAN: (255, 0, 255),
    POS_INF: (0, 255, 0),
    NEG_INF: (0, 0, 0),
    MASKED: (85, 0, 0),
    INK[NAN]: (140, 0, 140),
    INK[POS_INF]: (0, 130, 0),
    INK[NEG_INF]: (120, 120, 120),
    INK[MASKED]: (170, 85, 85),
}

_NEGATIVE = (0.34, 0.10, 245.0), (0.52, 0.10, 235.0), (0.74, 0.07, 225.0), (0.95, 0.0, 0.0)
_POSITIVE = (0.95, 0.0, 0.0), (0.78, 0.11, 65.0), (0.58, 0.14, 50.0), (0.40, 0.11, 45.0)
_RISING = (0.28, 0.09, 265.0), (0.45, 0.10, 240.0), (0.62, 0.08, 200.0), (0.79, 0.07, 150.0), (0.94, 0.05, 110.0)
_LIGHTNESSES = 0.45, 0.80, 0.62  #: of neighbouring labels
_PAPER, _GRID, _INK = (248, 248, 248), (200, 200, 200), (14, 66, 128)  #: of a line: below, at zero, the line


class Palette(Record):
    """The colours of indices from 0 up, and how the legend calls those of low, middle and high values."""

    name: str
    colours: list[Colour]
    words: tuple[str, ...] = ()

    def table(self) -> list[Colour]:
        """256 colours: its own, then those of what is not finite."""
        table = [*self.colours, *[(0, 0, 0)] * (256 - len(self.colours))]
        for index, colour in SPECIAL.items():
            table[index] = colour
        return table


def diverging() -> Palette:
    """Blue over light grey, which is zero, to orange."""
    below, above = _between(_NEGATIVE, STEPS // 2 + 1), _between(_POSITIVE, STEPS // 2 + 1)
    return Palette("diverging", [*below[:-1], *above], ("blue", "grey", "orange"))


def sequential() -> Palette:
    """Dark blue to light yellow."""
    return Palette("sequential", _between(_RISING, STEPS), ("dark blue", "teal", "light yellow"))


def labels(amount: int) -> Palette:
    """So many colours, neighbours of which differ in lightness and in hue."""
    if amount <= 2:  # the ends of a scale: off and on
        ends = _between(_RISING, STEPS)
        return Palette("labels", [ends[0], ends[-1]][:amount])
    of_each = [(_LIGHTNESSES[at % 3], 0.10, 30.0 + 360.0 * at / amount) for at in range(amount)]
    return Palette("labels", [_rgb(*_oklab(*one)) for one in of_each])


def line() -> Palette:
    """Of a line plot: the ground, zero and the line."""
    return Palette("line", [_PAPER, _GRID, _INK], ("paper", "zero", "ink"))


def hex_of(colour: Colour) -> str:
    """``#ff00ff``"""
    return "#" + "".join(f"{part:02x}" for part in colour)


def _between(anchors: Sequence[tuple[float, float, float]], amount: int) -> list[Colour]:
    points, found = [_oklab(*anchor) for anchor in anchors], []
    for step in range(amount):
        at = step * (len(points) - 1)
        first = min(at // (amount - 1), len(points) - 2)
        share = at / (amount - 1) - first
        found.append(_rgb(*(a + (b - a) * share for a, b in zip(points[first], points[first + 1]))))
    return found


def _oklab(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    return lightness, chroma * cos(radians(hue)), chroma * sin(radians(hue))


def _rgb(lightness: float, a: float, b: float) -> Colour:
    """sRGB of a colour in OKLab, by Ottosson's matrices; what sRGB lacks is cut to it."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _channel(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _channel(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _channel(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _channel(linear: float) -> int:
    """One channel of sRGB, of 0 to 255, from linear light (IEC 61966-2-1)."""
    part = min(1.0, max(0.0, linear))
    return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))
