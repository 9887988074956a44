"""Numbers in an array: numpy's own, and those of other libraries' dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...measure.stats import Reading, Unread, of_array
from ...measure.valid import Arrays, of_valid
from ...safe.guard import module
from ...words.stats import stats_words
from ...words.values import corner_text, value_text
from ..facts import add_firsts
from ..kind import Child
from ..stats_rows import stats_rows
from .contents import Contents

if TYPE_CHECKING:
    from ...protocol import Facts

_COPIED = 1 << 20  #: elements up to which numbers of another library are copied to be compared
_VALUES = 10  #: integers up to this many are shown themselves


class Numbers(Contents):
    def elements(self) -> Any:
        return self.array

    def _read(self) -> Reading:
        return of_array(self.array, self.budget.share())

    def shown(self) -> str | None:
        array = self.array
        if isinstance(self.reading(), Unread):
            return None
        if array.ndim == 0:
            return value_text(array.item())
        few = array.ndim == 1 and 0 < array.size <= _VALUES and array.dtype.kind in "iu"
        return str(array.tolist()).replace("-", "−") if few else None

    def first_values(self) -> str | None:
        return "" if isinstance(self.reading(), Unread) or self.shown() is not None else corner_text(self.array)

    def words(self) -> list[str]:
        return stats_words(self.reading(), self.array.dtype.kind == "b")

    def missing(self) -> int | None:
        reading: Any = self.reading() if self.array.dtype.kind == "f" else None
        return None if reading is None or isinstance(reading, Unread) else reading["nan"]

    def parts(self) -> list[Child]:
        return [] if isinstance(self.reading(), Unread) else [Child("stats", stats_rows(self.reading(), self.elements))]

    def add_facts(self, facts: Facts) -> None:
        super().add_facts(facts)
        if facts["stats"] is not None:
            add_firsts(facts, self.reading(), self.elements, self.budget)
            facts["values"] = corner_text(self.array)


class ForeignNumbers(Numbers):
    """Numbers of another library's dtype, such as bfloat16: as the numpy dtype that holds each of them."""

    def _read(self) -> Reading:
        wide = wide_dtype(self.array.dtype)
        return of_valid(Arrays(self.array), lambda part: part.arrays[0].reshape(-1).astype(wide), self.budget.share())

    def elements(self) -> Any:
        if self.array.size > _COPIED:
            return Unread("too_many", f"{self.array.size:,} elements of {self.dtype()}")
        return self.array.astype(wide_dtype(self.array.dtype))


def wide_dtype(dtype: Any) -> Any:
    """The numpy dtype that holds every number of another library's dtype; None where none does."""
    numpy: Any = module("numpy")
    if dtype.char == "V":
        return None
    return next((wide for wide in (numpy.int16, numpy.float64) if numpy.can_cast(dtype, wide)), None)
