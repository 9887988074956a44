"""Statistics of valid elements: not masked, no NaT, no null.

They are read block by block, so no whole copy is made. Each block is shifted to its own least value first, so that
merging loses no digits, neither of integers nor of values close together and far from zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable

from ..safe.budget import Budget
from ..safe.guard import module
from .stats import Reading, Unread, of_array
from .stats.scan import scan
from .stats.tally import ComplexTally, Tally
from .unread import OFF, skipped

if TYPE_CHECKING:
    from typing import Protocol

    from ..protocol import Stats

    class Sliceable(Protocol):
        """Elements of one ``shape`` that `of_valid` reads in parts: arrays, a column of a table."""

        shape: Any

        def __getitem__(self, where: Any) -> Sliceable: ...

        def at(self, positions: range) -> Sliceable:
            """The elements at these positions, in row-major order."""

        def distinct(self) -> Sliceable:
            """The elements without those that only repeat others, as of an expanded array; itself where none do."""

    Take = Callable[[Any], Any]  #: of a part: the numbers that are there, in one dimension

_BLOCK = 1 << 16
_ROUNDING = 2.3e-16


class _NotReadable(Exception):
    """Some of the elements have no statistics."""

    def __init__(self, unread: Unread) -> None:
        super().__init__(unread.text)
        self.unread = unread


class Arrays:
    """Arrays of one shape, cut as one: values, and a mask over them."""

    __slots__ = ("arrays", "shape")

    def __init__(self, *arrays: Any) -> None:
        self.arrays = arrays
        self.shape = arrays[0].shape

    def __getitem__(self, where: Any) -> Arrays:
        return Arrays(*(array[where] for array in self.arrays))

    def at(self, positions: range) -> Arrays:
        numpy: Any = module("numpy")
        return self[numpy.unravel_index(numpy.arange(positions.start, positions.stop, positions.step), self.shape)]

    def distinct(self) -> Arrays:
        """Without the repetitions of dimensions that all arrays are expanded along."""
        strides = zip(*(array.strides for array in self.arrays))
        return self[tuple(slice(None) if any(steps) else slice(1) for steps in strides)]


def count_hidden(mask: Any) -> int:
    """How many elements a mask hides."""
    few = Arrays(mask).distinct()
    repeated: int = mask.size // max(1, math.prod(few.shape))
    return int(module("numpy").count_nonzero(few.arrays[0])) * repeated


def of_valid(parts: Sliceable, take: Take, budget: Budget) -> Reading:
    """Statistics of what ``take`` finds in ``parts``.

    ``count`` is how many there are, what was not read among them.
    """
    if not math.prod(parts.shape):
        return of_array(take(parts), budget)
    few = parts.distinct()
    size = math.prod(few.shape)
    weight = math.prod(parts.shape) // size
    if not budget.reads:
        return OFF
    if budget.spent() and size > _BLOCK:
        return skipped(budget)

    def kernel(part: Any) -> Any:
        return _tally(take(part), math.prod(part.shape))

    try:
        with module("numpy").errstate(all="ignore"):
            tally: Any = scan(few, few.at, kernel, size, _BLOCK, budget)
    except _NotReadable as error:
        return error.unread
    if isinstance(tally, Tally):
        return _counted(tally, size, weight)
    return tally.stats_of(*(_counted(part, size, weight) for part in (tally.real, tally.imag, tally.abs)), weight)  # type: ignore[no-any-return]


def _counted(tally: Tally, size: int, weight: int) -> Stats:
    stats = tally.stats(size * weight, weight)
    stats["read"] = (tally.finite + tally.nan + tally.pos_inf + tally.neg_inf) * weight
    stats["count"] = (size - tally.read) * weight + stats["read"]
    return stats


def _tally(numbers: Any, size: int) -> Tally | ComplexTally:
    """What the numbers of a part of ``size`` elements add to the whole."""
    numpy: Any = module("numpy")
    if numbers.dtype.kind == "c":
        real, imag = numbers.real, numbers.imag
        a, b, c = (_tally(part, size) for part in (real, imag, numpy.hypot(real, imag)))
        infinite = int(numpy.count_nonzero(numpy.isinf(real) | numpy.isinf(imag)))
        return ComplexTally(a, b, c, infinite)  # type: ignore[arg-type]
    tally = Tally(size)
    tally.finite, least = 0, 0
    if not numbers.size:
        return tally
    if numbers.dtype.kind in "iu":
        least = int(numpy.minimum.reduce(numbers))
        known: Any = of_array(_risen(numbers, least), Budget())
        tally.zeros = int(numbers.size - numpy.count_nonzero(numbers)) if least <= 0 else 0
    else:
        known = of_array(numbers, Budget())
        if isinstance(known, Unread):
            raise _NotReadable(known)
        tally.zeros = known["zeros"]
    tally.nan, tally.pos_inf, tally.neg_inf = known["nan"], known["pos_inf"], known["neg_inf"]
    low, high = known["min"], known["max"]
    if low is None:
        return tally
    tally.lo, tally.hi = least + low, least + high
    tally.finite = known["count"] - tally.nan - tally.pos_inf - tally.neg_inf
    if numbers.dtype.kind == "f" and _is_far(known) and math.isfinite(high - low):
        least = low
        known = of_array(numbers.astype(numpy.float64) - low, Budget())
    tally.centre, tally.offset = least, known["mean"]
    tally.error = known["mean_error"] + _ROUNDING * abs(known["mean"])
    if known["std"] is not None:
        tally.deviation = known["std"] * math.sqrt((tally.finite - 1) / tally.finite)
    return tally


def _risen(numbers: Any, least: int) -> Any:
    """Integers less the least of them: differences modulo 2**bits are right, whatever the sign."""
    plain = numbers.astype(f"u{numbers.dtype.itemsize}")
    return plain - plain.dtype.type(least % (1 << 8 * plain.dtype.itemsize))


def _is_far(known: Stats) -> bool:
    """Whether the numbers lie so close together, so far from zero, that a rounded mean would spoil their deviation."""
    mean, std = known["mean"], known["std"]
    return mean is not None and std is not None and abs(mean) > 1e6 * std > 0
