"""Maps numbers to integers of the same order, so that questions of order need only counting.

The bits of a positive floating-point number, read as an integer, are ordered like the numbers; for negative ones the
bits below the sign are flipped. Numbers narrower than float32 are widened to it, which is exact; complex numbers are
ordered by magnitude.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Callable

from ...safe.torch_name import torch_name
from .exact import is_large
from .numpy_exact import narrow
from .tally import Beyond, Number

_TOP = 1 << 63
_WIDTHS = {  # how they and their bits are packed, bits below the sign, bits of infinity
    "float32": ("f", "i", 31, 0x7F800000),
    "float64": ("d", "q", 63, 0x7FF0000000000000),
}


class Special:
    """How many numbers are not finite."""

    __slots__ = ("nan", "neg_inf", "pos_inf")

    def __init__(self) -> None:
        self.nan = self.neg_inf = self.pos_inf = 0

    def add(self, keys: Any, finite: Any, infinity: int) -> None:
        """Counts those of a block, which are not ``finite``, by their keys."""
        above, below = int((keys == infinity).sum()), int((keys == ~infinity).sum())
        self.pos_inf, self.neg_inf = self.pos_inf + above, self.neg_inf + below
        self.nan += len(finite) - int(finite.sum()) - above - below


class Order:
    """The numbers of blocks of one type as int64 keys, and back.

    ``library`` is torch or numpy; ``raw`` gives the bits of float32 or float64 numbers in one contiguous dimension of
    int32 or int64, and integers as int64.
    """

    def __init__(self, library: Any, name: str, raw: Callable[[Any], Any]) -> None:
        self.library = library
        self.name = name
        self.raw = raw
        self.is_whole = name not in _WIDTHS
        self._real, self._bits, self._width, self._infinity = _WIDTHS.get(name, ("", "", 0, 0))
        self._flips = (1 << self._width) - 1
        self.zero = _TOP if name == "uint64" else 0

    def keys(self, block: Any, all_finite: bool = False, special: Special | None = None) -> Any:
        """The keys of the finite numbers of a block, in one contiguous dimension; the others are counted."""
        keys = self.raw(block)
        if self.is_whole:
            return keys
        signs = keys >> self._width
        keys = keys ^ (signs & self._flips)
        if not all_finite:
            finite = (keys ^ signs) < self._infinity
            if not bool(finite.all()):
                if special is not None:
                    special.add(keys, finite, self._infinity)
                keys = self.only(keys, finite)
        return keys.long() if hasattr(keys, "long") else keys.astype(self.library.int64)

    def only(self, keys: Any, mask: Any) -> Any:
        """``keys[mask]``, which torch would split among threads."""
        return keys.masked_select(mask) if hasattr(keys, "masked_select") else keys[mask]

    def number(self, key: int) -> Number:
        if self.is_whole:
            return key + self.zero
        bits = key if key >= 0 else key ^ self._flips
        return float(struct.unpack(self._real, struct.pack(self._bits, bits))[0]) + 0.0  # no -0.0

    def zeros(self, keys: Any, low: int, high: int) -> int:
        """How many of the keys, from ``low`` to ``high``, are of zeros."""
        if not low <= -self.zero <= high and (self.is_whole or not low <= -1 <= high):
            return 0
        found = (keys == -self.zero) if self.is_whole else (keys == 0) | (keys == -1)
        return int(found.sum())

    def most(self, key: int) -> int:
        """The greatest key of the number of a key: zero has two."""
        return 0 if key == -1 and not self.is_whole else key

    def least(self, edge: Number) -> int:
        """The key of the least number that is not below ``edge``, which must be within their range."""
        if self.is_whole:
            return int(edge) - self.zero
        (bits,) = struct.unpack(self._bits, struct.pack(self._real, edge))
        key = int(bits) if bits >= 0 else int(bits) ^ self._flips
        while self.number(key) < edge:
            key += 1
        while self.number(key - 1) >= edge:
            key -= 1
        return key

    def edges(self, lowest: int, highest: int, bins: int) -> list[Number]:
        """The edges of at most ``bins`` bins of one width, from the number of one key to that of another."""
        low, high = self.number(lowest), self.number(highest)
        if self.is_whole:
            return _whole_edges(int(low), int(high), bins)
        if low == high:
            return [low, high]
        shares = [bin / bins for bin in range(bins)]
        if math.isfinite(high - low):
            return [*(min(low + (high - low) * share, high) for share in shares), high]
        return [*(low * (1.0 - share) + high * share for share in shares), high]


def _whole_edges(low: int, high: int, bins: int) -> list[Number]:
    width = -(-(high - low + 1) // bins)
    return [low + width * bin for bin in range(-(-(high - low + 1) // width) + 1)]


def order_of_tensors(torch: Any, dtype: Any, negative: bool = False) -> Order:
    """The order of dense CPU tensors of a real or complex dtype; of their negatives, if they are ``negative``."""
    name = torch_name(dtype)
    if negative:
        order = order_of_tensors(torch, dtype)
        return Order(torch, order.name, lambda block: order.raw(block.neg()))
    if dtype.is_complex:
        return Order(torch, "float64", lambda block: _magnitudes(torch, block).view(torch.int64))
    if name == "float64":
        return Order(torch, name, lambda block: block.reshape(-1).view(torch.int64))
    if dtype.is_floating_point:
        return Order(torch, "float32", lambda block: block.float().reshape(-1).view(torch.int32))
    if name == "uint64":
        return Order(torch, name, lambda block: block.reshape(-1).view(torch.int64) ^ -_TOP)
    return Order(torch, name, lambda block: block.reshape(-1).long().contiguous())


def order_of_arrays(np: Any, dtype: Any) -> Order:
    """The order of arrays of a boolean, integer, floating-point or complex dtype in any byte order."""
    if dtype.kind == "c":
        return Order(np, "float64", lambda block: _magnitudes_of_arrays(np, block).view(np.int64))
    if dtype.kind == "f" and dtype.itemsize > 4:
        return Order(np, "float64", lambda block: narrow(np, block.reshape(-1)).view(np.int64))
    if dtype.kind == "f":
        return Order(np, "float32", lambda block: block.reshape(-1).astype(np.float32).view(np.int32).astype(np.int64))
    if dtype.kind == "u" and dtype.itemsize == 8:
        return Order(np, "uint64", lambda block: block.reshape(-1).astype(np.uint64).view(np.int64) ^ -_TOP)
    return Order(np, "int64", lambda block: block.reshape(-1).astype(np.int64))


def _magnitudes(torch: Any, block: Any) -> Any:
    parts = torch.view_as_real(block)
    parts = parts.double() if parts.element_size() > 4 or is_large(parts) else parts.float()  # as the largest is told
    magnitudes = torch.hypot(parts.select(-1, 0), parts.select(-1, 1)).reshape(-1)
    infinite = int(magnitudes.isinf().sum())
    if infinite and infinite > int(parts.isinf().any(-1).sum()):
        raise Beyond
    if infinite:
        magnitudes[parts.isnan().any(-1).reshape(-1)] = math.nan  # for `hypot` an infinite part of such a number counts
    return magnitudes.double()


def _magnitudes_of_arrays(np: Any, block: Any) -> Any:
    flat = block.reshape(-1)
    real, imag = narrow(np, flat.real), narrow(np, flat.imag)
    magnitudes = np.hypot(real, imag)
    infinite = int(np.count_nonzero(np.isinf(magnitudes)))
    if infinite and infinite > int(np.count_nonzero(np.isinf(real) | np.isinf(imag))):
        raise Beyond
    if infinite:
        magnitudes[np.isnan(real) | np.isnan(imag)] = math.nan
    return magnitudes
