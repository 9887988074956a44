"""What one of two equal values has stored of what both can work out is told apart from differences."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from torch.distributions import Bernoulli, Categorical, MultivariateNormal, Normal

from tensor_inspector import compare


class Doubled:
    def __init__(self, number: int) -> None:
        self.number = number
        self._computed: Any = None

    @functools.cached_property
    def twice(self) -> int:
        return self.number * 2

    def method(self) -> int:
        return 1


def categorical(read: bool) -> Any:
    made = Categorical(probs=torch.tensor([0.2, 0.8]))
    return (made, made.logits)[0] if read else made


def gaussian(read: bool) -> Any:
    made = MultivariateNormal(torch.zeros(2), torch.eye(2))
    return (made, made.precision_matrix)[0] if read else made


def doubled(read: bool) -> Any:
    made = Doubled(1)
    return (made, made.twice)[0] if read else made


def filled(read: bool) -> Any:
    made = Doubled(1)
    made._computed = 3 if read else None
    return made


def metric(read: bool) -> Any:
    made = pytest.importorskip("torchmetrics").MeanMetric()
    made.update(torch.ones(2))
    return (made, made.compute())[0] if read else made


def convolution(read: bool) -> Any:
    layers = pytest.importorskip("torch_geometric.nn")
    layers.GCNConv(2, 2)  # the first of a process also reads the source of its class
    torch.manual_seed(0)
    made = layers.GCNConv(2, 2, cached=True)
    made(torch.rand(3, 2), torch.tensor([[0, 1], [1, 2]]))
    if not read:
        made._cached_edge_index = None
    return made


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (categorical, [".logits"]),
        (gaussian, [".precision_matrix"]),
        (doubled, [".twice"]),
        (filled, ["._computed"]),
        (metric, ["._computed"]),
        (convolution, ["._cached_edge_index"]),
    ],
)
def test_what_one_has_cached_is_no_difference(make: Any, names: list[str], turned: bool) -> None:
    found = compare(make(turned), make(not turned))
    assert (found.differences, [one["path"] for one in found.cached]) == ([], names)
    assert found.cached[0]["text"] == f"cached in one: {names[0][1:]}"
    assert f"cached in one: {names[0][1:]}" in repr(found)


def test_what_is_the_same_but_for_a_cache_is_the_same() -> None:
    assert compare(categorical(True), categorical(False)).same
    assert compare([{"a": doubled(True)}], [{"a": doubled(False)}]).same


def test_caches_of_both_are_compared() -> None:
    one, other = Doubled(1), Doubled(2)
    assert [one.twice, other.twice] == [2, 4]
    assert [found["path"] for found in compare(one, other).differences] == [".number", ".twice"]


def test_where_each_has_stored_what_the_other_has_not_no_verdict_is_given() -> None:
    found = compare(Bernoulli(probs=torch.tensor(0.5)), Bernoulli(logits=torch.tensor(0.0)))
    assert not found.same
    assert "not compared: probs ↔ logits" in repr(found)


def test_a_method_that_was_replaced_is_no_cache() -> None:
    one, other = Doubled(1), Doubled(1)
    other.method = lambda: 2  # type: ignore[method-assign]
    assert [found["what"] for found in compare(one, other).differences] == ["only in b"]


def test_what_differs_below_a_cache_is_still_found() -> None:
    one, other = Normal(0.0, 1.0), Normal(0.0, 2.0)
    assert not compare(one, other).same


@pytest.mark.skipif(not hasattr(torch.nested, "narrow"), reason="needs torch.nested.narrow")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_where_the_components_of_a_nested_tensor_lie_is_no_difference() -> None:
    whole = torch.tensor([[0.0, 1.0, 99.0], [2.0, 3.0, 4.0]])
    gaps = torch.nested.narrow(whole, 1, torch.tensor([0, 0]), torch.tensor([2, 3]), layout=torch.jagged)
    assert compare(gaps, gaps.contiguous()).same
    assert not compare(gaps, gaps.contiguous() + 1).same
