"""Arrays of strings and of Python objects: a few examples, and the classes of the first ones."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...measure.unread import Unread
from ...safe.guard import Classes, class_name, module
from ...words.text import listed
from ..kind import Child
from ..registry import as_kind
from ..rows import TextRow
from .contents import Contents

if TYPE_CHECKING:
    from ...protocol import Badge

_SAMPLE = 1000  #: elements looked at for a line
_LONG = 4096  #: bytes of one string beyond which only its beginning is taken
_EXACT = Classes(str, bytes)
_CUT = 256  #: characters of such a string


class Strings(Contents):
    """Strings and bytes: a few of them, and how many differ."""

    unread = Unread("dtype", "strings, not numbers")

    def shown(self) -> str | None:
        return self.text(_shortened(self.array).item()) if self.array.ndim == 0 else None

    def words(self) -> list[str]:
        if not self.array.size:
            return ["empty"]
        sample, others = self._sample
        return sample_words(sample, self.array.size, len(sample) + others)

    def badges(self) -> list[Badge]:
        return []

    def missing(self) -> int | None:
        return self._sample[1] if self.array.size <= _SAMPLE else None

    def fact_rows(self) -> list[list[str]]:
        sample, others = self._sample
        size, sampled = self.array.size, len(sample) + others
        return [*string_rows(sample, size, sampled), *missing_rows(sample, size, sampled)]

    def items(self, start: int, amount: int) -> Iterable[object]:
        whole = self.array is _shortened(self.array)
        for item in _shortened(self.array)[start : start + amount].tolist():
            yield item if whole and type(item) in _EXACT else TextRow(self.text(item))

    def text(self, item: Any) -> str:
        if type(item) in _EXACT:
            return _quoted(item, 60)
        return "None" if item is None else class_name(type(item))

    @cached_property
    def _sample(self) -> tuple[list[str | bytes], int]:
        """Strings among the first elements, and how many others (missing ones) are among them."""
        first = _first_of(_shortened(self.array))
        strings = [item for item in first if type(item) in _EXACT]
        return strings, len(first) - len(strings)


class Objects(Contents):
    """Any objects, by what they are; strings among nothing else as strings."""

    unread = Unread("dtype", "objects, not numbers")

    def shown(self) -> str | None:
        return self._brief(self.array.item()) if self.array.ndim == 0 else None

    def words(self) -> list[str]:
        first = self._first
        if not first:
            return ["empty"]
        strings = [item for item in first if type(item) is str]
        if strings and all(type(item) is str or is_missing(item) for item in first):
            return sample_words(strings, self.array.size, len(first))
        if self.array.size <= 3:
            return [listed(map(self._brief, first), False, 80)]
        among = "" if self.array.size == len(first) else f"first {len(first):,}: "
        return [among + listed((f"{amount:,} {name}" for name, amount in _classes_of(first)), False, 80)]

    def badges(self) -> list[Badge]:
        return []

    def missing(self) -> int | None:
        return sum(map(is_missing, self._first)) if self.array.size <= _SAMPLE else None

    def fact_rows(self) -> list[list[str]]:
        first = self._first
        among = "" if self.array.size == len(first) else f" among the first {len(first):,}"
        return [[name, f"{amount:,}{among}"] for name, amount in _classes_of(first)[:12]]

    def parts(self) -> list[Child]:
        return [Child("item", self.array.item(), "[()]")] if self.array.ndim == 0 else []

    def items(self, start: int, amount: int) -> Iterable[object]:
        return self.array[start : start + amount].tolist()  # type: ignore[no-any-return]

    @cached_property
    def _first(self) -> list[object]:
        return _first_of(self.array)

    def _brief(self, item: object) -> str:
        return as_kind(item, self.budget).brief()


def _first_of(array: Any) -> list[Any]:
    """The first elements in the order of reading."""
    if array.ndim == 1 or array.flags.c_contiguous:
        return array.reshape(-1)[:_SAMPLE].tolist()  # type: ignore[no-any-return]
    scalar = module("numpy").generic
    return [item.item() if issubclass(type(item), scalar) else item for item in islice(array.flat, _SAMPLE)]


def sample_words(sample: list[Any], size: int, sampled: int) -> list[str]:
    """A few strings out of the ``sampled`` elements, how many of them differ, and how many are missing."""
    different = list(dict.fromkeys(sample))
    first = "" if sampled == size else f"first {sampled:,}: "
    how_many = "" if len(different) == len(sample) else f"{len(different):,} distinct: "
    shown = listed((_quoted(item, 24) for item in different[:12]), len(different) > 12, 60)
    missing = sampled - len(sample)
    if not missing:
        return [first + how_many + shown]
    if not sample:
        return [f"{first}all missing"]
    return [first + how_many + shown, f"{missing:,} missing"]


def string_rows(sample: list[Any], size: int, sampled: int) -> list[list[str]]:
    """Facts about the strings among the sampled elements: the longest, and how many differ and are empty."""
    among = "" if sampled == size else f" among the first {sampled:,}"
    if not sample:
        return []
    longest = max(map(len, sample))
    return [
        ["longest", f"{longest:,}{among}" if longest < _CUT else f"{_CUT} or more{among}"],
        ["distinct", f"{len(set(sample)):,}{among}"],
        ["empty", f"{sum(not item for item in sample):,}{among}"],
    ]


def missing_rows(sample: list[Any], size: int, sampled: int) -> list[list[str]]:
    """A fact with the number of missing elements among the sampled ones, where there are some."""
    among = "" if sampled == size else f" among the first {sampled:,}"
    return [["missing", f"{sampled - len(sample):,}{among}"]] if sampled > len(sample) else []


def _quoted(item: str | bytes, limit: int) -> str:
    return repr(item) if len(item) <= limit else f"{item[:limit]!r}"[:-1] + f"…{repr(item)[-1]}"


def is_missing(item: object) -> bool:
    """Whether an object stands for a value that is not there: None, NaN, pandas' NA and NaT."""
    return item is None or (type(item) is float and item != item) or class_name(type(item)) in ("NAType", "NaTType")


def _classes_of(items: Iterable[object]) -> list[tuple[str, int]]:
    """The names of their classes and how many there are of each, most of all first."""
    counts: dict[str, int] = {}
    for item in items:
        name = class_name(type(item))
        counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items(), key=lambda each: -each[1])


def _shortened(array: Any) -> Any:
    """The strings, or only the beginning of each where one takes much memory."""
    dtype = array.dtype
    if dtype.kind == "T" or dtype.itemsize <= _LONG:
        return array
    head = f"{dtype.str[:2]}{_CUT}"
    field = module("numpy").dtype({"names": ["head"], "formats": [head], "offsets": [0], "itemsize": dtype.itemsize})
    return array.view(field)["head"]
