"""How the elements of a view lie in memory."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch

from tensor_inspector.measure.stats.layout import normalised


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_contiguous_tensor_is_one_dimension_in_any_permutation(order: tuple[int, ...]) -> None:
    t = torch.empty(4, 2, 3).permute(order)
    assert normalised(tuple(t.shape), t.stride()) == ([(24, 1)], 1)


@pytest.mark.parametrize(
    ("shape", "strides", "dims", "weight"),
    [
        ((), (), [], 1),
        ((1, 1), (7, 9), [], 1),
        ((5, 3), (3, 1), [(15, 1)], 1),
        ((5, 3), (6, 2), [(15, 2)], 1),
        ((5, 3), (7, 2), [(5, 7), (3, 2)], 1),
        ((3, 5), (2, 7), [(5, 7), (3, 2)], 1),
        ((5, 1, 3), (3, 100, 1), [(15, 1)], 1),
        ((5, 6, 3), (3, 0, 1), [(15, 1)], 6),
        ((4, 5), (0, 0), [], 20),
    ],
)
def test_dimensions_are_merged_where_they_are_adjacent_and_repeats_are_a_weight(
    shape: tuple[int, ...], strides: tuple[int, ...], dims: list[tuple[int, int]], weight: int
) -> None:
    assert normalised(shape, strides) == (dims, weight)
