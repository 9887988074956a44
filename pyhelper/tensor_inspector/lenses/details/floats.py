"""Grids of numbers as float32 in base64, times one factor and plus one offset where float32 alone would lose them; as
float64 where that does not help."""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Iterator, Sequence
from math import floor, frexp, isfinite
from struct import pack
from typing import TYPE_CHECKING, Any

from ...safe.guard import module
from ...safe.record import Record

if TYPE_CHECKING:
    from ..picture.reduction import TileGrids

_NARROW = 2.0**-10  #: of the largest magnitude: where all lie closer together, they are told from the first of them
_LEAST, _MOST = 2.0**-100, 2.0**127  #: magnitudes of which float32 keeps all its digits
_SMALLEST = 2.0**-126  #: the least magnitude of which float32 keeps all its digits
_PIECE = 1 << 13  #: numbers that are packed at once


class Units(Record):
    """A number that is sent, times ``factor``, plus ``offset``, is one of the value. ``shift`` is what is subtracted
    from the numbers of a grid, in which ``base`` is subtracted already. ``wide`` ones are sent as float64."""

    offset: float
    factor: float
    shift: float
    wide: bool = False


def units_of(grids: Sequence[TileGrids], base: int, is_whole: bool) -> Units:
    """An offset of 0 and a factor of 1, unless float32 would not tell apart what differs; float64 where no factor is
    for both the largest and the least."""
    ends = [grid.ends() for grid in grids]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if low > high:
        return Units(base, 1.0, 0.0)
    shift = 0.0
    if high > low and high - low < _NARROW * max(-low, high):
        shift = float(floor(low)) if is_whole else low
    peak = max(-(low - shift), high - shift) if isfinite(high - low) else max(-low, high)
    factor = 1.0 if peak == 0 or _LEAST <= peak < _MOST else 2.0 ** max(-1000, frexp(peak)[1] - 1)
    if (
        not shift
        and not is_whole
        and all(grid.is_wide() for grid in grids)
        and min(grid.least_magnitude() for grid in grids) / factor < _SMALLEST
    ):
        return Units(base, 1.0, 0.0, wide=True)
    return Units(base + int(shift) if is_whole else shift, factor, shift)


def floats_in_base64(grid: Any, shape: tuple[int, int], units: Units | None = None) -> str:
    """A grid, its only row or column repeated to the ``shape``."""
    if units is not None and (units.shift or units.factor != 1.0):
        grid = (grid - units.shift) / units.factor
    is_wide = units is not None and units.wide
    data = _as_array(grid, shape, "<f8" if is_wide else "<f4")
    if data is None:
        code = "d" if is_wide else "f"
        data = b"".join(pack(f"<{len(piece)}{code}", *piece) for piece in _pieces(grid, shape))
    return base64_of(data)


def marks_in_base64(grid: Any, shape: tuple[int, int]) -> str:
    """Marks, one byte each; nothing at all where no tile has any."""
    if grid is None:
        return ""
    return base64_of(_as_array(grid, shape, "u1") or b"".join(map(bytes, _pieces(grid, shape))))


def base64_of(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()


def _as_array(grid: Any, shape: tuple[int, int], dtype: str) -> bytes | None:
    """The numbers of a grid row by row, by numpy, which is ten times as fast; None where the program has no numpy."""
    numpy = module("numpy")
    if numpy is None:
        return None
    try:
        array = grid.cpu().numpy() if hasattr(grid, "is_cpu") else grid
    except RuntimeError:  # this torch was built for another numpy
        return None
    return numpy.broadcast_to(array.astype(dtype), shape).tobytes()  # type: ignore[no-any-return]


def _pieces(grid: Any, shape: tuple[int, int]) -> Iterator[list[Any]]:
    """The numbers of a grid row by row, some of them at once."""
    is_torch = hasattr(grid, "is_cpu")
    grid = grid.cpu() if is_torch else grid
    down, across = shape[0] // int(grid.shape[0]), shape[1] // int(grid.shape[1])
    if across > 1:
        grid = grid.repeat(1, across) if is_torch else grid.repeat(across, 1)
    flat = grid.reshape(-1)
    for _ in range(down):
        for start in range(0, len(flat), _PIECE):
            yield flat[start : start + _PIECE].tolist()
