"""Columns of tables: `measure.columns`. Arrow's, which the tests don't install, by a stand-in for what is asked of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from stats_reference import ticking

from tensor_inspector.measure.columns import Chunks, Slices, range_of_series
from tensor_inspector.measure.valid import of_valid
from tensor_inspector.safe.budget import Budget


class Arrow:
    """A chunked array of numbers, some of them missing."""

    def __init__(self, items: list[int | None]) -> None:
        self.items = items

    def length(self) -> int:
        return len(self.items)

    def slice(self, offset: int, length: int) -> Arrow:
        return Arrow(self.items[offset : offset + length])

    def take(self, indices: Iterable[int]) -> Arrow:
        return Arrow([self.items[at] for at in indices])

    def drop_null(self) -> Arrow:
        return Arrow([item for item in self.items if item is not None])

    def to_numpy(self) -> Any:
        return np.array(self.items)


ITEMS = [None if number % 4 == 0 else number for number in range(200_000)]


def test_what_is_missing_is_left_out_of_statistics_block_by_block() -> None:
    stats: Any = of_valid(Chunks(Arrow(ITEMS)), Chunks.numbers, Budget())
    there = [item for item in ITEMS if item is not None]
    assert (stats["count"], stats["read"], stats["exact"]) == (len(there), len(there), True)
    assert (stats["min"], stats["max"], stats["mean"]) == (1, 199_999, sum(there) / len(there))


def test_of_a_sample_too() -> None:
    stats: Any = of_valid(Chunks(Arrow(ITEMS)), Chunks.numbers, Budget(max_elements=1000))
    assert not stats["exact"]
    assert 700 <= stats["read"] <= 800


def test_values_at_positions_are_those_of_these_positions() -> None:
    items: list[int | None] = [10, 11, None, 13, 14, 15, 16]
    assert Chunks.numbers(Chunks(Arrow(items)).at(range(1, 7, 2))).tolist() == [11, 13, 15]


def test_so_are_those_of_a_series() -> None:
    series = pytest.importorskip("polars").Series([10, 11, None, 13, 14, 15, 16])
    assert Slices.numbers(Slices(series._s).at(range(1, 7, 2))).tolist() == [11, 13, 15]


def test_the_range_of_a_short_series_is_that_of_all_of_it() -> None:
    series = pytest.importorskip("polars").Series([3, None, 1, 2])
    assert range_of_series(series._s, ticking(40.0, 1.0)) == (1, 3, True)
