"""Radix selection: percentiles and histograms by counting bits, without sorting.

Numbers are taken as integers of the same order (`ordered`), as distances from the least one. A first pass counts how
often each pattern of their highest bits occurs, which finds those bits of every percentile and how many numbers lie
below every edge of a bin but for those that share its highest bits; each further pass counts the next bits of the few
numbers that still matter.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Callable, TypedDict, TypeVar

from .ordered import Order, Special
from .tally import Number

_DIGIT = 15  # bits counted in one pass; tables, too, are no larger than what torch works on with one thread
_MASK = (1 << _DIGIT) - 1
_TABLES = 1 << 17  # counts kept in one pass, over all percentiles

_Found = TypeVar("_Found")
_OUTERMOST = 0.005  #: of the finite numbers, at each end

if TYPE_CHECKING:
    from ...protocol import Histogram, Quantiles

    class Distribution(TypedDict, total=False):
        """The quantiles and the histogram of some numbers, as far as they were asked for."""

        quantiles: Quantiles
        histogram: Histogram

    class Spread(Distribution, total=False):
        """The same, and with the histogram how many numbers are in no bin, how many are 0, and how many elements
        are masked, which are no numbers of these."""

        below: int
        above: int
        nan: int
        pos_inf: int
        neg_inf: int
        zeros: int
        masked: int


class RadixSelection:
    """Percentiles and histograms of the finite numbers in ``parts``; each stands for ``weight`` elements.

    ``parts`` is called for the blocks again in each pass. All is done in steps, one a block, of so many numbers.
    """

    def __init__(self, order: Order, parts: Callable[[], Iterable[Any]], weight: int, exact: bool) -> None:
        self._order = order
        self._parts = parts
        self._weight = weight
        self._exact = exact
        self._library = order.library
        self._low = self._high = self._finite = self._read = self._zeros = 0
        self._special = Special()

    def distribution(self, quantiles: Sequence[float], bins: int) -> Distribution:
        return last(self.steps(quantiles, bins))

    def steps(self, quantiles: Sequence[float], bins: int, robust: bool = False) -> Generator[int, None, Spread]:
        """Where it is ``robust``, the histogram leaves out the outermost numbers."""
        yield from self._first_pass()
        count = self._finite * self._weight
        ranks = [divmod((count - 1) * float(share), 1.0) for share in quantiles] if count else []
        below = [min(int(rank), count - 1) // self._weight for rank, _ in ranks]
        above = [min(int(rank) + 1, count - 1) // self._weight for rank, _ in ranks]
        keys: dict[int, int] = {}
        wanted, ends = {*below, *above}, (self._low, self._high)
        if robust and bins and count:
            outer = int((self._finite - 1) * _OUTERMOST)
            keys, _ = yield from self._answers({*wanted, outer, self._finite - 1 - outer}, set())
            wanted, ends = set(), (keys[outer], keys[self._finite - 1 - outer])
        edges = self._order.edges(*ends, bins) if bins and count else []
        inner = [max(0, self._order.least(edge) - self._low) for edge in edges[1:-1]]
        first, end = self._bounds(edges, ends) if robust and edges else (0, 0)
        more, lower = yield from self._answers(wanted, {*inner, first, end} if robust and edges else {*inner})
        keys = {**keys, **more}
        found: Spread = {}
        read = self._read * self._weight
        if quantiles:
            number = self._order.number
            pairs = [(number(keys[a]), number(keys[b]), part) for a, b, (_, part) in zip(below, above, ranks)]
            values: list[Number | None] = [_between(*pair) for pair in pairs] if count else [None] * len(quantiles)
            found["quantiles"] = {"at": list(quantiles), "values": values, "exact": self._exact, "read": read}
        if bins:
            outside = (lower[first], lower[end]) if robust and edges else (0, self._finite)
            sums = [outside[0], *(lower[edge] for edge in inner), outside[1]] if edges else [0]
            counts = [(sums[bin + 1] - sums[bin]) * self._weight for bin in range(len(sums) - 1)]
            found["histogram"] = {"edges": edges, "counts": counts, "exact": self._exact, "read": read}
            self._add_counts(found, *outside)
        return found

    def _first_pass(self) -> Generator[int, None, None]:
        """Finds the least and the greatest number, and counts what is not finite, and zeros."""
        for part in self._parts():
            keys = self._order.keys(part, special=self._special)
            amount = math.prod(part.shape)
            self._read += amount
            if len(keys):
                low, high = int(keys.min()), int(keys.max())
                self._low, self._high = (min(self._low, low), max(self._high, high)) if self._finite else (low, high)
                self._finite += len(keys)
                self._zeros += self._order.zeros(keys, low, high)
            yield amount

    def _bounds(self, edges: Sequence[Number], ends: tuple[int, int]) -> tuple[int, int]:
        """How far the first number in the bins is from the least, and the first one behind them."""
        last_edge = int(edges[-1]) - self._order.zero if self._order.is_whole else self._order.most(ends[1]) + 1
        return max(0, self._order.least(edges[0]) - self._low), min(last_edge, self._high + 1) - self._low

    def _add_counts(self, found: Spread, below: int, up_to: int) -> None:
        special, weight = self._special, self._weight
        found["below"], found["above"] = (
            below * weight,
            (self._finite - up_to) * weight if found["histogram"]["edges"] else 0,
        )
        found["nan"], found["pos_inf"] = special.nan * weight, special.pos_inf * weight
        found["neg_inf"], found["zeros"] = special.neg_inf * weight, self._zeros * weight

    def _answers(
        self, ranks: set[int], distances: set[int]
    ) -> Generator[int, None, tuple[dict[int, int], dict[int, int]]]:
        """The keys of the numbers at these ranks, and how many numbers are nearer to the least than these are.

        Both are found from their highest bits on. Each query knows the bits so far, and how many numbers with lower
        ones there are.
        """
        shift = (self._high - self._low).bit_length()
        most = min(_TABLES, max(1 << 10, 4 * self._finite))
        behind = {far for far in distances if far > self._high - self._low}
        asked = [_Query(rank=rank) for rank in ranks] + [_Query(far=far) for far in distances - behind]
        bits = 0
        while shift and asked:
            starts = sorted({query.start for query in asked})
            width = min(shift, _DIGIT, max(1, (most // len(starts)).bit_length() - 1))
            shift -= width
            tables = yield from self._tables(starts, bits, shift, width)
            sums = {start: self._library.cumsum(table, 0) for start, table in zip(starts, tables)}
            for query in asked:
                query.go_on(self._library, sums[query.start], shift, width)
            bits += width
        lower = dict.fromkeys(behind, self._finite)
        lower.update({one.far: one.below for one in asked if one.far is not None})
        return {one.rank: self._low + one.start for one in asked if one.far is None}, lower

    def _tables(self, starts: list[int], bits: int, shift: int, width: int) -> Generator[int, None, list[Any]]:
        """How often each pattern of ``width`` bits at ``shift`` follows each of the starts, of ``bits`` bits; these are
        in their order."""
        library, order = self._library, self._order
        table: Any = 0
        likely, known = self._known(starts)
        for part in self._parts():
            far = order.keys(part, self._finite == self._read) - self._low
            if bits:  # a distance beyond 2**63 is negative here, and shifted with its sign
                found = (far >> (shift + width)) & ((1 << bits) - 1)
                low = found & _MASK
                mask = likely.index_select(0, low) if hasattr(likely, "index_select") else likely[low]
                far, found = order.only(far, mask), order.only(found, mask)
                group = library.searchsorted(known, found)
                group[group == len(starts)] = 0
                mask = known[group] == found
                digits = ((far >> shift) & ((1 << width) - 1)) + (group << width)
                digits = order.only(digits, mask)
            else:
                digits = (far >> shift) & ((1 << width) - 1)
            table = table + library.bincount(digits, minlength=len(starts) << width)
            yield math.prod(part.shape)
        return [table[group << width : (group + 1) << width] for group in range(len(starts))]

    def _known(self, starts: list[int]) -> tuple[Any, Any]:
        """Which lowest bits starts have, and these as numbers of the library."""
        library: Any = self._library
        if hasattr(library, "bool_"):
            likely, known = library.zeros(1 << _DIGIT, dtype=library.bool_), library.array(starts, dtype=library.int64)
        else:  # on the CPU, whatever the program's default is
            likely = library.zeros(1 << _DIGIT, dtype=library.bool, device="cpu")
            known = library.tensor(starts, dtype=library.int64, device="cpu")
        likely[known & _MASK] = True
        return likely, known


def last(steps: Generator[Any, None, _Found]) -> _Found:
    """What comes of all steps."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]


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
