"""`Tally`: the statistics of a set of numbers, and how the statistics of two sets are merged.

Invariants: a `Tally` never overflows (it keeps the root of the variance, not a sum of squares), integers stay Python
ints, and nothing here reads a tensor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from ...protocol import ComplexStats, Stats

Number = Union[int, float]
LEAST = 5e-324  #: the least number above 0
MAX_POINTS = 256  #: bins or quantiles that can be asked for: each is a search of its own


class Beyond(Exception):
    """A finite number that float64 does not hold."""


class Tally:
    """Count, range, mean, deviation and special values of a set of numbers.

    `finite` is how many of the `read` numbers are finite; their mean is `centre + offset` (in two parts, so that sets
    with close means far from zero merge without loss; `centre` is an int for integers) and `error` bounds its error;
    `deviation` is their population standard deviation; `total` their exact sum when all are integers, else None.
    """

    __slots__ = (
        "centre",
        "deviation",
        "error",
        "finite",
        "hi",
        "lo",
        "nan",
        "neg_inf",
        "offset",
        "pos_inf",
        "read",
        "total",
        "zeros",
    )

    def __init__(self, read: int = 0) -> None:
        self.read = self.finite = read
        self.lo: Number | None = None
        self.hi: Number | None = None
        self.centre: Number = 0
        self.offset = self.deviation = self.error = 0.0
        self.total: int | None = None
        self.nan = self.pos_inf = self.neg_inf = self.zeros = 0

    def add(self, other: Tally, weight: float = 1.0) -> None:
        """Takes in a disjoint set; each of its numbers stands for `weight` of the whole (1, unless it is a sample).

        The pairwise update of Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
        variances" (1979), written with root mean squares so that it can't overflow.
        """
        self.read += other.read
        self.nan += other.nan
        self.pos_inf += other.pos_inf
        self.neg_inf += other.neg_inf
        self.zeros += other.zeros
        if not other.finite or other.lo is None or other.hi is None:
            return
        if not self.finite or self.lo is None or self.hi is None:
            self.finite, self.lo, self.hi, self.total = other.finite, other.lo, other.hi, other.total
            self.centre, self.offset = other.centre, other.offset
            self.deviation, self.error = other.deviation, other.error
            return
        n = self.finite + other.finite * weight
        a, b = self.finite / n, other.finite * weight / n
        self.lo, self.hi = min(self.lo, other.lo), max(self.hi, other.hi)
        self.total = None if self.total is None or other.total is None else self.total + other.total
        apart = float(other.centre - self.centre) + (other.offset - self.offset)
        between = apart * math.sqrt(a * b)
        if math.isfinite(apart):
            self.offset += apart * b
        else:  # means at opposite ends of float64
            ours, theirs = float(self.centre + self.offset), float(other.centre + other.offset)
            between = (theirs * 0.5 - ours * 0.5) * math.sqrt(a * b) * 2.0
            self.centre, self.offset = 0, ours * a + theirs * b
        self.deviation = math.hypot(self.deviation * math.sqrt(a), other.deviation * math.sqrt(b), between)
        self.error = self.error * a + other.error * b
        self.finite += other.finite

    def scale(self, factor: float) -> None:
        """Makes this the tally of the same numbers times a power of two, which rounds none of them."""
        if self.lo is not None and self.hi is not None:
            self.lo, self.hi, self.centre, self.offset, self.deviation, self.error = (
                x * factor for x in (self.lo, self.hi, self.centre, self.offset, self.deviation, self.error)
            )

    def estimate(self) -> None:
        """Makes this the tally of a sample: its mean is as sure as four standard errors, its sum is not the whole's."""
        self.total = None
        if self.finite:
            self.error += 4.0 * self.deviation / math.sqrt(self.finite)

    def stats(self, count: int, weight: int = 1) -> Stats:
        """The answer for `count` elements; each number stands for `weight` of them (an expanded view)."""
        finite, exact = self.finite * weight, self.read * weight == count
        mean: float | None = None
        std: float | None = None
        error = 0.0
        if self.finite:
            if self.total is not None:
                mean = self.total / self.finite
            else:
                mean = self.centre + self.offset
                error = self.error + (max(abs(mean) * 2.3e-16, LEAST) if self.lo != self.hi else 0.0)
            if finite > 1:
                deviation = max(self.deviation, LEAST) if self.lo != self.hi else self.deviation
                std = deviation if finite > 10**15 else deviation * math.sqrt(finite / (finite - 1))
                std = None if math.isinf(std) else std  # beyond float64
        return {
            "count": count,
            "min": self.lo,
            "max": self.hi,
            "mean": mean,
            "std": std,
            "nan": self.nan * weight,
            "pos_inf": self.pos_inf * weight,
            "neg_inf": self.neg_inf * weight,
            "zeros": self.zeros * weight,
            "exact": exact,
            "read": self.read * weight,
            "mean_error": error,
        }


def negated(s: Stats) -> Stats:
    """The statistics of the same numbers with their signs flipped."""
    lo, hi, mean = s["min"], s["max"], s["mean"]
    flipped: Stats = s.copy()
    flipped["min"] = None if hi is None else -hi
    flipped["max"] = None if lo is None else -lo
    flipped["mean"] = None if mean is None else -mean
    flipped["pos_inf"], flipped["neg_inf"] = s["neg_inf"], s["pos_inf"]
    return flipped


class ComplexTally:
    """Tallies of the real parts, the imaginary parts and the magnitudes of complex numbers.

    `infinite` of the numbers have an infinite part; every other infinite magnitude is finite beyond float64.
    """

    __slots__ = ("abs", "imag", "infinite", "read", "real")

    def __init__(self, real: Tally, imag: Tally, magnitude: Tally, infinite: int = 0) -> None:
        self.real, self.imag, self.abs, self.read, self.infinite = real, imag, magnitude, real.read, infinite

    def add(self, other: ComplexTally, weight: float = 1.0) -> None:
        """Takes in a disjoint set, as `Tally.add` does."""
        self.read += other.read
        self.real.add(other.real, weight)
        self.imag.add(other.imag, weight)
        self.abs.add(other.abs, weight)
        self.infinite += other.infinite

    def estimate(self) -> None:
        """Makes these the tallies of a sample."""
        for part in (self.real, self.imag, self.abs):
            part.estimate()

    def parts(self, count: int, weight: int = 1) -> ComplexStats:
        """The answer for `count` elements, as `Tally.stats` gives it."""
        real, imag, magnitude = (part.stats(count, weight) for part in (self.real, self.imag, self.abs))
        return self.stats_of(real, imag, magnitude, weight)

    def stats_of(self, real: Stats, imag: Stats, magnitude: Stats, weight: int) -> ComplexStats:
        """The answer that these are; where magnitudes are beyond float64, only how many there are is known of them."""
        if self.abs.pos_inf > self.infinite:
            magnitude["pos_inf"], magnitude["mean_error"] = self.infinite * weight, 0.0
            magnitude["min"] = magnitude["max"] = magnitude["mean"] = magnitude["std"] = None
        return {"real": real, "imag": imag, "abs": magnitude}
