"""Radix selection: percentiles and histograms by counting bits, without sorting.

Numbers are taken as integers of the same order (`ordered`), as distances from the least one. A first pass counts how
often each pattern of their highest bits occurs, which finds those bits of every percentile and how many numbers lie
below every edge of a bin but for those that share its highest bits; each further pass counts the next bits of the few
numbers that still matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable, TypedDict

from .ordered import Order
from .tally import Number

_DIGIT = 15  # bits counted in one pass; tables, too, are no larger than what torch works on with one thread
_MASK = (1 << _DIGIT) - 1
_TABLES = 1 << 17  # counts kept in one pass, over all percentiles

if TYPE_CHECKING:
    from ...protocol import Histogram, Quantiles

    class Distribution(TypedDict, total=False):
        """The quantiles and the histogram of some numbers, as far as they were asked for."""

        quantiles: Quantiles
        histogram: Histogram


class RadixSelection:
    """Percentiles and histograms of the finite numbers in ``parts``; each stands for ``weight`` elements.

    ``parts`` is called for the blocks again in each pass.
    """

    def __init__(self, order: Order, parts: Callable[[], Iterable[Any]], weight: int, exact: bool) -> None:
        self._order = order
        self._parts = parts
        self._weight = weight
        self._exact = exact
        self._library = order.library
        self._low = self._high = self._finite = self._read = 0
        for part in parts():
            keys = order.keys(part)
            self._read += math.prod(part.shape)
            if not len(keys):
                continue
            low, high = int(keys.min()), int(keys.max())
            self._low, self._high = (min(self._low, low), max(self._high, high)) if self._finite else (low, high)
            self._finite += len(keys)

    def distribution(self, quantiles: Sequence[float], bins: int) -> Distribution:
        count = self._finite * self._weight
        ranks = [divmod((count - 1) * float(share), 1.0) for share in quantiles] if count else []
        below = [min(int(rank), count - 1) // self._weight for rank, _ in ranks]
        above = [min(int(rank) + 1, count - 1) // self._weight for rank, _ in ranks]
        edges = self._order.edges(self._low, self._high, bins) if bins and count else []
        inner = [max(0, self._order.least(edge) - self._low) for edge in edges[1:-1]]
        found, lower = self._answers({*below, *above}, set(inner))
        sums = [0, *(lower[edge] for edge in inner), self._finite] if edges else [0]
        values: list[Number | None] = [None] * len(quantiles)
        if count:
            values = [_between(found[a], found[b], part) for a, b, (_, part) in zip(below, above, ranks)]
        read = self._read * self._weight
        distribution: Distribution = {}
        if quantiles:
            distribution["quantiles"] = {"at": list(quantiles), "values": values, "exact": self._exact, "read": read}
        if bins:
            counts = [(sums[bin + 1] - sums[bin]) * self._weight for bin in range(len(sums) - 1)]
            distribution["histogram"] = {"edges": edges, "counts": counts, "exact": self._exact, "read": read}
        return distribution

    def _answers(self, ranks: set[int], distances: set[int]) -> tuple[dict[int, Number], dict[int, int]]:
        """The numbers at these ranks, and how many numbers are nearer to the least than these are.

        Both are found from their highest bits on. Each query knows the bits so far, and how many numbers with lower
        ones there are.
        """
        shift = (self._high - self._low).bit_length()
        most = min(_TABLES, max(1 << 10, 4 * self._finite))
        asked = [_Query(rank=rank) for rank in ranks] + [_Query(far=far) for far in distances]
        bits = 0
        while shift and asked:
            starts = list({query.start for query in asked})
            width = min(shift, _DIGIT, max(1, (most // len(starts)).bit_length() - 1))
            shift -= width
            tables = self._tables(starts, bits, shift, width)
            sums = {start: self._library.cumsum(table, 0) for start, table in zip(starts, tables)}
            for query in asked:
                query.go_on(self._library, sums[query.start], shift, width)
            bits += width
        return (
            {one.rank: self._order.number(self._low + one.start) for one in asked if one.far is None},
            {one.far: one.below for one in asked if one.far is not None},
        )

    def _tables(self, starts: list[int], bits: int, shift: int, width: int) -> list[Any]:
        """How often each pattern of ``width`` bits at ``shift`` follows each of the starts, of ``bits`` bits."""
        library = self._library
        on_cpu = {} if hasattr(library, "bool_") else {"device": "cpu"}  # whatever the program's default is
        tables: list[Any] = [0] * len(starts)
        likely = library.zeros(
            1 << _DIGIT, dtype=library.bool_ if hasattr(library, "bool_") else library.bool, **on_cpu
        )
        for start in starts:
            likely[start & _MASK] = True
        for part in self._parts():
            far = self._order.keys(part, self._finite == self._read) - self._low
            if bits:  # a distance beyond 2**63 is negative here, and shifted with its sign
                found = (far >> (shift + width)) & ((1 << bits) - 1)
                low = found & _MASK
                mask = likely.index_select(0, low) if hasattr(likely, "index_select") else likely[low]
                far, found = self._order.only(far, mask), self._order.only(found, mask)
            digits = (far >> shift) & ((1 << width) - 1)
            for group, start in enumerate(starts):
                same = self._order.only(digits, found == start) if bits else digits
                tables[group] = tables[group] + library.bincount(same, minlength=1 << width)
        return tables


class _Query:
    """Which number is at a rank, or how many are below one that is so far from the least."""

    __slots__ = ("below", "far", "rank", "start")

    def __init__(self, rank: int = 0, far: int | None = None) -> None:
        self.rank = rank
        self.far = far
        self.start = self.below = 0

    def go_on(self, library: Any, sums: Any, shift: int, width: int) -> None:
        """Learns the next bits, from how many numbers have these or lower ones there."""
        if self.far is None:
            digit = int(library.searchsorted(sums, self.rank - self.below, side="right"))
        else:
            digit = (self.far >> shift) & ((1 << width) - 1)
        self.below += int(sums[digit - 1]) if digit else 0
        self.start = self.start << width | digit


def _between(a: Number, b: Number, part: float) -> Number:
    """The number so far from ``a`` to ``b``; exactly, before it is rounded, where they are integers."""
    if type(a) is int and type(b) is int:
        numerator, denominator = part.as_integer_ratio()
        times = a * denominator + (b - a) * numerator
        return times / denominator if times % denominator else times // denominator  # a float might lose digits
    return a + (b - a) * part if math.isfinite(b - a) else a * (1.0 - part) + b * part
