"""Columns in Arrow's format, read chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...measure.columns import Chunks
from ...measure.stats import Unread
from ...safe.budget import Budget
from ...safe.guard import dict_get, instance_dict, module
from ...words.stats import stats_words
from ...words.text import listed, shorten
from ...words.values import value_text
from ..numpy.texts import sample_words, string_rows
from ..rows import TextRow
from .flat import ChunkedContents

_SAMPLE = 1000  #: values looked at for a line
_BYTES = 1 << 20  #: bytes of these values at most


class ArrowColumn(ChunkedContents):
    """A column that Arrow keeps, in chunks."""

    unread = Unread("dtype", "Arrow values, not numbers")

    def __init__(self, values: Any, budget: Budget) -> None:
        attrs = instance_dict(values)
        chunks = dict_get(attrs, "_pa_array")
        super().__init__(dict_get(attrs, "_data") if chunks is None else chunks, budget)
        self._dtype = dict_get(attrs, "_dtype")

    def dtype(self) -> str:
        return str(self._dtype)

    def missing(self) -> int | None:
        return int(self.array.null_count)

    def length(self) -> int:
        return int(self.array.length())

    def pieces(self) -> Any:
        kinds = instance_dict(module("pyarrow")).get("types")
        of = self.array.type
        if kinds is None or not (kinds.is_integer(of) or kinds.is_floating(of) or kinds.is_boolean(of)):
            return self.unread
        return Chunks(self.array)

    def elements(self) -> Any:
        if isinstance(self.pieces(), Unread):
            return None
        if self.missing() or self.array.num_chunks != 1 or str(self.array.type) == "bool":
            return Unread("layout", "numbers with missing ones, in chunks or in bits of Arrow's")
        return self.array.chunk(0).to_numpy()  # which is no copy

    def words(self) -> list[str]:
        missing = [f"{self.missing():,} NA"] if self.missing() else []
        if not isinstance(self.reading(), Unread):
            return [*stats_words(self.reading(), str(self.array.type) == "bool"), *missing]
        if not self.length():
            return ["empty"]
        sample = self._sample()
        strings = [item for item in sample if type(item) is str]
        if strings:
            return sample_words(strings, self.length(), len(sample))
        return [listed((_text(item) for item in sample[:3]), self.length() > 3, 60), *missing]

    def fact_rows(self) -> list[list[str]]:
        sample = self._sample()
        strings = [item for item in sample if type(item) is str]
        rows = string_rows(strings, self.length(), len(sample)) if strings else []
        return [*rows, ["missing", f"{self.missing():,}"]]

    def items(self, start: int, amount: int) -> Iterable[object]:
        return map(TextRow, map(_text, self.array.slice(start, amount).to_pylist()))

    def labels(self, start: int, amount: int) -> Iterable[object]:
        return self.array.slice(start, amount).to_pylist()  # type: ignore[no-any-return]

    def _sample(self) -> list[Any]:
        amount = _SAMPLE
        while amount > 1 and self.array.slice(0, amount).nbytes > _BYTES:
            amount //= 4
        return self.array.slice(0, amount).to_pylist()  # type: ignore[no-any-return]


def _text(item: object) -> str:
    return "missing" if item is None else shorten(value_text(item), 80)
