"""Exact statistics of blocks of dense CPU tensors.

A kernel maps one block, a strided view of at most `BLOCK` numbers, to a `Tally`. Invariants: the user's memory is never
written to (in-place operations happen on scratch of our own only), and extra memory stays near 8 MiB whatever the
tensor's size.

Sums are taken over rows of 256 numbers in the working precision (torch's vectorised reductions then add a few dozen
terms in sequence at most) and over the rows in float64. Sums of squares are taken about zero where that is accurate and
about an approximate mean otherwise: the shifted algorithm of Chan, Golub and LeVeque, "Algorithms for computing the
sample variance: analysis and recommendations" (1983). Blocks merge as `Tally.add` says.
"""

import math
import struct
from typing import Any, Callable, Optional, Union

from .tally import ComplexStats, Number, Tally

BLOCK = 1 << 20
SMALL = 1 << 14
Kernel = Callable[[Any], Union[Tally, "ComplexTally"]]

_ROW = 256
_SINGLE = 2.2e-6  # bounds the error of a float32 row sum, as a share of the sum of magnitudes (gamma_37)
_DOUBLE = 1e-14  # the same for float64 sums of a block
_FLOATS = frozenset(("float64", "float32", "float16", "bfloat16"))
_INTS = frozenset(("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"))
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
_SIGNED_TWIN = {"uint16": ("int16", "int32"), "uint32": ("int32", "int64"), "uint64": ("int64", "int64")}


def kernel_for(torch: Any, dtype: Any) -> Optional[Kernel]:
    """The kernel for blocks of a real dtype, or None if its numbers can't be read one by one."""
    name = str(dtype)[6:]  # after "torch."
    if name in _FLOATS or name.startswith("float8_"):
        return FloatKernel(torch, dtype)
    if name in _INTS:
        return IntKernel(torch, dtype, name)
    if name == "bool":
        return lambda block: bools(torch, block)
    if name in _PARTS:
        return ComplexKernel(torch, getattr(torch, _PARTS[name]))
    return None


def empty(dtype: Any) -> Union[Tally, "ComplexTally"]:
    """What is known of no numbers."""
    return ComplexTally(Tally(), Tally(), Tally()) if dtype.is_complex else Tally()


def bools(torch: Any, block: Any) -> Tally:
    """Truth values counted as 0 and 1."""
    t = Tally(block.numel())
    ones = int(torch.count_nonzero(block))
    t.zeros, t.total = t.read - ones, ones
    t.lo, t.hi = int(ones == t.read), int(ones > 0)
    t.offset = share = ones / t.read
    t.spread = math.sqrt(share * (1.0 - share))
    return t


def small_floats(torch: Any, block: Any) -> Tally:
    """A few thousand floating-point numbers of any magnitude, in two passes of float64."""
    flat = block.reshape(-1)
    d = flat.double()
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
    d = d - centre
    square = d.dot(d).item() / n
    t.centre, t.spread = math.ldexp(centre, -power), unscaled(math.sqrt(square), power)
    if flat.dtype is d.dtype:
        t.offset = unscaled(d.sum().item() / n, power)
    t.error = unscaled(math.hypot(math.sqrt(square), centre), power) * _DOUBLE
    return t


def unscaled(x: float, power: int) -> float:
    """`x` times 2**-power, infinite rather than an error when that is too large."""
    try:
        return math.ldexp(x, -power)
    except OverflowError:
        return math.inf


