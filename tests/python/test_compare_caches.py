"""What one of two equal values has stored of what both can work out is told apart from differences."""

from __future__ import annotations

import functools
from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch.distributions import Bernoulli, Categorical, MultivariateNormal, Normal

from tensor_inspector import compare


class Doubled:
    def __init__(self, number: int) -> None:
        self.number = number

    @functools.cached_property
    def twice(self) -> int:
        return self.number * 2

    def method(self) -> int:
        return 1

    @functools.lru_cache  # noqa: B019
    def remembered(self) -> int:
        return 1

    partial = functools.partialmethod(method)
    dispatched = functools.singledispatchmethod(method)


class Lazily(torch.nn.Module):
    @functools.cached_property
    def size(self) -> int:
        return 3


class Usual:
    """A descriptor that stores nothing: what stands in an instance's dict goes before it."""

    def __get__(self, value: object, cls: type) -> int:
        return 3


class lazy_attribute(Usual):
    """It is only called as if it stored something."""


class Attended:
    size = Usual()
    option = lazy_attribute()

    def __init__(self) -> None:
        self._kv_cache: Any = None


@dataclass
class Declared:
    number: int
    _memo: Any = None


class Slotted:
    __slots__ = ("_cache",)

    def __init__(self) -> None:
        self._cache: Any = None


class Masked(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("_cached_mask", None)


def categorical(read: bool) -> Any:
    made = Categorical(probs=torch.tensor([0.2, 0.8]))
    return (made, made.logits)[0] if read else made


def gaussian(read: bool) -> Any:
    made = MultivariateNormal(torch.zeros(2), torch.eye(2))
    return (made, made.precision_matrix)[0] if read else made


def module(read: bool) -> Any:
    made = Lazily()
    return (made, made.size)[0] if read else made


def doubled(read: bool) -> Any:
    made = Doubled(1)
    return (made, made.twice)[0] if read else made


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
        (module, [".size"]),
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


@pytest.mark.parametrize("name", ["method", "remembered", "partial", "dispatched"])
def test_a_method_that_was_replaced_is_no_cache(name: str) -> None:
    one, other = Doubled(1), Doubled(1)
    setattr(other, name, lambda: 2)
    assert [found["what"] for found in compare(one, other).differences] == ["only in b"]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (Attended, "size"),
        (Attended, "option"),
        (Attended, "_kv_cache"),
        (lambda: Declared(1), "_memo"),
        (Slotted, "_cache"),
        (Masked, "_cached_mask"),
        (lambda: Namespace(_cache=None), "_cache"),
    ],
)
def test_what_only_bears_the_name_of_a_cache_is_compared(make: Any, name: str, turned: bool) -> None:
    one, other = make(), make()
    setattr(one if turned else other, name, torch.ones(2))
    found = compare(one, other)
    assert (len(found.differences), found.cached, found.same) == (1, [], False)


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
