"""Kernels for integers and truth values: ranges and sums to the last digit, spreads from differences to a centre."""

from __future__ import annotations

import math
from typing import Any

from ...safe.torch_name import torch_name
from .reductions import (
    DOUBLE,
    SINGLE,
    SMALL,
    Scratch,
    deviation_about,
    deviation_about_zero,
    moments,
    nonzeros,
    squares,
    sums,
)
from .tally import Number, Tally

INTS = frozenset(("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"))
_EXACT = 0xFFFF  # up to here float32 holds the sum of a row exactly
_EXACT_SUM = 1 << 39  # below it float64 holds the sum of `SMALL` integers exactly
SIGNED_TWIN = {"uint16": ("int16", "int32"), "uint32": ("int32", "int64"), "uint64": ("int64", "int64")}


def bools(torch: Any, block: Any, scratch: Scratch | None = None) -> Tally:
    """Truth values counted as 0 and 1."""
    return counted(block.numel(), nonzeros(torch, block.view(torch.uint8), scratch))


def counted(read: int, ones: int) -> Tally:
    """The tally of truth values: how many were ``read``, and how many of these are true."""
    t = Tally(read)
    t.zeros, t.total = t.read - ones, ones
    t.lo, t.hi = int(ones == t.read), int(ones > 0)
    t.offset = share = ones / t.read
    t.deviation = math.sqrt(share * (1.0 - share))
    return t


def small_ints(torch: Any, block: Any) -> Tally:
    """A few thousand integers of a signed type or uint8."""
    low, high = torch.aminmax(block)
    lo, hi = low.item(), high.item()
    if not -_EXACT_SUM < lo <= hi < _EXACT_SUM:
        return IntKernel(torch, block.dtype)(block)
    d = block.double()
    if d.dim() != 1:
        d = d.reshape(-1)
    t = Tally(d.numel())
    t.lo, t.hi, t.centre = lo, hi, lo
    if lo <= 0 <= hi:
        t.zeros = t.read - int(torch.count_nonzero(block))
    t.total = int(d.sum().item())
    if lo < hi:
        t.centre, rest = divmod(t.total, t.read)
        t.offset = rest / t.read
        deviation = deviation_about_zero(squares(torch, d) / t.read, t.total / t.read)
        if deviation is None:
            deviation = deviation_about(squares(torch, d.sub_(t.centre)) / t.read, t.offset)
        t.deviation = deviation
    return t


class IntKernel:
    """Blocks of integers: range and sum to the last digit, the deviation from differences to a centre."""

    def __init__(self, torch: Any, dtype: Any) -> None:
        name = torch_name(dtype)
        self._torch = torch
        self._scratch = Scratch(torch)
        self._centre = 0
        self._offset = 2**63 if name == "uint64" else 0
        self._mask = {"uint16": 0xFFFF, "uint32": 0xFFFFFFFF}.get(name, 0)
        twin, work = SIGNED_TWIN.get(name, (None, name))
        self._twin = getattr(torch, twin) if twin else None
        self._work = getattr(torch, work)

    def __call__(self, block: Any) -> Tally:
        torch, n = self._torch, block.numel()
        t = Tally(n)
        block = self._signed(block)
        low, high = torch.aminmax(block)
        lo, hi = low.item(), high.item()
        zero = -self._offset
        t.lo, t.hi, t.centre = lo - zero, hi - zero, lo - zero
        if lo == hi:
            t.total, t.zeros = n * (lo - zero), n if lo == zero else 0
            return t
        if lo <= zero <= hi:
            t.zeros = n - nonzeros(torch, block if zero == 0 else block != zero, self._scratch)
        peak = max(-lo, hi)
        if n > SMALL and peak <= _EXACT and hi - lo <= _EXACT:
            if max(hi - self._centre, self._centre - lo) > _EXACT:
                self._centre = 0
            self._by_floats(t, block, torch.float32, SINGLE)
            t.total = int(t.centre) * n + round(t.offset * n)
            return t
        t.total = self._total(block, peak) - n * zero
        if n > SMALL and peak < 1 << 24:
            self._by_floats(t, block, torch.float32, SINGLE)
        elif peak < 1 << 53:
            self._by_floats(t, block, torch.float64, DOUBLE)
        else:
            self._by_differences(t, block, lo, hi, zero)
        return t

    def _signed(self, block: Any) -> Any:
        """The block in one contiguous dimension of signed integers (uint64 moved down by 2**63)."""
        if self._twin is None:
            return block.view(-1) if block.is_contiguous() else self._scratch.copy("block", self._work, block)
        w = self._scratch.copy("block", self._work, block.view(self._twin))
        return w.bitwise_and_(self._mask) if self._mask else w.bitwise_xor_(-(2**63))

    def _total(self, block: Any, peak: Number) -> int:
        """The exact sum, also when it does not fit in 64 bits."""
        if peak * block.numel() < 1 << 63:
            return int(block.sum().item())
        half = self._scratch.take("half", self._torch.int64, block.numel())
        high = self._torch.bitwise_right_shift(block, 32, out=half).sum().item()
        low = self._torch.bitwise_and(block, 0xFFFFFFFF, out=half).sum().item()
        return (int(high) << 32) + int(low)

    def _by_floats(self, t: Tally, block: Any, dtype: Any, unit: float) -> None:
        """The moments of integers that the floating-point `dtype` holds exactly, as it does those less a whole one."""
        w = self._scratch.copy("float", dtype, block)

        def about(centre: float) -> Any:
            return self._scratch.copy("float", dtype, block).sub_(centre)

        self._centre = round(moments(self._torch, t, w, about, self._centre, unit, round))
        t.centre += self._offset

    def _by_differences(self, t: Tally, block: Any, lo: int, hi: int, zero: int) -> None:
        """The moments of integers beyond 2**53, about an integer near their mean."""
        centre = lo + ((t.total or 0) + t.read * zero - t.read * lo) // t.read
        if hi - lo < 1 << 63:
            half = self._scratch.take("half", self._torch.int64, block.numel())
            w = self._scratch.copy("float", self._torch.float64, self._torch.sub(block, centre, out=half))
        else:  # differences could wrap around; the deviation is so large that rounding the numbers does not matter
            w = self._scratch.copy("float", self._torch.float64, block).sub_(float(centre))
        s1, s2 = sums(self._torch, w)
        t.centre, t.offset = centre - zero, s1 / t.read
        t.deviation = deviation_about(s2 / t.read, t.offset)
