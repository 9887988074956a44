"""Values of a polars series, read by polars' Rust core, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import isinf
from typing import TYPE_CHECKING, Any

from ...measure.columns import Slices, range_of_series
from ...measure.stats import Unread
from ...safe.budget import Budget
from ...safe.guard import Classes, class_name, instance_dict, module
from ...words.line import Word
from ...words.stats import stats_words
from ...words.text import joined, listed, number, one_line
from ...words.text import size as size_text
from ...words.values import value_text
from ..numpy.contents import Label
from ..numpy.texts import sample_words, string_rows
from ..registry import as_kind
from ..rows import TextRow
from .flat import ChunkedContents

if TYPE_CHECKING:
    from ...protocol import Badge

_SAMPLE = 1000  #: values looked at for a line
_BYTES = 1 << 21  #: bytes of values that are taken out together, at most
_COUNTED = 1 << 24  #: bytes of values that are counted, at most
_LEAST = 1 << 15  #: bytes that a single value may always take
_DTYPE = 40  #: characters
_FEW = 10  #: integers up to this many are shown themselves
_WHY = {
    "Decimal": "decimals: only their range is read",
    "Duration": "durations, not numbers",
    "Date": "dates, not numbers",
    "Datetime": "dates, not numbers",
    "Time": "times, not numbers",
    "String": "strings, not numbers",
}
_NESTED = ("List", "Array", "Struct")
_INSIDE = Classes(list, dict)
_HOLDERS = Classes(list, dict, TextRow)
_SHOWN_FIELDS = ("time_unit", "time_zone", "precision", "scale")  #: of a dtype


class SeriesContents(ChunkedContents):
    """Numbers by exact statistics, what has an order by its range, all else by a few values."""

    unread = Unread("dtype", "not numbers")

    def __init__(self, array: Any, budget: Budget) -> None:
        super().__init__(array, budget)
        name = self._name()
        why = "128-bit integers: only their range is read" if "128" in name else _WHY.get(name)
        self.unread = self.unread if why is None else Unread("dtype", why)

    def dtype(self) -> str:
        dtype = self.array.dtype()
        given = [str(item) for name, item in instance_dict(dtype).items() if name in _SHOWN_FIELDS and item is not None]
        return f"{self._name()}[{', '.join(given)}]" if given else one_line(str(dtype), _DTYPE)

    def length(self) -> int:
        return int(self.array.len())

    def missing(self) -> int | None:
        return int(self.array.null_count())

    def pieces(self) -> Any:
        if not self._is_number():
            return self.unread
        if module("numpy") is None:
            return Unread("no_values", "without numpy only range and mean are read")
        return Slices(self.array)

    def shown(self) -> str | None:
        few = 0 < self.length() <= _FEW and "Int" in self._name() and not self.missing()
        return str(self.array.to_list()).replace("-", "−") if few else None

    def objects(self, amount: int) -> Iterable[object]:
        """By polars' own core, if they take little."""
        few = self.array.head(amount)
        return few.to_list() if few.estimated_size() <= _COUNTED else ()

    def elements(self) -> Any:
        if not self._is_number():
            return None
        if module("numpy") is None or self.missing() or self.array.n_chunks() > 1 or self._name() == "Boolean":
            return Unread("layout", "numbers with nulls, in chunks or in bits")
        return self.array.to_numpy(False, False)

    def words(self) -> list[str]:
        length, missing = self.length(), self.missing() or 0
        if not length:
            return ["empty"]
        nulls = [f"{missing:,} null"] if missing else []
        if missing == length:
            return ["all null"]
        if not isinstance(self.reading(), Unread):
            return [*stats_words(self.reading(), self._name() == "Boolean"), *nulls]
        sample = self._sample()
        strings = [item for item in sample if type(item) is str]
        if strings and not any(type(item) is TextRow for item in sample):
            return [*sample_words(strings, length, len(sample))[:1], *nulls]
        range, some = self._range(), "≥" if length > len(sample) else ""
        named = zip(self._alarms_inside, ("NaN", "Inf"))
        loud = [Word(f"{some}{amount:,} {name}", loud=True) for amount, name in named if amount]
        return [*(range or [listed(map(self._brief, sample[:3]), length > 3, 60)]), *loud, *nulls]

    def badges(self) -> list[Badge]:
        known: tuple[Badge, ...] = ("nan", "inf")
        return super().badges() or [badge for badge, amount in zip(known, self._alarms_inside) if amount]

    @cached_property
    def _alarms_inside(self) -> tuple[int, int]:
        """How many NaN and how many Inf are in the first lists or structs of numbers."""
        if self._name() not in _NESTED or "Float" not in str(self.array.dtype()) or not self.budget.reads:
            return 0, 0
        waiting: list[Any] = [self._sample()]
        nan = infinite = 0
        while waiting and not self.budget.spent():
            inside = waiting.pop()
            for item in dict.values(inside) if type(inside) is dict else inside:
                if type(item) is float:
                    nan += item != item
                    infinite += isinf(item)
                elif type(item) in _INSIDE:
                    waiting.append(item)
        return nan, infinite

    def fact_rows(self) -> list[list[str]]:
        sample = self._sample()
        strings = [item for item in sample if type(item) is str]
        whole = not any(type(item) is TextRow for item in sample)
        rows = string_rows(strings, self.length(), len(sample)) if strings and whole else []
        range = self._range() if isinstance(self.reading(), Unread) and not strings else None
        return [*([["range", joined(range)]] if range else rows), ["null", f"{self.missing():,}"]]

    def items(self, start: int, amount: int) -> Iterable[object]:
        for item in self._taken(start, amount):
            yield item if type(item) in _HOLDERS or self._name() == "Object" else TextRow(self.text(item))

    def labels(self, start: int, amount: int) -> Iterable[object]:
        return (Label(item.text) if type(item) is TextRow else item for item in self._taken(start, amount))

    def text(self, item: Any) -> str:
        return "null" if item is None else value_text(item)

    def _name(self) -> str:
        dtype = self.array.dtype()
        return class_name(dtype if issubclass(type(dtype), type) else type(dtype))

    def _is_number(self) -> bool:
        name = self._name()
        return name == "Boolean" or (name.startswith(("Int", "UInt", "Float")) and "128" not in name)

    def _sample(self) -> list[Any]:
        amount = _SAMPLE
        while amount > 3 and bytes_of(self.array.slice(0, amount)) > _BYTES:
            amount = max(3, amount // 4)
        return self._taken(0, amount)

    def _taken(self, start: int, amount: int) -> list[Any]:
        """Some values; of those that take much memory, how much. (Polars would start threads to cut them.)"""
        part = self.array.slice(start, amount)
        if bytes_of(part) <= _BYTES:
            return part.to_list()  # type: ignore[no-any-return]
        most = max(_LEAST, _BYTES // part.len())
        return [self._one(part.slice(at, 1), most) for at in range(part.len())]

    def _one(self, part: Any, most: int) -> object:
        size = bytes_of(part)
        return part.to_list()[0] if size <= most else TextRow(f"{self.dtype()} of {size_text(size)}")

    def _range(self) -> list[str] | None:
        """From the least to the greatest value, of a dtype that has an order; the mean of numbers."""
        name = self._name()
        if not (self._is_number() or name in ("Date", "Datetime", "Duration", "Time", "Decimal") or "Int" in name):
            return None
        low, high, whole = range_of_series(self.array, self.budget.share())
        if low is None or high is None:
            return None
        if not whole:
            return [f"seen {self.text(low)}…{self.text(high)}"]
        words = [f"all {self.text(low)}" if low == high else f"{self.text(low)}…{self.text(high)}"]
        mean = self.array.mean() if self._is_number() else None
        if mean is None:
            return words
        return [*words, f"μ {number(float(mean), 3)}" if mean == mean else "NaN among them"]

    def _brief(self, item: object) -> str:
        if item is None:
            return "null"
        return item.text if type(item) is TextRow else as_kind(item, self.budget).brief()


def bytes_of(series: Any) -> int:
    """What the values take; of objects, polars does not know."""
    return 0 if str(series.dtype()) == "Object" else int(series.estimated_size())
