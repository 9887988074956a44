"""The part `extremes`: where the least and the greatest finite element are, first among equals."""

from __future__ import annotations

from collections.abc import Generator
from math import inf, prod
from typing import TYPE_CHECKING, Any

from ...measure.composed import is_composed, read_part
from ...measure.stats.layout import blocks, index_of
from ..picture.reduction import Library
from ..picture.source import is_tensor

if TYPE_CHECKING:
    from ...protocol import DetailsExtremes

_LARGEST = (1 << 63) - 1  #: of 64-bit integers
_BLOCK, _ON_DEVICE = 1 << 16, 1 << 22  #: elements that are read at once


def extremes_steps(elements: Any) -> Generator[float, None, DetailsExtremes]:
    """Their indices, in steps that say which share is done. Complex numbers are compared by magnitude.

    Raises ``ValueError`` where there is no element.
    """
    shape = tuple(map(int, elements.shape))
    if 0 in shape:
        raise ValueError(f"the least and the greatest are of elements: shape {list(shape)} has none")
    if is_composed(elements):
        once, like = elements.distinct(), elements.like()
    else:
        strides = elements.stride() if is_tensor(elements) else elements.strides
        once = like = elements[tuple(slice(1 if stride == 0 else None) for stride in strides)]
    total, done = prod(map(int, once.shape)), 0
    search = _LeastAndGreatest(Library(once), _is_whole(like))
    is_near = not is_tensor(like) or like.is_cpu
    for block in blocks(once, _BLOCK if is_near else _ON_DEVICE) if shape else [once]:
        search.look(block, done)
        done += prod(map(int, block.shape))
        yield done / total
    found: DetailsExtremes = {}
    if search.least is not None and search.greatest is not None:
        found["min"] = index_of(search.least, once.shape)
        found["max"] = index_of(search.greatest, once.shape)
    return found


class _LeastAndGreatest:
    """The positions of the least and the greatest among the blocks that were looked at, in their order."""

    def __init__(self, library: Library, is_whole: bool) -> None:
        self._library, self._is_whole = library, is_whole
        self._low, self._high = inf, -inf
        self.least: int | None = None
        self.greatest: int | None = None

    def look(self, block: Any, start: int) -> None:
        names = self._library.names
        values, hidden = read_part(block)
        flat, shown = values.reshape(-1), None if hidden is None else ~hidden.reshape(-1)
        if self._is_whole:
            lows = highs = self._library.signed(flat) if self._library.is_unsigned else _widened(flat, names)
            ends: tuple[float, float] = _LARGEST, -_LARGEST - 1
        else:
            lows = highs = self._library.reals(flat).reshape(-1)
            ends = inf, -inf
            shown = names.isfinite(lows) if shown is None else names.isfinite(lows) & shown
        if shown is not None:
            if not bool(shown.any()):
                return
            lows, highs = (names.where(shown, lows, names.full_like(lows, end)) for end in ends)
        at_low, at_high = int(lows.reshape(-1).argmin()), int(highs.reshape(-1).argmax())
        low, high = lows.reshape(-1)[at_low].item(), highs.reshape(-1)[at_high].item()
        if low < self._low:
            self._low, self.least = low, start + at_low
        if high > self._high:
            self._high, self.greatest = high, start + at_high


def _is_whole(elements: Any) -> bool:
    if not is_tensor(elements):
        return elements.dtype.kind in "iub"
    return not (elements.dtype.is_floating_point or elements.dtype.is_complex)


def _widened(flat: Any, names: Any) -> Any:
    """As 64-bit integers: neither library compares all of its others."""
    return flat.to(names.int64) if is_tensor(flat) else flat.astype(names.int64)
