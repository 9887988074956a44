"""Kernels for floating-point numbers: blocks of at most `BLOCK` of them become a `Tally`."""

import math
from typing import Any, Optional

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
    single,
    squares,
    unscaled,
)
from .tally import Tally

NARROW = ("float32", "float16", "bfloat16")  #: formats of whose numbers float64 holds the squares


def small_floats(torch: Any, block: Any) -> Tally:
    """A few thousand floating-point numbers of any magnitude, in two passes of float64."""
    d = block.double()
    if d.dim() != 1:
        d = d.reshape(-1)
    ours = narrow = block.dtype is not d.dtype  # else d may be the user's own memory
    t = Tally(d.numel())
    lo, hi = _range(torch, d)
    if lo != lo:  # a NaN is among them
        d, ours = d.masked_select(d == d), True  # indexing would wait for other threads
        t.finite = d.numel()
        t.nan = t.read - t.finite
        if not t.finite:
            return t
        lo, hi = _range(torch, d)
    if lo == -math.inf or hi == math.inf:
        numbers = d.masked_select((d - d) == 0)
        t.pos_inf = int(torch.count_nonzero(d == math.inf)) if hi == math.inf else 0
        t.neg_inf = t.finite - numbers.numel() - t.pos_inf
        d, ours, t.finite = numbers, True, numbers.numel()
        if not t.finite:
            return t
        lo, hi = _range(torch, d)
    if lo <= 0.0 <= hi:
        t.zeros = t.finite - int(torch.count_nonzero(d))
    t.lo, t.hi, t.centre = lo, hi, lo
    if lo == hi:
        return t
    if narrow and _about_zero(t, d.sum().item(), squares(torch, d)):
        return t
    peak = max(-lo, hi)
    power = 0 if 1e-120 < peak < 1e140 else -math.frexp(peak)[1]
    if power:  # scaled by a power of two (in two steps, since 2**1074 is no float64), so that squares fit
        d = d * 2.0 ** (power // 2) * 2.0 ** (power - power // 2)
    n = t.finite
    centre = d.sum().item() / n
    centre = min(max(centre, unscaled(lo, -power)), unscaled(hi, -power)) if power else min(max(centre, lo), hi)
    d = d.sub_(centre) if ours else d - centre
    square, offset = squares(torch, d) / n, d.sum().item() / n
    t.error = math.sqrt(square + centre * centre) * DOUBLE
    t.centre, t.offset, t.deviation = centre, offset, deviation_about(square, offset)
    if power:
        t.centre, t.offset = unscaled(centre, power), unscaled(t.offset, power)
        t.deviation, t.error = unscaled(t.deviation, power), unscaled(t.error, power)
    return t


def _range(torch: Any, d: Any) -> tuple[float, float]:
    low, high = torch.aminmax(d)
    return low.item(), high.item()


def rows_of_floats(torch: Any, d: Any) -> list[Optional[Tally]]:
    """What `small_floats` tells, of each row of a matrix of float64 whose numbers come from a narrower format.

    None stands for a row that needs more than sums about zero."""
    n = d.shape[1]
    rows = zip(d.amin(1).tolist(), d.amax(1).tolist(), d.sum(1).tolist(), torch.linalg.vector_norm(d, dim=1).tolist())
    none = int(torch.count_nonzero(d)) == d.numel()
    zeros = [0] * len(d) if none else (n - torch.count_nonzero(d, dim=1)).tolist()
    return [_row(Tally(n), *row, zeros[at]) for at, row in enumerate(rows)]


def _row(t: Tally, lo: float, hi: float, total: float, norm: float, zeros: int) -> Optional[Tally]:
    if not (math.isfinite(lo) and math.isfinite(hi)):
        return None
    t.lo, t.hi, t.centre, t.zeros = lo, hi, lo, zeros
    return t if lo == hi or _about_zero(t, total, norm * norm) else None


def _about_zero(t: Tally, total: float, squared: float) -> bool:
    """The moments from sums about zero, where these tell them.

    The numbers come from a narrower format, so their squares fit. What varies so much has its mean well within its
    range, whatever the rounding.
    """
    centre, square = total / t.finite, squared / t.finite
    deviation = deviation_about_zero(square, centre)
    if deviation is None:
        return False
    t.centre, t.deviation, t.error = centre, deviation, math.sqrt(square) * DOUBLE
    return True


class FloatKernel:
    """Blocks of floating-point numbers, read where they lie if contiguous and wide enough, else copied to scratch."""

    def __init__(self, torch: Any, dtype: Any) -> None:
        self._torch = torch
        self._work = torch.float64 if dtype is torch.float64 else torch.float32
        self._unit, self._low, self._high = (DOUBLE, 1e-120, 1e140) if dtype is torch.float64 else (SINGLE, 1e-10, 1e15)
        self._scratch = Scratch(torch)
        self._centre = 0.0
        self._had_specials = False

    def __call__(self, block: Any) -> Tally:
        n = block.numel()
        if n <= SMALL:
            return small_floats(self._torch, block)
        t, x = Tally(n), self._numbers(block)
        if self._had_specials:  # so has this block, most likely
            return self._with_specials(t, block, x)
        lo, hi = _range(self._torch, x)
        if not (math.isfinite(lo) and math.isfinite(hi)):
            return self._with_specials(t, block, x)
        t.lo, t.hi, t.centre = lo, hi, lo
        if lo == hi:
            t.zeros = n if lo == 0.0 else 0
            return t
        ours, may_be_zero = not self._is_ready(block), lo <= 0.0 <= hi
        if may_be_zero and ours:
            t.zeros = n - nonzeros(self._torch, x, self._scratch)
        t = self._with_moments(t, block, x)
        if may_be_zero and not ours:  # only now: while the block is still on its way to the cache, sums cost less
            t.zeros = n - nonzeros(self._torch, x, self._scratch)
        return t

    def _is_ready(self, block: Any) -> bool:
        return block.dtype is self._work and bool(block.is_contiguous())

    def _numbers(self, block: Any, fill: Optional[float] = None) -> Any:
        """The block in one contiguous dimension: where it lies, or in scratch, with `fill` for NaN and infinities."""
        x = block.view(-1) if self._is_ready(block) else self._scratch.copy("work", self._work, block)
        if fill is None:
            return x
        w = self._scratch.take("work", self._work, x.numel())
        return self._torch.nan_to_num(x, nan=fill, posinf=fill, neginf=fill, out=w)

    def _with_specials(self, t: Tally, block: Any, x: Any) -> Tally:
        """A block with NaN or infinities: they are counted, then replaced by finite numbers that add nothing."""
        torch, n = self._torch, t.read
        t.zeros = n - nonzeros(torch, x, self._scratch)
        w = self._scratch.take("work", self._work, n)
        lo, hi = _range(torch, torch.nan_to_num(x, nan=0.0, posinf=math.inf, neginf=-math.inf, out=w))
        if hi == math.inf or lo == -math.inf:
            t.pos_inf = int(torch.count_nonzero(w == math.inf))
            t.neg_inf = int(torch.count_nonzero(w == -math.inf))
            lo, hi = _range(torch, torch.nan_to_num(w, posinf=0.0, neginf=0.0, out=w))
        t.finite = nonzeros(torch, w, self._scratch) + t.zeros
        t.nan = n - t.finite - t.pos_inf - t.neg_inf
        self._had_specials = t.finite < n
        if not t.finite:
            return t
        if not t.zeros and (lo == 0.0 or hi == 0.0):  # that end may be our own zeros
            lo, hi = _range(torch, self._numbers(block, fill=hi or lo))
            w = self._numbers(block, fill=0.0)
        t.lo, t.hi, t.centre = lo, hi, lo
        return t if lo == hi else self._with_moments(t, block, w)

    def _with_moments(self, t: Tally, block: Any, w: Any) -> Tally:
        """`t` with the moments of `w`, the numbers of `block` with zeros for what is not finite."""
        if not self._low < max(-float(t.lo or 0), float(t.hi or 0)) < self._high:  # squares might not fit
            raw, total = self._numbers(block), Tally()
            for start in range(0, t.read, SMALL):
                total.add(small_floats(self._torch, raw[start : start + SMALL]))
            return total

        def about(centre: float) -> Any:
            shifted = self._numbers(block, centre if t.finite < t.read else None)
            return self._torch.sub(shifted, centre, out=self._scratch.take("work", self._work, t.read))

        nearest = float if self._work is self._torch.float64 else single
        self._centre = moments(self._torch, t, w, about, self._centre, self._unit, nearest)
        return t


_AS_FLOAT16 = {"float8_e4m3fn": (1 << 7, 0xBFFF, 256, 480), "float8_e5m2": (1 << 8, 0xFF00, 1, math.nan)}


class ByteFloatKernel:
    """Blocks of one-byte floating-point numbers. The two usual formats become float16 by shifting their bits: float16
    times a power of two, but for the NaN of the first, which would be ±480. Where there is one, and in the other
    formats, each of the 256 patterns is counted, and the rest is arithmetic."""

    def __init__(self, torch: Any, dtype: Any) -> None:
        self._torch = torch
        self._scratch = Scratch(torch)
        self._shift, self._mask, self._factor, self._nan = _AS_FLOAT16.get(torch_name(dtype), (0, 0, 0, 0))
        self._wide = FloatKernel(torch, torch.float16)
        patterns = torch.arange(256, dtype=torch.uint8, device="cpu").view(dtype)
        self._values: list[float] = patterns.double().tolist()

    def __call__(self, block: Any) -> Tally:
        if not self._shift:
            return self._counted(block)
        bits = self._scratch.copy("bits", self._torch.int16, block.view(self._torch.int8))  # sign in the upper half
        bits.mul_(self._shift).bitwise_and_(self._mask - 0x10000)
        t = self._wide(bits.view(self._torch.float16))
        t.scale(self._factor)
        return self._counted(block) if self._nan in (t.hi, -(t.lo or 0)) else t

    def _counted(self, block: Any) -> Tally:
        torch, n = self._torch, block.numel()
        u = self._scratch.copy("bytes", torch.uint8, block.view(torch.uint8))
        if n < 1 << 18:
            counts = torch.bincount(u, minlength=256).tolist()
        else:  # two at a time
            pairs = self._scratch.copy("pairs", torch.int32, u[: n - n % 2].view(torch.int16)).bitwise_and_(0xFFFF)
            both = torch.bincount(pairs, minlength=1 << 16).view(256, 256)
            counts = (both.sum(0) + both.sum(1)).tolist()
            if n % 2:
                counts[int(u[-1])] += 1
        t, finite = Tally(n), []
        for value, count in zip(self._values, counts):
            if not count:
                continue
            if -math.inf < value < math.inf:
                finite.append((value, count))
                t.zeros += count if value == 0.0 else 0
            elif value != value:
                t.nan += count
            elif value > 0.0:
                t.pos_inf += count
            else:
                t.neg_inf += count
        t.finite = sum(count for _, count in finite)
        if finite:
            t.lo, t.hi = min(finite)[0], max(finite)[0]
            t.centre = math.fsum(value * count for value, count in finite) / t.finite
            t.deviation = math.sqrt(math.fsum((value - t.centre) ** 2 * count for value, count in finite) / t.finite)
            t.error = math.hypot(t.centre, t.deviation) * 1e-15  # none here, but some when merged
        return t
