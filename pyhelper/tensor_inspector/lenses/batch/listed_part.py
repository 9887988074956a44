"""`ListedPart`: the values at one path of all samples of a list together."""

from __future__ import annotations

from typing import Any

from ...kinds import Kind
from ...measure.listed_samples import ListedSamples
from ...safe.budget import Budget
from .part import DataPart
from .plain import ITEMS, sort_of


class ListedPart(DataPart):
    """``samples`` is how many samples stand side by side."""

    def __init__(self, path: str, samples: int, *, is_batch: bool = True) -> None:
        super().__init__(path, is_batch=is_batch)
        self.folded = samples
        self._samples = ListedSamples()

    def amount(self) -> int | None:
        return self.folded

    def measure(self, kind: Kind) -> None:
        if kind.value is None:
            self._measured += 1
            self._take_items([None])
        else:
            super().measure(kind)
        if self._number() not in self._samples:
            self._samples.note_unread()

    def note_unread(self, count: int) -> None:
        self.read = (len(self.values) if self.read is None else self.read) - count

    def settle(self) -> None:
        super().settle()
        read = self._number() + 1 if self._measured else 0
        self.keys = self._samples.keys((self.folded or 0) if self.read is None else read)

    def duplicates(self) -> int | None:
        return self._samples.repeats if self.keys is not None and self._samples.has_several else None

    def _take_items(self, items: list[Any], length: int | None = None) -> None:
        super()._take_items(items, length)
        if items == [None]:
            self._samples.note_missing(self._number())
        elif len(items) < ITEMS and (not items or sort_of(items)):  # comparing others could run code of the program
            self._samples.note_items(self._number(), items)

    def _note_usual(self, shape: tuple[Any, ...], dtype: str) -> None:
        self.usual_shape.note(shape, self._number())
        self.usual_dtype.note(dtype, self._number())

    def _find_equal(self, elements: Any, shape: list[Any], budget: Budget) -> None:
        self._samples.note(self._number(), elements)

    def _number(self) -> int:
        """The number of the sample that is measured now."""
        return self.numbers[self._measured - 1]
