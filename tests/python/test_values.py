"""Some elements as text, and statistics of bytes by their counts."""

from __future__ import annotations

from math import sqrt

import pytest
import torch

from tensor_inspector.measure.pixels import stats_of_bytes
from tensor_inspector.words.values import corner_text


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((), "1"),
        ((6,), "[1, 1, 1, 1, 1, 1]"),
        ((7,), "[1, 1, 1, 1, 1, 1, …]"),
        ((4, 6), "\n".join(["[1, 1, 1, 1, 1, 1]"] * 4)),
        ((5, 1), "\n".join([*["[1]"] * 4, "…"])),
        ((2, 1, 7), "[1, 1, 1, 1, 1, 1, …]"),
        ((0, 3, 3), "[]"),
    ],
)
def test_a_corner_says_what_else_there_is_and_only_then(shape: tuple[int, ...], text: str) -> None:
    assert corner_text(torch.ones(shape)) == text


@pytest.mark.parametrize(("count", "mean", "std"), [(0, None, None), (1, 1.0, None), (2, 1.5, sqrt(0.5))])
def test_statistics_of_few_bytes(count: int, mean: float | None, std: float | None) -> None:
    amounts = [0] * 256
    amounts[1:3] = [int(count > 0), int(count > 1)]
    stats = stats_of_bytes([amounts], count, True)
    assert (stats["count"], stats["mean"], stats["std"]) == (count, mean, std)
