"""Tensors of pictures, as PNG: CHW, NCHW, HWC or NHWC of one, three or four channels, with values that pixels have."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import inf
from typing import Any

from ...safe.record import Record
from ...safe.torch_name import torch_name
from ..picture.labels import sort_of
from ..picture.palettes import NAN, NEG_INF, POS_INF, SPECIAL
from ..picture.png import png_of_colours
from ..picture.reduction import Library
from ..picture.source import is_tensor

_CHANNELS = (1, 3, 4)
_OPAQUE, _LARGEST = 4, 255.0
_MOST_PICTURES = 8
_SHORTEST, _LONGEST = 8, 512  #: pixels along a side: the kernels of a convolution are shorter
_SLACK = 1e-3  #: what rounding may add to a range


class ImageAsPng(Record):
    """A picture as PNG, of so many ``channels`` (3, or 4 with opacity)."""

    png: bytes
    height: int
    width: int
    channels: int


class Images:
    """The pictures that a tensor or array may be of. Of dimensions before the batch, index 0."""

    def __init__(self, values: Any, channel: int) -> None:
        shape = tuple(map(int, values.shape))
        amount = len(shape)
        self._values, self._channel, self._before = values, channel, max(0, amount - 4)
        self._batched = amount > 3
        self.there = shape[amount - 4] if self._batched else 1
        self.shown = min(self.there, _MOST_PICTURES)
        self.step = -(-max(_sides(shape, channel)) // _LONGEST)

    def notes(self) -> Iterator[str]:
        """What is left out if they are pictures, which their values tell."""
        if self.shown < self.there:
            yield f"of pictures, the first {self.shown} of {self.there:,}"
        if self.step > 1:
            yield f"of pictures, each {_ordinal(self.step)} pixel along both sides"

    def look(self) -> Generator[None, None, float | None]:
        """Reads them, a plane in a step. Tells which value is lightest; None where the values are not of pixels."""
        if _is_of_bytes(self._values):
            return _LARGEST
        low, high, are_whole, is_last = inf, -inf, True, self._channel == len(self._values.shape) - 1
        has_opacity = int(self._values.shape[self._channel]) == _OPAQUE
        if has_opacity and not is_last:  # as the four heads of attention, which are between 0 and 1 too
            return None
        for at in range(self.shown):
            for plane in self._planes(at):
                low, high, are_whole = _read(plane, low, high, are_whole)
                if low < -_SLACK or high > _LARGEST:
                    return None
                yield
        if low <= high <= 1 + _SLACK:
            return 1.0
        return _LARGEST if low <= high and low >= 0 and are_whole and not has_opacity else None

    def pictures(self, lightest: float) -> Iterator[ImageAsPng | None]:
        """One after another, each after steps without one."""
        for at in range(self.shown):
            planes = []
            for plane in self._planes(at):
                planes.append(plane)
                yield None
            yield from _painted(planes, lightest)

    def _planes(self, at: int) -> Iterator[Any]:
        """The channels of a picture, as rows and columns."""
        amount = len(self._values.shape)
        sides = tuple(slice(None, None, self.step) for _ in range(2))
        for channel in range(int(self._values.shape[self._channel])):
            place = list(sides)
            place.insert(self._channel - (amount - 3), channel)  # type: ignore[arg-type]
            before = (0,) * self._before + ((at,) if self._batched else ())
            plane = self._values[before + tuple(place)]
            yield Library(plane).reals(plane)


def images_of(values: Any) -> Images | None:
    """None where the shape is not that of pictures, or the numbers are none that a pixel has."""
    shape = tuple(map(int, values.shape))
    if len(shape) < 3 or 0 in shape or sort_of(values) == "complex":
        return None
    for channel in (len(shape) - 3, len(shape) - 1):
        if shape[channel] in _CHANNELS and min(_sides(shape, channel)) >= _SHORTEST:
            return Images(values, channel)
    return None


def _sides(shape: tuple[int, ...], channel: int) -> list[int]:
    """The rows and columns of pictures."""
    return [size for dim, size in enumerate(shape[-3:], len(shape) - 3) if dim != channel]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _is_of_bytes(values: Any) -> bool:
    return (torch_name(values.dtype) if is_tensor(values) else values.dtype.name) == "uint8"


def _read(plane: Any, low: float, high: float, are_whole: bool) -> tuple[float, float, bool]:
    """The ends of what is finite, with those so far, and whether all numbers are whole."""
    library = Library(plane)
    names, finite = library.names, library.names.isfinite(plane)
    least = names.where(finite, plane, library.full((1, 1), inf)).min()
    most = names.where(finite, plane, library.full((1, 1), -inf)).max()
    are_whole = are_whole and bool((~finite | (names.floor(plane) == plane)).all())
    return min(low, float(least)), max(high, float(most)), are_whole


def _painted(planes: list[Any], lightest: float) -> Iterator[ImageAsPng | None]:
    """A picture, after a step for each of its channels. What is not finite in one has its colour in all."""
    height, width = map(int, planes[0].shape)
    channels = 4 if len(planes) == _OPAQUE else 3
    marks = _marks(planes)
    pixels = bytearray(height * width * channels)
    for channel in range(channels):
        levels = _levels(planes[channel if channel < len(planes) else 0], lightest)
        library = Library(levels)
        if marks is not None:
            for index in (NEG_INF, POS_INF, NAN):
                colour = (*SPECIAL[index], int(_LARGEST))[channel]
                levels = library.names.where(marks == index, library.flags((1, 1), colour), levels)
        pixels[channel::channels] = bytes(library.listed(levels))
        yield None
    line = width * channels
    rows = [bytes(pixels[start : start + line]) for start in range(0, len(pixels), line)]
    yield ImageAsPng(png_of_colours(rows, channels), height, width, channels)


def _levels(plane: Any, lightest: float) -> Any:
    library = Library(plane)
    names = library.names
    share = names.where(names.isfinite(plane), plane / lightest, library.full((1, 1), 0.0)).clip(0, 1)
    share = share * _LARGEST + 0.5
    return share.to(names.uint8) if library.is_torch else share.astype(names.uint8)


def _marks(planes: list[Any]) -> Any:
    """The index of a colour where an element is not finite, else 0; None where all are finite."""
    library = Library(planes[0])
    names = library.names
    if all(bool(names.isfinite(plane).all()) for plane in planes):
        return None
    marks = library.flags(tuple(map(int, planes[0].shape)), 0)  # type: ignore[arg-type]
    for plane in planes:
        for index, where in ((NEG_INF, plane == -inf), (POS_INF, plane == inf), (NAN, plane != plane)):
            marks = names.where(where, library.flags((1, 1), index), marks)
    return marks