class _Scratch:
    """Buffers of our own, made when first needed and used again for every block."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._buffers: dict[tuple[str, Any], Any] = {}

    def take(self, role: str, dtype: Any, n: int) -> Any:
        """One dimension of `n` numbers; what it held before is lost."""
        buffer = self._buffers.get((role, dtype))
        if buffer is None or buffer.numel() < n:
            buffer = self._buffers[role, dtype] = self._torch.empty(n, dtype=dtype, device="cpu")
        return buffer[:n]

    def copy(self, role: str, dtype: Any, block: Any) -> Any:
        """The numbers of `block`, converted and in one contiguous dimension."""
        flat = self.take(role, dtype, block.numel())
        flat.view(block.shape).copy_(block)
        return flat


def _sums(torch: Any, w: Any) -> tuple[float, float]:
    """The sum and the sum of squares of one contiguous dimension of float32 or float64."""
    n = w.numel()
    whole = n - n % _ROW
    s1 = s2 = 0.0
    if whole:
        rows = w[:whole].view(-1, _ROW)
        norms = torch.linalg.vector_norm(rows, dim=1).double()
        s1, s2 = rows.sum(1).double().sum().item(), norms.dot(norms).item()
    if whole < n:
        rest = w[whole:].double()
        s1, s2 = s1 + rest.sum().item(), s2 + rest.dot(rest).item()
    return s1, s2


def _moments(torch: Any, t: Tally, w: Any, about: Callable[[float], Any], hint: float, unit: float) -> float:
    """Sets mean, spread and error of the `t.finite` numbers of `w`, shifted by `about(centre)` where that is needed.

    `hint` is a centre that served the block before (0 for none); returns the one that served this one.
    """
    centre = hint
    for attempt in range(3):
        s1, s2 = _sums(torch, w if centre == 0.0 and not attempt else about(centre))
        mean, square = s1 / t.finite, s2 / t.finite
        variance = square - mean * mean
        t.centre, t.offset, t.spread = centre, mean, math.sqrt(max(0.0, variance))
        t.error = math.sqrt(square) * unit
        if variance > 0.1 * square:
            break
        centre += mean
        if unit is _SINGLE:
            centre = struct.unpack("f", struct.pack("f", centre))[0]
    return centre


class FloatKernel:
    """Blocks of floating-point numbers; those narrower than float32 are widened to it first."""

    def __init__(self, torch: Any, dtype: Any) -> None:
        self._torch = torch
        self._work = torch.float64 if dtype is torch.float64 else torch.float32
        self._unit, self._low, self._high = (
            (_DOUBLE, 1e-120, 1e140) if dtype is torch.float64 else (_SINGLE, 1e-10, 1e15)
        )
        self._scratch = _Scratch(torch)
        self._centre = 0.0

    def __call__(self, block: Any) -> Tally:
        torch, n = self._torch, block.numel()
        if n <= SMALL:
            return small_floats(torch, block)
        if block.dtype is self._work and block.is_contiguous():
            block = block.view(-1)
        else:
            block = self._scratch.copy("block", self._work, block)
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
            t.zeros = n - int(torch.count_nonzero(block))
        return self._finished(t, block, block)

    def _with_specials(self, block: Any) -> Tally:
        """A block with NaN or infinities: they are counted, then replaced by finite numbers that add nothing."""
        torch, n = self._torch, block.numel()
        t = Tally(n)
        t.zeros = n - int(torch.count_nonzero(block))
        w = self._scratch.take("work", self._work, n)
        torch.nan_to_num(block, nan=0.0, posinf=math.inf, neginf=-math.inf, out=w)
        lo, hi = (x.item() for x in torch.aminmax(w))
        if hi == math.inf or lo == -math.inf:
            t.pos_inf = int(torch.count_nonzero(w == math.inf))
            t.neg_inf = int(torch.count_nonzero(w == -math.inf))
            lo, hi = (x.item() for x in torch.aminmax(_filled(torch, block, 0.0, w)))
        t.finite = int(torch.count_nonzero(w)) + t.zeros
        t.nan = n - t.finite - t.pos_inf - t.neg_inf
        if not t.finite:
            return t
        if not t.zeros and (lo == 0.0 or hi == 0.0):  # that end may be our own zeros
            inside = hi or lo
            lo, hi = (x.item() for x in torch.aminmax(_filled(torch, block, inside, w)))
            _filled(torch, block, 0.0, w)
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
            return torch.sub(raw if w is raw else _filled(torch, raw, centre, out), centre, out=out)

        self._centre = _moments(torch, t, w, about, self._centre, self._unit)
        return t


def _filled(torch: Any, raw: Any, value: float, out: Any) -> Any:
    """`raw` with `value` for NaN and infinities, written to `out`."""
    return torch.nan_to_num(raw, nan=value, posinf=value, neginf=value, out=out)


class IntKernel:
    """Blocks of integers: range and sum to the last digit, the spread from differences to a centre."""

    def __init__(self, torch: Any, dtype: Any, name: str) -> None:
        self._torch = torch
        self._scratch = _Scratch(torch)
        self._centre = 0.0
        self._offset = 2**63 if name == "uint64" else 0
        self._mask = {"uint16": 0xFFFF, "uint32": 0xFFFFFFFF}.get(name, 0)
        twin, work = _SIGNED_TWIN.get(name, (None, name))
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
            t.zeros = n - int(torch.count_nonzero(block if zero == 0 else block != zero))
        peak = max(-lo, hi)
        if n > SMALL and peak <= 0xFFFF:  # float32 holds the sum of a row exactly
            self._by_floats(t, block, torch.float32, _SINGLE)
            t.total = round((t.centre + t.offset) * n)
            return t
        t.total = self._total(block, peak) - n * zero
        if n > SMALL and peak < 1 << 24:
            self._by_floats(t, block, torch.float32, _SINGLE)
        elif peak < 1 << 53:
            self._by_floats(t, block, torch.float64, _DOUBLE)
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
        high, low = (block >> 32).sum().item(), (block & 0xFFFFFFFF).sum().item()
        return (int(high) << 32) + int(low)

    def _by_floats(self, t: Tally, block: Any, dtype: Any, unit: float) -> None:
        """The moments of integers that the floating-point `dtype` holds exactly."""
        w = self._scratch.copy("float", dtype, block)
        self._centre = _moments(
            self._torch, t, w, lambda centre: self._scratch.copy("float", dtype, block).sub_(centre), self._centre, unit
        )

    def _by_differences(self, t: Tally, block: Any, lo: int, hi: int, zero: int) -> None:
        """The moments of integers beyond 2**53, about an integer near their mean."""
        centre = lo + ((t.total or 0) + t.read * zero - t.read * lo) // t.read
        if hi - lo < 1 << 63:
            w = self._scratch.copy("float", self._torch.float64, block - centre)
        else:  # differences could wrap around; the spread is so large that rounding the numbers does not matter
            w = self._scratch.copy("float", self._torch.float64, block).sub_(float(centre))
        s1, s2 = _sums(self._torch, w)
        t.centre, t.offset = centre - zero, s1 / t.read
        t.spread = math.sqrt(max(0.0, s2 / t.read - t.offset * t.offset))


class ComplexTally:
    """Tallies of the real parts, the imaginary parts and the magnitudes of complex numbers."""

    __slots__ = ("abs", "imag", "read", "real")

    def __init__(self, real: Tally, imag: Tally, magnitude: Tally) -> None:
        self.real, self.imag, self.abs, self.read = real, imag, magnitude, real.read

    def add(self, other: "ComplexTally", weight: float = 1.0) -> None:
        """Takes in a disjoint set, as `Tally.add` does."""
        self.read += other.read
        self.real.add(other.real, weight)
        self.imag.add(other.imag, weight)
        self.abs.add(other.abs, weight)

    def parts(self, count: int, weight: int = 1) -> ComplexStats:
        """The answer for `count` elements, as `Tally.stats` gives it."""
        return {
            "real": self.real.stats(count, weight),
            "imag": self.imag.stats(count, weight),
            "abs": self.abs.stats(count, weight),
        }


class ComplexKernel:
    """Blocks of complex numbers (without the conjugate bit), whose parts are of the real dtype `part`."""

    def __init__(self, torch: Any, part: Any) -> None:
        self._torch = torch
        self._kernel = FloatKernel(torch, part)
        self._work = torch.float64 if part is torch.float64 else torch.float32
        self._scratch = _Scratch(torch)

    def __call__(self, block: Any) -> ComplexTally:
        parts = self._torch.view_as_real(block)
        real, imag = parts.select(-1, 0), parts.select(-1, 1)
        magnitude = self._scratch.take("abs", self._work, real.numel()).view(real.shape)
        self._torch.hypot(real.to(self._work), imag.to(self._work), out=magnitude)
        return ComplexTally(self._kernel(real), self._kernel(imag), self._kernel(magnitude))
