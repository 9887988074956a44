"""Labels of pandas rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ...measure.stats import Unread
from ...safe.budget import Budget
from ...safe.guard import dict_get, instance_dict, module
from ...words.text import listed
from ...words.values import value_text
from ..numpy.contents import Contents
from ..rows import TextRow
from .flat import ColumnContents

_LEVELS = 12
_WRITTEN_OUT = 1_000_000  #: labels of a range up to which they are made, to be compared


class RangeLabels(ColumnContents):
    """The labels of a ``RangeIndex``, which are kept as a range."""

    unread = Unread("layout", "a range, not read")

    def dtype(self) -> str:
        return "int64"

    def length(self) -> int:
        return len(self.array)

    def elements(self) -> Any:
        if len(self.array) > _WRITTEN_OUT:
            return Unread("too_many", "a long range")
        return module("numpy").arange(self.array.start, self.array.stop, self.array.step)

    def words(self) -> list[str]:
        if not self.array:
            return ["empty"]
        if len(self.array) == 1:
            return [value_text(self.array[0])]
        by = f" by {self.array.step}" if self.array.step != 1 else ""
        return [f"{value_text(self.array[0])}…{value_text(self.array[-1])}{by}"]

    def fact_rows(self) -> list[list[str]]:
        return [[name, value_text(getattr(self.array, name))] for name in ("start", "stop", "step")]

    def items(self, start: int, amount: int) -> Iterable[object]:
        return map(TextRow, map(value_text, self.labels(start, amount)))

    def labels(self, start: int, amount: int) -> Iterable[object]:
        return self.array[start : start + amount]  # type: ignore[no-any-return]


class MultiIndexLabels(ColumnContents):
    """The labels of a ``MultiIndex``: one of each level."""

    unread = Unread("dtype", "labels of several levels")

    def __init__(self, index: Any, budget: Budget, levels: list[Contents]) -> None:
        super().__init__(index, budget)
        attrs = instance_dict(index)
        self._codes = list(dict_get(attrs, "_codes") or ())
        self._levels = levels
        self._names = list(dict_get(attrs, "_names") or ())

    def dtype(self) -> str:
        return "tuple"

    def length(self) -> int:
        return len(self._codes[0]) if self._codes else 0

    def words(self) -> list[str]:
        named = zip(self._names, self._levels)
        levels = []
        for number, (name, level) in enumerate(islice(named, _LEVELS)):
            levels.append(f"{name if type(name) is str else number} ({level.length():,} {level.dtype()})")
        return [f"{len(self._levels)} levels: {listed(levels, len(self._levels) > _LEVELS, 80)}"]

    def items(self, start: int, amount: int) -> Iterable[object]:
        for label in self.labels(start, amount):
            yield TextRow(f"({', '.join(repr(one) if type(one) is str else value_text(one) for one in label)})")

    def labels(self, start: int, amount: int) -> Iterator[tuple[object, ...]]:
        codes = (part[start : start + amount].tolist() for part in self._codes)
        return (tuple(map(_one, self._levels, row)) for row in zip(*codes))


def _one(level: Contents, code: int) -> object:
    return None if code < 0 else next(iter(level.labels(code, 1)), None)
