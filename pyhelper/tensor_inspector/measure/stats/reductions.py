"""The few reductions that every kernel is made of, and the scratch memory they work in.

Sums are taken over rows of 256 numbers in the working precision (torch's vectorised reductions then add a few dozen
terms in sequence at most) and over the rows in float64. Sums of squares are taken about zero where that is accurate and
about an approximate mean otherwise: the shifted algorithm of Chan, Golub and LeVeque, "Algorithms for computing the
sample variance: analysis and recommendations" (1983).
"""

import math
import struct
from typing import Any, Callable, Optional

from .tally import Tally

BLOCK = 1 << 20  # elements read between two looks at the clock: up to 7 MiB of scratch
ALONE = 31 << 10  # elements: so many torch works on with one thread; whole rows of those that are added up in rows
SMALL = 1 << 14  # up to here float64 and plain reductions are fastest
SINGLE = 2.2e-6  # bounds the error of a float32 row sum, as a share of the sum of magnitudes (gamma_37)
DOUBLE = 1e-14  # the same for float64 sums of a block
_NEAR = 1e-4  # of a mean square: what the variance must be of it for the difference of the two to have its digits
_ROW = 256
_DOT = 1 << 12  # numbers: from so many on MKL splits a dot product among threads, those of its own count


def unscaled(x: float, power: int) -> float:
    """`x` times 2**-power, infinite rather than an error when that is too large."""
    try:
        return math.ldexp(x, -power)
    except OverflowError:
        return math.inf


def deviation_about(square: float, offset: float) -> float:
    """The standard deviation of numbers from their mean square about a centre, and how far from that their mean is.

    Without the second the rounding of the centre would count as deviation, and be all of it in nearly constant numbers.
    """
    return math.sqrt(max(0.0, square - offset * offset))


def deviation_about_zero(square: float, mean: float) -> Optional[float]:
    """The standard deviation of numbers from their mean square and their mean.

    None where the numbers lie so far from zero that the difference of the two would have few of float64's digits.
    """
    variance = square - mean * mean
    return None if variance < _NEAR * square else math.sqrt(variance)


class Scratch:
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


def squares(torch: Any, d: Any) -> float:
    """The sum of the squares of one dimension of float64. A dot product is fastest, but a long one is split among
    threads, for which busy cores would make a small tensor wait."""
    if d.numel() < _DOT:
        return float(d.dot(d).item())
    norm = float(torch.linalg.vector_norm(d).item())
    return norm * norm


def nonzeros(torch: Any, block: Any, scratch: Optional[Scratch]) -> int:
    """How many numbers are not zero (NaN is not).

    Converting to bool and adding the bytes eight at a time, at most 128 to a byte, is faster than `count_nonzero`.
    """
    n = block.numel()
    if scratch is None or n <= ALONE:
        return int(torch.count_nonzero(block))
    truths = scratch.copy("truths", torch.bool, block)
    whole = n - n % 1024
    counts = truths[:whole].view(torch.int64).view(-1, 128).sum(1).view(torch.uint8)
    return int(counts.sum()) + (int(torch.count_nonzero(truths[whole:])) if whole < n else 0)


def sums(torch: Any, w: Any) -> tuple[float, float]:
    """The sum and the sum of squares of one contiguous dimension of float32 or float64."""
    n = w.numel()
    whole = n - n % _ROW
    s1 = s2 = 0.0
    if whole:
        rows = w[:whole].view(-1, _ROW)
        norms = torch.linalg.vector_norm(rows, dim=1).double()
        s1, s2 = rows.sum(1).sum(dtype=torch.float64).item(), squares(torch, norms)
    if whole < n:
        rest = w[whole:].double()
        s1, s2 = s1 + rest.sum().item(), s2 + squares(torch, rest)
    return s1, s2


def single(x: float) -> float:
    """The nearest float32."""
    return float(struct.unpack("f", struct.pack("f", x))[0])


def moments(
    torch: Any,
    t: Tally,
    w: Any,
    about: Callable[[float], Any],
    hint: float,
    unit: float,
    nearest: Callable[[float], float] = float,
) -> float:
    """Sets mean, deviation and error of the `t.finite` numbers of `w`, shifted by `about(centre)` where that is needed.

    `hint` is a centre that served the block before (0 for none); returns the one that served this one. `nearest` gives
    the centre near a mean from which the numbers' distances are rounded least.
    """
    centre = hint
    for attempt in range(3):
        s1, s2 = sums(torch, w if centre == 0.0 and not attempt else about(centre))
        mean, square = s1 / t.finite, s2 / t.finite
        variance = square - mean * mean
        t.centre, t.offset, t.deviation = centre, mean, deviation_about(square, mean)
        t.error = math.sqrt(square) * unit
        if variance > 0.1 * square:
            break
        centre = nearest(centre + mean)
    return centre
