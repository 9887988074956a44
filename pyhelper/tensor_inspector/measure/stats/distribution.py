"""Percentiles and histograms by counting: exact whatever the size and type, in bounded memory.

Numbers are taken as integers of the same order (`ordered`), as distances from the least one. A first pass counts how
often each pattern of their highest bits occurs, which finds those bits of every percentile and how many numbers lie
below every edge of a bin but for those that share its highest bits; each further pass counts the next bits of the few
numbers that still matter. Where the time does not allow reading all, it is done over a sample.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable, TypedDict

from ...protocol import Histogram, Quantiles
from ...safe.budget import Budget
from . import device, layout, numpy_exact, sampled
from .exact import small_kernel_for
from .ordered import Order, order_of_arrays, order_of_tensors
from .scan import gatherer
from .tally import MOST, Beyond, Number
from .unread import Unread, beyond, unknown

_DIGIT = 15  # bits counted in one pass; tables, too, are no larger than what torch works on with one thread
_MASK = (1 << _DIGIT) - 1
_TABLES = 1 << 17  # counts kept in one pass, over all percentiles
_SURE = 1 << 18  # elements after which the speed so far tells how long the rest will take
_PASSES = 4  # as many as most types need
_SHARE = 0.7  # of the time, for reading all; what is left is for a sample
_BLOCK = 32_000  # elements; so many torch works on with one thread, which busy cores do not make wait
_SAMPLE = 1 << 17
_FETCHED = 4 << 20  # bytes brought from a device


if TYPE_CHECKING:

    class Spread(TypedDict, total=False):
        """What was asked for of the spread of some numbers."""

        quantiles: Quantiles
        histogram: Histogram


class Present:
    """Elements of which not all may be there: ``parts`` are cut by slices and read ``at`` positions, as those of
    `measure.present` are; ``take`` gives a part's numbers that are there, as an array of one dimension.
    """

    __slots__ = ("parts", "take")

    def __init__(self, parts: Any, take: Callable[[Any], Any]) -> None:
        self.parts = parts
        self.take = take


def distribution(value: Any, budget: Budget, quantiles: Sequence[float] = (), bins: int = 0) -> Spread | Unread:
    """Quantiles and a histogram of the finite elements of a plain tensor or array, or of those that are `Present`; of
    the magnitudes of complex ones.

    Exact unless the budget (or a device) allows only a sample. The caller holds the guard.
    """
    if not all(0.0 <= share <= 1.0 for share in quantiles):
        raise ValueError("quantiles lie between 0 and 1")
    if not 0 <= bins <= MOST or len(quantiles) > MOST:
        raise ValueError(f"at most {MOST} bins and quantiles can be asked for")
    numpy = sys.modules.get("numpy")
    if budget.spent():
        return Unread("no_time", f"skipped: {budget.ms:.0f} ms budget")
    if type(value) is not Present and (numpy is None or not issubclass(type(value), numpy.ndarray)):
        return _read(_source_of_tensor(sys.modules["torch"], value, budget), budget, quantiles, bins)
    assert numpy is not None
    with numpy.errstate(all="ignore"):
        of: Any = _source_of_present if type(value) is Present else _source_of_array
        return _read(of(numpy, value), budget, quantiles, bins)


def _read(source: _Source | Unread, budget: Budget, quantiles: Sequence[float], bins: int) -> Spread | Unread:
    if isinstance(source, Unread):
        return source
    try:
        return source.all(budget).spread(quantiles, bins)
    except _Late:
        return source.sample(budget).spread(quantiles, bins)
    except Beyond:
        return beyond(source.dtype)


class _Late(Exception):
    """There is no time for reading all."""


class _Counted:
    """How numbers are spread: the finite ones among ``read`` elements, each of which stands for ``weight``."""

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

    def spread(self, quantiles: Sequence[float], bins: int) -> Spread:
        count = self._finite * self._weight
        places = [divmod((count - 1) * float(share), 1.0) for share in quantiles] if count else []
        below = [min(int(place), count - 1) // self._weight for place, _ in places]
        above = [min(int(place) + 1, count - 1) // self._weight for place, _ in places]
        edges = self._order.edges(self._low, self._high, bins) if bins and count else []
        inner = [max(0, self._order.least(edge) - self._low) for edge in edges[1:-1]]
        found, lower = self._answers({*below, *above}, set(inner))
        sums = [0, *(lower[edge] for edge in inner), self._finite] if edges else [0]
        values: list[Number | None] = [None] * len(quantiles)
        if count:
            values = [_between(found[a], found[b], part) for a, b, (_, part) in zip(below, above, places)]
        read = self._read * self._weight
        spread: Spread = {}
        if quantiles:
            spread["quantiles"] = {"at": list(quantiles), "values": values, "exact": self._exact, "read": read}
        if bins:
            counts = [(sums[bin + 1] - sums[bin]) * self._weight for bin in range(len(sums) - 1)]
            spread["histogram"] = {"edges": edges, "counts": counts, "exact": self._exact, "read": read}
        return spread

    def _answers(self, places: set[int], distances: set[int]) -> tuple[dict[int, Number], dict[int, int]]:
        """The numbers at these places of all in order, and how many numbers are nearer to the least than these are.

        Both are found from their highest bits on. Each question knows the bits so far, and how many numbers with lower
        ones there are.
        """
        shift = (self._high - self._low).bit_length()
        most = min(_TABLES, max(1 << 10, 4 * self._finite))
        asked = [_Question(place=place) for place in places] + [_Question(far=far) for far in distances]
        bits = 0
        while shift and asked:
            starts = list({question.start for question in asked})
            width = min(shift, _DIGIT, max(1, (most // len(starts)).bit_length() - 1))
            shift -= width
            tables = self._tables(starts, bits, shift, width)
            sums = {start: self._library.cumsum(table, 0) for start, table in zip(starts, tables)}
            for question in asked:
                question.go_on(self._library, sums[question.start], shift, width)
            bits += width
        return (
            {one.place: self._order.number(self._low + one.start) for one in asked if one.far is None},
            {one.far: one.below for one in asked if one.far is not None},
        )

    def _tables(self, starts: list[int], bits: int, shift: int, width: int) -> list[Any]:
        """How often each pattern of ``width`` bits at ``shift`` follows each of the starts, of ``bits`` bits."""
        library = self._library
        on_cpu = {} if hasattr(library, "bool_") else {"device": "cpu"}  # whatever the program's default is
        tables = [library.zeros(1 << width, dtype=library.int64, **on_cpu) for _ in starts]
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
                marks = likely.index_select(0, low) if hasattr(likely, "index_select") else likely[low]
                far, found = self._order.only(far, marks), self._order.only(found, marks)
            digits = (far >> shift) & ((1 << width) - 1)
            for group, start in enumerate(starts):
                same = self._order.only(digits, found == start) if bits else digits
                tables[group] = tables[group] + library.bincount(same, minlength=1 << width)
        return tables


class _Question:
    """Which number is at a place, or how many are below one that is so far from the least."""

    __slots__ = ("below", "far", "place", "start")

    def __init__(self, place: int = 0, far: int | None = None) -> None:
        self.place = place
        self.far = far
        self.start = self.below = 0

    def go_on(self, library: Any, sums: Any, shift: int, width: int) -> None:
        """Learns the next bits, from how many numbers have these or lower ones there."""
        if self.far is None:
            digit = int(library.searchsorted(sums, self.place - self.below, side="right"))
        else:
            digit = (self.far >> shift) & ((1 << width) - 1)
        self.below += int(sums[digit - 1]) if digit else 0
        self.start = self.start << width | digit


class _Source:
    """The distinct elements of a tensor or array, to be read in blocks or at some positions."""

    def __init__(
        self,
        order: Order,
        dtype: str,
        view: Any,
        weight: int,
        gather: Callable[[range], Any],
        whole: bool = True,
        take: Callable[[Any], Any] = lambda part: part,
    ) -> None:
        self._order = order
        self.dtype = dtype
        self._view = view
        self._take = take
        self._count = math.prod(view.shape)
        self._weight = weight
        self._gather = gather
        self._whole = whole

    def all(self, budget: Budget) -> _Counted:
        if budget.max_elements is not None and self._count > budget.max_elements:
            raise _Late
        start = budget.remaining_ms()
        read = 0

        def parts() -> Iterator[Any]:
            nonlocal read
            blocks = layout.blocks(self._view, _BLOCK) if self._view.shape else [self._view]
            for part in blocks if self._count else ():
                yield self._take(part)
                read += math.prod(part.shape)
                late = (start - budget.remaining_ms()) / read * self._count * _PASSES > start * _SHARE
                if late and read >= _SURE:
                    raise _Late

        return _Counted(self._order, parts, self._weight, self._whole)

    def sample(self, budget: Budget) -> _Counted:
        wanted = min(_SAMPLE, sampled.size(budget.remaining_ms()), budget.max_elements or _SAMPLE)
        where = sampled.positions(0, self._count, wanted)
        parts = [self._take(self._gather(some)) for some in sampled.pieces(where)]
        return _Counted(self._order, lambda: parts, self._weight, self._whole and len(where) == self._count)


def _source_of_tensor(torch: Any, t: Any, budget: Budget) -> _Source | Unread:
    dtype = str(t.dtype)[6:]
    if small_kernel_for(torch, t.dtype) is None:
        return unknown(dtype)
    unread = layout.unreadable(t)
    if unread is not None:
        return unread
    negative = t.is_neg() and not t.is_complex()  # what the sign or the conjugate is of, does not matter to |z|
    t = torch._neg_view(t) if t.is_neg() else t
    t = t.conj() if t.is_conj() else t
    if t.numel() == 0:
        return _Source(order_of_tensors(torch, t.dtype, negative), dtype, t, 1, lambda where: t.reshape(-1))
    dims, weight = layout.normalised(tuple(t.shape), t.stride())
    whole = t.is_cpu
    if not whole:
        view = t.as_strided([size for size, _ in dims] or [1], [stride for _, stride in dims] or [1])
        few = device.few(torch, view, _FETCHED // t.element_size(), budget)
        if isinstance(few, Unread):
            return few
        t, whole, dims = few, few.numel() == view.numel(), [(few.numel(), 1)]
    view = t.as_strided([size for size, _ in dims] or [1], [stride for _, stride in dims] or [1])
    return _Source(order_of_tensors(torch, t.dtype, negative), dtype, view, weight, gatherer(torch, t, dims), whole)


def _source_of_array(np: Any, a: Any) -> _Source | Unread:
    found = numpy_exact.strided(np, a)
    if isinstance(found, Unread):
        return found
    view, weight = found
    return _Source(order_of_arrays(np, view.dtype), view.dtype.name, view, weight, numpy_exact.gatherer(np, view))


def _source_of_present(np: Any, present: Present) -> _Source:
    parts, take = present.parts, present.take
    size = math.prod(parts.shape)
    few = parts.distinct() if size else parts
    dtype = take(few[:0] if few.shape else few).dtype
    weight = size // max(1, math.prod(few.shape))
    return _Source(order_of_arrays(np, dtype), dtype.name, few, weight, few.at, take=take)


def _between(a: Number, b: Number, part: float) -> Number:
    """The number so far from ``a`` to ``b``; exactly, before it is rounded, where they are integers."""
    if not part or a == b:
        return a
    if type(a) is int and type(b) is int:
        numerator, denominator = part.as_integer_ratio()
        times = a * denominator + (b - a) * numerator
        if abs(times) >= denominator << 53 and times % denominator == 0:
            return times // denominator  # a float might lose its last digits
        return times / denominator
    return a + (b - a) * part if math.isfinite(b - a) else a * (1.0 - part) + b * part
