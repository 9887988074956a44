"""pandas' own array types, read by the arrays underneath. Their caches are neither filled nor emptied."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...measure.columns import count_codes
from ...measure.stats import Unread
from ...safe.budget import Budget
from ...safe.guard import c_attribute, dict_get, instance_dict, library_of, module
from ...words.text import count, listed, percent
from ...words.values import value_text
from ..kind import Child
from ..numpy.by_dtype import contents_of
from ..numpy.contents import Contents, Label
from ..numpy.dates import KNOWN_ZONES, Dates, date_text
from ..numpy.masked import MaskedContents
from ..numpy.texts import Strings
from ..rows import TextRow
from ..stats_rows import stats_rows
from .flat import ColumnContents

if TYPE_CHECKING:
    from ...protocol import Badge

numpy: Any = module("numpy")
_CATEGORIES = 1 << 16  #: categories up to which each is counted


class NullableColumn(MaskedContents):
    """Numbers or booleans, with a mask over those that are missing: ``Int64``, ``boolean``."""

    def __init__(self, values: Any, budget: Budget) -> None:
        attrs = instance_dict(values)
        super().__init__(attrs["_data"], attrs["_mask"], budget, "NA")

    def dtype(self) -> str:
        name = super().dtype()
        return "boolean" if name == "bool" else name.replace("uint", "UInt").replace("int", "Int").replace("f", "F")

    def labels(self, start: int, amount: int) -> Iterable[object]:
        masks = self.mask[start : start + amount].tolist()
        return (None if mask else label for label, mask in zip(super().labels(start, amount), masks))


class DateTimes(Dates):
    """Points or spans of time, in the time zone that the column has."""

    def __init__(self, values: Any, budget: Budget) -> None:
        super().__init__(c_attribute(values, "_ndarray"), budget)
        self._dtype = c_attribute(values, "_dtype")
        zone = dict_get(instance_dict(self._dtype), "_tz")
        self._zone = zone if library_of(type(zone)) in KNOWN_ZONES else None
        self._zoned = zone is not None

    def dtype(self) -> str:
        if not self._zoned:
            return super().dtype()
        zone = "its own time zone" if self._zone is None else str(self._zone)
        return f"{super().dtype()[:-1]}, {zone}]"

    def text(self, item: Any) -> str:
        text = date_text(item)
        if not self._zoned or numpy.isnat(item):
            return text
        if self._zone is None:
            return f"{text} UTC"
        return str(module("pandas").Timestamp(item, tz="UTC").tz_convert(self._zone))


class PeriodColumn(Dates):
    """Spans of the calendar, such as months."""

    def __init__(self, values: Any, budget: Budget) -> None:
        super().__init__(c_attribute(values, "_ndarray"), budget)
        self._dtype = c_attribute(values, "_dtype")

    def dtype(self) -> str:
        return str(self._dtype)

    def tick(self, value: int) -> str:
        return str(module("pandas").Period(ordinal=value, freq=self._dtype.freq))

    def text(self, item: Any) -> str:
        return "NaT" if item == numpy.iinfo(numpy.int64).min else self.tick(int(item))

    def labels(self, start: int, amount: int) -> Iterable[object]:
        return map(Label, map(self.text, self.array[start : start + amount].tolist()))


class StringColumn(Strings):
    """Strings, as Python's own in an array of objects."""

    def __init__(self, values: Any, budget: Budget) -> None:
        super().__init__(c_attribute(values, "_ndarray"), budget)
        self._dtype = dict_get(instance_dict(values), "_dtype") or c_attribute(values, "_dtype")

    def dtype(self) -> str:
        return str(self._dtype)

    def text(self, item: Any) -> str:
        return super().text(item) if type(item) is str else "missing"


