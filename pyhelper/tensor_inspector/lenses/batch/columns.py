"""Columns of a table as parts of a batch: dtype, missing values, distinct values, range."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...kinds import Child
from ...kinds.numpy.contents import Contents
from ...kinds.numpy.texts import is_missing
from ...kinds.python.mappings import key_name
from ...kinds.tables.tables import Table
from ...measure import samples
from ...measure.stats import Unread
from ...measure.stats.distribution import ValidElements
from ...safe.guard import Classes
from .part import DataPart

_ITEMS = 100_000  #: values of a column that are no numbers, and are counted one by one
_LABELS = 256
_HASHED = Classes(str, int, float, bool, bytes)


class ColumnPart(DataPart):
    """A column. ``missing`` are nulls; NaN counts as such where the library says so."""

    def __init__(self, path: str, column: Child) -> None:
        super().__init__(path)
        self.values.append(column)
        self.rows = 0

    def amount(self) -> int | None:
        return self.rows

    def measure(self, kind: Any) -> None:
        contents = kind.contents
        self.sort = "array"
        self.types = [kind.type_name()]
        self.dtypes = [contents.dtype()]
        self.rows = contents.length()
        self.shapes = [[self.rows]]
        self.missing = contents.missing() or 0
        self._take_reading(contents.reading())
        self.words = contents.words()
        try:
            self._count_values(contents)
        except Exception:  # of a sort that its library can't give
            self.distinct = self.labels = None

    def settle(self) -> None:
        pass

    def _count_values(self, contents: Contents) -> None:
        elements = contents.measured() if contents.distribution_rows({}) is None else None
        if type(elements) is ValidElements:
            elements = elements.take(elements.parts[0 : self.rows]) if self.rows <= _ITEMS else None
        if elements is None or isinstance(elements, Unread):
            self._count_items(contents)
            return
        found = samples.counts(elements, whole=False)
        if found is not None:
            self._take_counts(found, _LABELS)

    def _count_items(self, contents: Contents) -> None:
        """Counts values of built-in types; comparing others could run code of the program."""
        if not 0 < self.rows <= _ITEMS:
            return
        counts: Counter[Any] = Counter()
        for item in contents.objects(self.rows):
            if is_missing(item):
                continue
            if type(item) not in _HASHED:
                return
            counts[item] += 1
        self.distinct = len(counts)
        self.labels = dict(counts) if len(counts) <= _LABELS else None


def columns_of(asked: Child, table: Table, most: int) -> list[ColumnPart]:
    total = min(most, table.size()[1])
    found = []
    for at, label in enumerate(table.labels(0, total)):
        name, step = key_name(label, at, table), table.column_suffix(at, label)
        suffix = None if asked.suffix is None or step is None else f"{asked.suffix}{step}"
        found.append(ColumnPart(name, Child(name, table.column(at), suffix, copied=True)))
    return found
