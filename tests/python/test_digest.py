"""What is counted of a module is the same whether it is asked alone, or after the one around it in the same answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tensor_inspector.measure.torch.digest import Digest
from tensor_inspector.measure.torch.visits import visits
from tensor_inspector.safe.budget import Budget, Steps
from tensor_inspector.safe.untouched import Untouched


def _nested() -> nn.Module:
    below = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Linear(3, 4)))
    return nn.Sequential(nn.Embedding(5, 2), below.eval(), nn.Linear(4, 2).requires_grad_(False))


def _one_module_in_two_places() -> nn.Module:
    shared = nn.Linear(2, 2)
    return nn.Sequential(nn.Sequential(shared, nn.ReLU()), nn.Sequential(nn.Tanh(), shared, nn.Linear(2, 3)))


def _tied_weights() -> nn.Module:
    model = nn.ModuleDict({"a": nn.Sequential(nn.Linear(2, 2)), "b": nn.Sequential(nn.Linear(2, 2))})
    model["b"][0].weight = model["a"][0].weight
    return model


def _with_a_place_left_empty() -> nn.Module:
    model = _nested()
    model[1].register_module("none", None)
    return model


def _with_gradients() -> nn.Module:
    model = nn.Sequential(nn.Sequential(nn.Linear(2, 3)), nn.Linear(3, 1))
    model(torch.ones(1, 2)).sum().backward()
    model[1].weight.grad = None
    return model


def _scripted_below() -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nn.Sequential(nn.Linear(2, 2), torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.ReLU())))


def counts(digest: Digest) -> dict[str, Any]:
    names = {"tensors": [name for name, _ in digest.tensors], "values": [name for name, _ in digest.values]}
    return {**vars(digest), **names, "bytes": digest.bytes()}


@pytest.mark.parametrize(
    "make",
    [_nested, _one_module_in_two_places, _tied_weights, _with_a_place_left_empty, _with_gradients, _scripted_below],
)
def test_a_module_is_counted_after_those_around_it_as_alone(make: Callable[[], nn.Module]) -> None:
    model, budget = make(), Budget()
    with Untouched():
        for below in model.modules():
            assert counts(Digest(below, budget)) == counts(Digest(below, Budget()))


def test_a_module_below_one_that_was_walked_is_not_walked_again() -> None:
    model, budget = _nested(), Budget()
    with Untouched():
        first = [visit for _, visit in visits(model, budget.known, Steps(budget))]
        again = [visit for _, visit in visits(model[1], budget.known, Steps(budget))]
    assert list(map(id, again)) == list(map(id, first[2:7]))


def test_a_walk_that_had_no_time_for_all_is_not_taken_for_all() -> None:
    model, budget = nn.Sequential(*(nn.Sequential(nn.Linear(1, 1)) for _ in range(100))), Budget(0)
    with Untouched():
        assert not Digest(model, budget).complete
        assert Digest(model[0], budget).complete
        budget.renew(1e6)
        assert len(Digest(model, budget).tensors) == 200
