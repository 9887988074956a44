"""Promise 4: the program's own code is not run to describe a value, and one bad value harms no other."""

from __future__ import annotations

import sys
from math import inf, nan
from types import FrameType
from typing import Any

import pytest
import torch
from hostile import RAN, objects

from tensor_inspector import facts, summarize, tree
from tensor_inspector.safe.budget import Budget
from tensor_inspector.stop.frame import rows
from tensor_inspector.stop.snapshot import Snapshot

OBJECTS = objects()


@pytest.fixture(autouse=True)
def count_from_zero() -> None:
    RAN.clear()


@pytest.mark.parametrize("name", OBJECTS)
def test_no_code_of_the_value_runs(name: str) -> None:
    value = OBJECTS[name]
    for ask in (summarize, facts, lambda it: tree(it, depth=3)):
        ask(value)
    assert RAN == []


@pytest.mark.parametrize("name", OBJECTS)
def test_inside_a_container_neighbours_are_unharmed(name: str) -> None:
    text = tree([1, OBJECTS[name], 2], depth=1)
    assert "[0]  1" in text
    assert "[2]  2" in text
    assert RAN == []


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("trapped", "Trapped"),
        ("dict subclass", "TrappedDict · 1: a 1"),
        ("list subclass", "TrappedList · 2: 1, 2"),
        ("tuple subclass", "TrappedTuple · 2: 1, 2"),
        ("set subclass", "TrappedSet · 2: 1, 2"),
        ("str subclass", "'text'"),
        ("int subclass", "7"),
        ("float subclass", "0.5"),
        ("namedtuple with a property", "TrappedPoint · x 1, y 2"),
        ("hostile keys", "dict · 1: ‹Key›: 1"),
        ("hostile keys in order", "OrderedDict · 1: ‹Key›: 1"),
        ("defaultdict", "defaultdict · 1: known 1"),
        ("metaclass", "Liar"),
        ("recursing __getattribute__", "Recursing · kept 1"),
        ("recursing __getattr__", "Missing"),
        ("unset slot", "Slotted · here 2"),
        ("properties", "Properties"),
        ("hostile names", "Recursing · kept 1, ‹_Odd› #1 1"),
        ("hostile names of a module", "Linear(2 → 3) · 9 params · train · grads None"),
    ],
)
def test_what_is_seen_of_it(name: str, seen: str) -> None:
    assert summarize(OBJECTS[name]) == seen


def test_a_defaultdict_gains_no_key() -> None:
    tree(OBJECTS["defaultdict"], depth=3)
    assert list(OBJECTS["defaultdict"]) == ["known"]


def test_properties_are_offered_and_not_read() -> None:
    text = tree(OBJECTS["properties"], depth=2)
    assert "prints  property · not read" in text
    assert RAN == []


def test_among_the_variables_of_a_frame_none_runs() -> None:
    def stop(metaclass: object, trapped: object, properties: object) -> FrameType:
        return sys._getframe()

    frame = stop(OBJECTS["metaclass"], OBJECTS["trapped"], OBJECTS["properties"])
    Snapshot(rows(frame, "all", Budget())).page(0, 0, 100, Budget())
    assert RAN == []


def with_methods_of_its_own(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with an attribute of every method's name."""
    tensor.__dict__.update({name: lambda *_, name=name, **__: RAN.append(name) for name in dir(torch.Tensor)})
    return tensor


@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.randn(3, 4),
        lambda: torch.tensor([1.0, nan, inf]),
        lambda: torch.randint(0, 9, (20,)),
        lambda: torch.randn(6, 4).t()[::2],
        lambda: torch.randn(3, dtype=torch.complex64).conj(),
        lambda: torch.ones(1).expand(1 << 22),
        lambda: torch.zeros(1 << 21).half(),
        lambda: torch.full((1 << 21,), nan).view(2, -1).t(),
        lambda: torch.eye(3).to_sparse(),
        lambda: torch.nn.Parameter(torch.ones(4)),
    ],
)
@pytest.mark.parametrize("within", [lambda t: t, lambda t: [t, torch.ones(2)] * 3, lambda t: {"a": [t]}])
def test_attributes_of_a_tensor_that_are_named_as_methods_are_not_called(made: Any, within: Any) -> None:
    value = within(with_methods_of_its_own(made()))
    for ask in (lambda it: facts(it, quantiles=[0.5], bins=2), lambda it: tree(it, depth=3)):
        ask(value)
    assert RAN == []
    assert "not read" not in summarize(value)
