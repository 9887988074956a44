"""Elements under a mask: masked ones are neither counted nor shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.composed import ComposedElements, MaskedElements
from ...measure.reading import badges
from ...measure.stats import Reading, Unread, unreadable_array
from ...measure.valid import Arrays, count_hidden, of_valid
from ...safe.budget import Budget
from ...safe.guard import dict_get, instance_dict, module
from ...words.stats import stats_words
from ..kind import Child
from ..rows import TextRow
from ..stats_rows import stats_rows
from .by_dtype import Records, contents_of
from .contents import ArrayElements, Contents
from .numbers import ForeignNumbers, Numbers, wide_dtype

if TYPE_CHECKING:
    from ...protocol import Badge

_COPIED = 1 << 20  #: bytes up to which what is no number is taken out from under its mask


class MaskedContents(Contents):
    """Elements of any sort under a mask, which is True where an element is missing."""

    def __init__(self, array: Any, mask: Any, budget: Budget, absent: str = "masked") -> None:
        super().__init__(array, budget)
        self.mask = mask
        self.absent = absent
        self.under = contents_of(array, budget)
        self.unread = self.under.unread

    def hidden(self) -> int:
        return count_hidden(self.mask)

    def _read(self) -> Reading:
        if not isinstance(self.under, Numbers):
            return self.unread
        reading = of_valid(Arrays(self.array, self.mask), self._take, self.budget.share())
        if not isinstance(reading, Unread):
            for stats in (reading["real"], reading["imag"], reading["abs"]) if "abs" in reading else (reading,):
                stats["count"] = self.array.size - self.hidden()
        return reading

    def _take(self, part: Arrays) -> Any:
        array, mask = part.arrays
        found = array[~mask]
        return found.astype(wide_dtype(array.dtype)) if isinstance(self.under, ForeignNumbers) else found

    def elements(self) -> Any:
        return Unread("missing", f"{self.hidden():,} {self.absent}") if self.hidden() else self.under.elements()

    def composition(self) -> ComposedElements | None:
        under = self.under.elements()
        if not isinstance(self.under, Numbers) or under is None or isinstance(under, Unread):
            return None
        return MaskedElements(under, self.mask)

    def comparable(self) -> Comparable:
        found = self.under.comparable()
        found.dtype, found.read, found.mask, found.absent = self.dtype(), self.under.elements, self.mask, self.absent
        return found

    def measured(self) -> Any:
        """What the mask leaves, for percentiles."""
        if not isinstance(self.under, Numbers):
            return self.unread
        from ...measure.stats.distribution import ValidElements  # compiled only where it is needed

        return ValidElements(Arrays(self.array, self.mask), self._take)

    def shown(self) -> str | None:
        if self.array.ndim:
            return None
        return self.absent if bool(self.mask) else self.under.shown()

    def words(self) -> list[str]:
        amount = self.hidden()
        if not amount:
            return self.under.words()
        if amount == self.array.size:
            return [f"all {self.absent}"]
        return [*self._words(), f"{amount:,} {self.absent}"]

    def _words(self) -> list[str]:
        if isinstance(self.under, Numbers):
            return stats_words(self.reading(), self.array.dtype.kind == "b")
        if self.array.nbytes > _COPIED:
            return [f"{self.absent} ones among: {word}" for word in self.under.words()[:1]]
        return contents_of(self.array[~self.mask], self.budget).words()

    def missing(self) -> int | None:
        return self.hidden()

    def badges(self) -> list[Badge]:
        return badges(self.reading()) if isinstance(self.under, Numbers) else self.under.badges()

    def fact_rows(self) -> list[list[str]]:
        return [[self.absent, f"{self.hidden():,}"]]

    def parts(self) -> list[Child]:
        known = isinstance(self.under, Numbers) and not isinstance(self.reading(), Unread)
        return [Child("stats", stats_rows(self.reading()))] if known else []

    def items(self, start: int, amount: int) -> Iterable[object]:
        masks = self.mask[start : start + amount]
        for item, mask in zip(self.under.items(start, amount), masks.tolist()):
            yield TextRow(self.absent) if mask else item

    def rows(self, start: int, amount: int) -> Iterable[object]:
        stop = start + amount
        return map(ArrayElements, self.array[start:stop], self.mask[start:stop])

    def is_open(self) -> bool:
        return self.under.is_open()


class MaskedRecords(Records):
    """A structured array whose fields have masks of their own."""

    def __init__(self, array: Any, mask: Any, budget: Budget) -> None:
        super().__init__(array, budget)
        self.mask = mask

    def words(self) -> list[str]:
        amount = sum(
            count_hidden(self.mask[name]) for name in self.array.dtype.names if self.mask.dtype[name].kind == "b"
        )
        return [*super().words(), *([f"{amount:,} masked"] if amount else [])]

    def comparable(self) -> Comparable:
        found = super().comparable()
        found.mask = self.mask
        return found

    def field(self, name: str) -> ArrayElements:
        return ArrayElements(self.array[name], self.mask[name])

    def items(self, start: int, amount: int) -> Iterable[object]:
        indices = range(start, min(start + amount, len(self.array)))
        return (ArrayElements(self.array[at, ...], self.mask[at, ...]) for at in indices)


def contents_under(array: Any, mask: Any, budget: Budget) -> Contents:
    """The contents of an array under a mask. A mask that does not fit is ignored."""
    fits = type(mask) is module("numpy").ndarray and mask.shape == array.shape
    if not fits or unreadable_array(array) is not None:
        return contents_of(array, budget)
    if mask.dtype.kind == "b":
        return MaskedContents(array, mask, budget)
    same = mask.dtype.names is not None and mask.dtype.names == array.dtype.names
    return MaskedRecords(array, mask, budget) if same else contents_of(array, budget)


def mask_of(value: Any) -> Any:
    """The mask that a ``numpy.ma.MaskedArray`` keeps."""
    mask = dict_get(instance_dict(value), "_mask")
    generic = module("numpy").generic
    return generic.__array__(mask) if issubclass(type(mask), generic) and mask.dtype.names else mask
