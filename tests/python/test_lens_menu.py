"""Which lenses the menu of a row offers: those that have something to say of its value."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any, Callable

import numpy
import pandas as pd
import pytest
import torch
from asking import Paused
from torch import nn
from torch.utils.data import DataLoader, SequentialSampler, TensorDataset


def trained(*, some: bool = False) -> nn.Module:
    model = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
    for layer in model[:1] if some else model:
        layer(torch.ones(1, 2)).sum().backward()
    return model


def frozen() -> nn.Module:
    return nn.Linear(2, 2).requires_grad_(False)


@dataclasses.dataclass
class Sample:
    x: torch.Tensor
    y: int


def with_bad_gradient() -> torch.Tensor:
    leaf = torch.ones(2, requires_grad=True)
    leaf.grad = torch.full((2,), torch.nan)
    return leaf


class Doubled(torch.autograd.Function):
    pass


CASES: list[tuple[Callable[[], Any], list[str] | None]] = [
    (lambda: torch.ones(2), ["batch"]),
    (lambda: torch.tensor(2.0), None),
    (lambda: numpy.ones(2), ["batch"]),
    (lambda: torch.ones(2, requires_grad=True), ["no_gradient"]),
    (lambda: torch.ones(2, requires_grad=True) * 2, ["autograd"]),
    (lambda: torch.ones(2, requires_grad=True) / 0, ["autograd", "nan_origin"]),
    (lambda: torch.tensor([1.0, torch.nan]), ["nan_origin", "batch"]),
    (with_bad_gradient, None),
    (lambda: trained()[0].weight, None),
    (lambda: nn.Linear(2, 2), ["gradients", "no_gradient", "model", "shapes", "gradcheck"]),
    (trained, ["gradients", "model"]),
    (lambda: trained(some=True), ["gradients", "no_gradient", "model"]),
    (frozen, ["no_gradient", "model", "shapes", "gradcheck"]),
    (lambda: nn.Sequential(nn.ReLU()), ["model", "shapes", "gradcheck"]),
    (lambda: frozen().weight, ["no_gradient"]),
    (nn.ReLU, ["shapes", "gradcheck"]),
    (lambda: Doubled, ["gradcheck"]),
    (lambda: Doubled.apply, ["gradcheck"]),
    (lambda: frozen, ["gradcheck"]),
    (lambda: trained().forward, ["gradcheck"]),
    (lambda: torch.autograd.Function, None),
    (lambda: nn.Linear, None),
    (lambda: [].append, None),
    (lambda: torch.optim.SGD([torch.ones(1)]), ["gradients"]),
    (lambda: [torch.nan], None),
    (lambda: (torch.ones(2), torch.ones(2)), ["batch"]),
    (lambda: {"x": {"ids": torch.ones(2)}}, ["batch"]),
    (lambda: {"x": "text", "n": [1, 2]}, None),
    (lambda: [nn.Linear(1, 1)], None),
    (lambda: Sample(torch.ones(2), 1), ["batch"]),
    (lambda: TensorDataset(torch.ones(2)), ["batch", "item"]),
    (lambda: DataLoader(TensorDataset(torch.ones(2))), ["batch", "item"]),
    (lambda: SequentialSampler([1]), ["batch"]),
    (lambda: pd.DataFrame({"a": [1]}), ["batch"]),
    (lambda: pd.DataFrame(), None),
    (object, None),
]


@pytest.mark.parametrize(("make", "lenses"), CASES)
def test_the_lenses_of_a_row(
    make: Callable[[], Any], lenses: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(value: object) -> Any:
        assert value is not None
        return sys._getframe()

    row = Paused(stop(make()), monkeypatch).ask("inspect", expression="value")["node"]
    assert [lens for lens in row.get("lenses", []) if lens != "referrers"] == (lenses or [])


@pytest.mark.parametrize(
    ("make", "is_offered"),
    [
        (lambda: torch.ones(2), True),
        (lambda: nn.Linear(2, 2), True),
        (lambda: [1], True),
        (object, True),
        (lambda: 7, False),
        (lambda: "text", False),
    ],
)
def test_who_keeps_it_alive_is_offered_for_what_can_hold_others(
    make: Callable[[], Any], is_offered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(value: object) -> Any:
        return sys._getframe()

    rows = Paused(stop(make()), monkeypatch).ask("frame")["rows"]["nodes"]
    row = next(row for row in rows if row["name"] == "value")
    assert ("referrers" in row.get("lenses", [])) is is_offered
