"""The part `extremes`: where the least and the greatest finite element are, first among equals."""

from __future__ import annotations

from collections.abc import Generator
from math import inf, prod
from typing import TYPE_CHECKING, Any

from ...measure.stats.layout import blocks, index_of
from ..picture.reduction import Library
from ..picture.source import is_tensor

if TYPE_CHECKING:
    from ...protocol import DetailsExtremes

_BLOCK, _ON_DEVICE = 1 << 16, 1 << 22  #: elements that are read at once


def extremes_steps(elements: Any) -> Generator[float, None, DetailsExtremes]:
    """Their indices, in steps that say which share is done. Complex numbers are compared by magnitude.

    Raises ``ValueError`` where there is no element.
    """
    shape = tuple(map(int, elements.shape))
    if 0 in shape:
        raise ValueError(f"the least and the greatest are of elements: shape {list(shape)} has none")
    strides = elements.stride() if is_tensor(elements) else elements.strides
    once = elements[tuple(slice(1 if stride == 0 else None) for stride in strides)]
    total, done = prod(map(int, once.shape)), 0
    search = _LeastAndGreatest(Library(once), _is_whole(once))
    is_near = not is_tensor(once) or once.is_cpu
    for block in blocks(once if shape else once.reshape(1), _BLOCK if is_near else _ON_DEVICE):
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
        flat = block.reshape(-1)
        if self._is_whole:
            lows = highs = self._library.signed(flat) if self._library.is_unsigned else _widened(flat, names)
        else:
            numbers = self._library.reals(flat).reshape(-1)
            is_finite = names.isfinite(numbers)
            lows = names.where(is_finite, numbers, names.full_like(numbers, inf))
            highs = names.where(is_finite, numbers, names.full_like(numbers, -inf))
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