class CategoricalColumn(Contents):
    """Codes for a few distinct values: which, and how often each."""

    unread = Unread("dtype", "categories, not numbers")
    has_numbers = False

    def __init__(self, values: Any, budget: Budget, contents: Callable[[Any, Budget], Contents]) -> None:
        super().__init__(c_attribute(values, "_ndarray"), budget)
        attrs = instance_dict(c_attribute(values, "_dtype"))
        self._categories, self._ordered = dict_get(attrs, "_categories"), dict_get(attrs, "_ordered")
        self._contents_of = contents  #: what an index says
        self._counted: tuple[Any, int] | None = None

    def dtype(self) -> str:
        return "category"

    def words(self) -> list[str]:
        amounts, read = self._amounts()
        total = self.categories.length()
        if amounts is None:
            return [f"{total:,} categories"]
        first = "" if read == self.length() else f"first {count(read)}: "
        order = sorted(range(total), key=lambda code: -int(amounts[code + 1]))[:12] if total <= 1000 else range(12)
        shown = listed((f"{self.label(code)} ×{count(int(amounts[code + 1]))}" for code in order), total > 12, 60)
        noun = "category" if total == 1 else "categories"
        missing = [f"{amounts[0]:,} missing"] if amounts[0] else []
        return [f"{total:,} {noun}: {first}{shown}" if total else "no categories", *missing]

    def badges(self) -> list[Badge]:
        return []

    def missing(self) -> int | None:
        amounts, read = self._amounts()
        return int(amounts[0]) if amounts is not None and read == self.length() else None

    def fact_rows(self) -> list[list[str]]:
        amounts, read = self._amounts()
        if amounts is None:
            return []
        among = "" if read == self.length() else f" among the first {read:,}"
        codes = range(min(self.categories.length(), 100))
        rows = [[self.name(code), f"{int(amounts[code + 1]):,}{among}"] for code in codes]
        return [*rows, ["missing", f"{int(amounts[0]):,}{among}"]]

    def settings(self) -> dict[str, str]:
        return {"ordered": str(self._ordered is True)}

    def parts(self) -> list[Child]:
        return [Child("categories", self._categories)]

    def items(self, start: int, amount: int) -> Iterable[object]:
        codes = self.array[start : start + amount].tolist()
        return (TextRow("missing" if code < 0 else self.label(code)) for code in codes)

    def labels(self, start: int, amount: int) -> Iterable[object]:
        codes = self.array[start : start + amount].tolist()
        return (None if code < 0 else next(iter(self.categories.labels(code, 1)), None) for code in codes)

    def objects(self, amount: int) -> Iterable[object]:
        names = [*self.categories.labels(0, self.categories.length()), None]
        return (names[code] for code in self.array[:amount].tolist())

    @cached_property
    def categories(self) -> Contents:
        return self._contents_of(self._categories, self.budget)

    def name(self, code: int) -> str:
        """A category by itself."""
        item = next(iter(self.categories.labels(code, 1)), None)
        return str(item) if issubclass(type(item), str) else value_text(item)

    def label(self, code: int) -> str:
        """A category in a list, where a string stands in quotes."""
        item = next(iter(self.categories.labels(code, 1)), None)
        return repr(item) if type(item) is str else self.name(code)

    def _amounts(self) -> tuple[Any, int]:
        """How often each code occurs, from −1 up, and how many codes were read; None where there are too many."""
        if self._counted is None:
            total = self.categories.length()
            if total > _CATEGORIES:
                return None, 0
            self._counted = count_codes(self.array, total, self.budget.share())
        return self._counted


class ScalarColumn(ColumnContents):
    """What pandas itself turns into scalars, one at a time."""

    unread = Unread("dtype", "values that are no numbers")

    def __init__(self, values: Any, budget: Budget) -> None:
        super().__init__(values, budget)
        self._length = len(values)

    def dtype(self) -> str:
        return str(self.array.dtype)

    def length(self) -> int:
        return self._length

    def words(self) -> list[str]:
        few = range(min(3, self._length))
        return [listed((self.text(self.array[at]) for at in few), self._length > 3, 60) or "empty"]

    def items(self, start: int, amount: int) -> Iterable[object]:
        return (TextRow(self.text(self.array[at])) for at in range(start, min(start + amount, self._length)))

    def text(self, item: Any) -> str:
        return str(item)


class SparseColumn(ScalarColumn):
    """A sparse column stores the elements that differ from its fill value; the row shows these."""

    unread = Unread("layout", "mostly one value: what is stored is told")

    def __init__(self, values: Any, budget: Budget) -> None:
        super().__init__(values, budget)
        self._stored = contents_of(dict_get(instance_dict(values), "_sparse_values"), budget)

    def labels(self, start: int, amount: int) -> Iterable[object]:
        items = (self.array[at] for at in range(start, min(start + amount, self._length)))
        return (item.item() if issubclass(type(item), numpy.generic) else item for item in items)

    def words(self) -> list[str]:
        stored = self._stored.length()
        share = percent(stored, self._length) if self._length else "0%"
        return [f"{count(stored, self._length)} stored ({share})", *(self._stored.words() if stored else [])]

    def parts(self) -> list[Child]:
        return [Child("stored", stats_rows(self._stored.reading()))]
