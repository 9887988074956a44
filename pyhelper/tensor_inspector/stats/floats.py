"""Kernels for floating-point numbers: blocks of at most `BLOCK` of them become a `Tally`."""

import math
from typing import Any

from .reductions import DOUBLE, SINGLE, SMALL, Scratch, filled, moments, nonzeros, unscaled
from .tally import Tally


def small_floats(torch: Any, block: Any) -> Tally:
    """A few thousand floating-point numbers of any magnitude, in two passes of float64."""
    d = block.double()
    if d.dim() != 1:
        d = d.reshape(-1)
    ours = block.dtype is not d.dtype  # else d may be the user's own memory
    t = Tally(d.numel())
    low, high = torch.aminmax(d)
    lo, hi = low.item(), high.item()
    if not (-math.inf < lo and hi < math.inf):  # also when they are NaN
        t.pos_inf = int(torch.count_nonzero(d == math.inf))
        t.neg_inf = int(torch.count_nonzero(d == -math.inf))
        t.zeros = t.read - int(torch.count_nonzero(d))
        d = d[torch.isfinite(d)]
        t.finite = d.numel()
        t.nan = t.read - t.finite - t.pos_inf - t.neg_inf
        if not t.finite:
            return t
        low, high = torch.aminmax(d)
        lo, hi = low.item(), high.item()
    elif lo <= 0.0 <= hi:
        t.zeros = t.read - int(torch.count_nonzero(d))
    t.lo, t.hi, t.centre = lo, hi, lo
    if lo == hi:
        return t
    peak = max(-lo, hi)
    power = 0 if 1e-120 < peak < 1e140 else -math.frexp(peak)[1]
    if power:  # scaled by a power of two (in two steps, since 2**1074 is no float64), so that squares fit
        d = d * 2.0 ** (power // 2) * 2.0 ** (power - power // 2)
    n = t.finite
    centre = d.sum().item() / n
    d = d.sub_(centre) if ours else d - centre
    square = d.dot(d).item() / n
    t.error = math.sqrt(square + centre * centre) * DOUBLE
    t.centre, t.spread = centre, math.sqrt(square)
    if not ours:  # differences of float64 numbers far from zero can show more of the mean
        t.offset = d.sum().item() / n
    if power:
        t.centre, t.offset = unscaled(centre, power), unscaled(t.offset, power)
        t.spread, t.error = unscaled(t.spread, power), unscaled(t.error, power)
    return t


class FloatKernel:
    """Blocks of floating-point numbers; those narrower than float32 are widened to it first."""

    def __init__(self, torch: Any, dtype: Any) -> None:
        self._torch = torch
        self._work = torch.float64 if dtype is torch.float64 else torch.float32
        self._unit, self._low, self._high = (DOUBLE, 1e-120, 1e140) if dtype is torch.float64 else (SINGLE, 1e-10, 1e15)
        self._scratch = Scratch(torch)
        self._centre = 0.0
        self._had_specials = False

    def __call__(self, block: Any) -> Tally:
        torch, n = self._torch, block.numel()
        if n <= SMALL:
            return small_floats(torch, block)
        if block.dtype is self._work and block.is_contiguous():
            block = block.view(-1)
        else:
            block = self._scratch.copy("block", self._work, block)
        if self._had_specials:  # so has this block, most likely
            return self._with_specials(block)
        low, high = torch.aminmax(block)
        lo, hi = low.item(), high.item()
        if not (-math.inf < lo and hi < math.inf):
            return self._with_specials(block)
        t = Tally(n)
        t.lo, t.hi, t.centre = lo, hi, lo
        if lo == hi:
            t.zeros = n if lo == 0.0 else 0
            return t
        if lo <= 0.0 <= hi:
            t.zeros = n - nonzeros(torch, block, self._scratch)
        return self._finished(t, block, block)

    def _with_specials(self, block: Any) -> Tally:
        """A block with NaN or infinities: they are counted, then replaced by finite numbers that add nothing."""
        torch, n = self._torch, block.numel()
        t = Tally(n)
        t.zeros = n - nonzeros(torch, block, self._scratch)
        w = self._scratch.take("work", self._work, n)
        torch.nan_to_num(block, nan=0.0, posinf=math.inf, neginf=-math.inf, out=w)
        lo, hi = (x.item() for x in torch.aminmax(w))
        if hi == math.inf or lo == -math.inf:
            t.pos_inf = int(torch.count_nonzero(w == math.inf))
            t.neg_inf = int(torch.count_nonzero(w == -math.inf))
            lo, hi = (x.item() for x in torch.aminmax(filled(torch, block, 0.0, w)))
        t.finite = nonzeros(torch, w, self._scratch) + t.zeros
        t.nan = n - t.finite - t.pos_inf - t.neg_inf
        self._had_specials = t.finite < n
        if not t.finite:
            return t
        if not t.zeros and (lo == 0.0 or hi == 0.0):  # that end may be our own zeros
            inside = hi or lo
            lo, hi = (x.item() for x in torch.aminmax(filled(torch, block, inside, w)))
            filled(torch, block, 0.0, w)
        t.lo, t.hi, t.centre = lo, hi, lo
        return t if lo == hi else self._finished(t, w, block)

    def _finished(self, t: Tally, w: Any, raw: Any) -> Tally:
        """`t` with the moments of `w`, which is `raw` with zeros for what is not finite."""
        torch = self._torch
        if not self._low < max(-float(t.lo or 0), float(t.hi or 0)) < self._high:  # squares might not fit
            total = Tally()
            for start in range(0, t.read, SMALL):
                total.add(small_floats(torch, raw[start : start + SMALL]))
            return total
        out = self._scratch.take("work", self._work, t.read)

        def about(centre: float) -> Any:
            return torch.sub(raw if w is raw else filled(torch, raw, centre, out), centre, out=out)

        self._centre = moments(torch, t, w, about, self._centre, self._unit)
        return t


class ByteFloatKernel:
    """Blocks of one-byte floating-point numbers: each of the 256 patterns is counted, and the rest is arithmetic."""

    def __init__(self, torch: Any, dtype: Any) -> None:
        self._torch = torch
        patterns = torch.arange(256, dtype=torch.uint8, device="cpu").view(dtype)
        self._values: list[float] = patterns.double().tolist()

    def __call__(self, block: Any) -> Tally:
        counts = self._torch.bincount(block.view(self._torch.uint8).reshape(-1), minlength=256).tolist()
        t = Tally(block.numel())
        finite = []
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
            t.spread = math.sqrt(math.fsum((value - t.centre) ** 2 * count for value, count in finite) / t.finite)
        return t
