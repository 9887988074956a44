"""`budget_ms`: what there was no time for is left out of an answer, and the answer says so."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import pytest
import torch
from torch import nn

import tensor_inspector as ti
from tensor_inspector import questions
from tensor_inspector.safe.budget import Budget
from tensor_inspector.watching.findings import findings

MODEL = nn.Sequential(*(nn.Linear(2, 2) for _ in range(200)))
X = torch.ones(2, requires_grad=True)


def deep() -> torch.Tensor:
    y = X
    for _ in range(500):
        y = y * 1.5 + X
    return y.log() * 0


ASKED: dict[str, Callable[..., Any]] = {
    "memory": ti.memory,
    "memory, thorough": lambda **limit: ti.memory(thorough=True, **limit),
    "batch": lambda **limit: ti.batch([torch.ones(2) for _ in range(3000)], **limit),
    "batch of parts": lambda **limit: ti.batch({"x": torch.ones(4, 2), "y": torch.ones(4)}, **limit),
    "model": lambda **limit: ti.model(MODEL, **limit),
    "gradients": lambda **limit: ti.gradients(MODEL, **limit),
    "referrers": lambda **limit: ti.referrers(MODEL, **limit),
    "autograd": lambda **limit: ti.autograd(deep(), **limit),
    "nan_origin": lambda **limit: ti.nan_origin(deep() * torch.nan, **limit),
    "no_gradient": lambda **limit: ti.no_gradient(MODEL, **limit),
    "gradcheck": lambda **limit: ti.gradcheck(torch.sin, torch.ones(9), **limit),
}


def test_every_question_that_takes_a_limit_is_among_them() -> None:
    asked = {name for ask in ASKED.values() for name in (ask.__name__, *ask.__code__.co_names)}
    public = {name: ask for name, ask in vars(questions).items() if name in ti.__all__}
    limited = {name for name, ask in public.items() if "budget_ms" in inspect.signature(ask).parameters}
    assert limited - asked == {"shapes"}  # which runs the model to its end


@pytest.mark.parametrize("name", [name for name in ASKED if name != "batch of parts"])
def test_an_answer_that_is_cut_says_so_first(name: str) -> None:
    found = ASKED[name](budget_ms=0)
    assert found["complete"] is False
    assert str(found).splitlines()[0] == "not all was looked at: there was no time for more"
    assert len(str(found).splitlines()) > 1


def test_findings_without_time_for_all_rules_say_so_first() -> None:
    outputs = nn.Linear(3, 2)(torch.ones(4, 3))
    loss = nn.functional.cross_entropy(outputs.softmax(1), torch.zeros(4, dtype=torch.int64))
    loss.backward()
    met: set[tuple[bool, bool]] = set()
    ms = 1.0
    while (True, True) not in met:
        ticks = count()  # a millisecond passes whenever somebody looks at the clock
        found = findings(
            sys._getframe(), Budget(ms, clock=partial(_seconds, ticks)), thorough=False, run=False, ignore=()
        )
        met.add((bool(found), found.complete))
        assert found.complete is ("no time" not in {reason for _, reason in found.skipped})
        is_said = str(found).splitlines()[0] == "not all was looked at: there was no time for more"
        assert is_said is not found.complete
        ms *= 1.05
        assert ms < 1e6
    assert (True, False) in met
    assert (False, False) in met


def _seconds(ticks: Iterator[int]) -> float:
    return next(ticks) / 1000


def test_parameters_that_there_was_no_time_to_find_are_not_read() -> None:
    found = ti.no_gradient(MODEL, budget_ms=0)
    assert (found["complete"], found["reasons"]) == (False, [])
    assert "not read" in str(found)
    assert "no parameters" not in str(found)
    assert "it has no parameters" in str(ti.no_gradient(nn.ReLU()))


@pytest.mark.parametrize("name", [name for name in ASKED if "memory" not in name and name != "referrers"])
def test_without_a_limit_all_is_looked_at(name: str) -> None:
    found = ASKED[name]()
    assert found["complete"] is True
    assert "no time" not in str(found)


def test_of_parts_whose_values_there_was_no_time_to_read_the_shapes_are_known() -> None:
    found = ASKED["batch of parts"](budget_ms=0)
    assert found["size"] == 4
    assert [part["shape"] for part in found["parts"]] == [[4, 2], [4]]


def test_a_model_that_is_cut_counts_the_modules_that_were_met() -> None:
    found = ti.model(MODEL, budget_ms=0)
    assert 0 < found["modules"] < 201
    assert found["parameters"] == 6 * (found["modules"] - 1)


def test_a_slow_backward_is_not_called_for_each_number_of_the_result_once_the_time_is_over() -> None:
    calls = []

    class Counted(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            calls.append(grad)
            return grad * 2

    found = ti.gradcheck(Counted, torch.ones(20), budget_ms=0)
    assert (found["state"], found["looked_at"], len(calls)) == ("unchecked", 0, 2)
    assert str(found).splitlines()[1] == "not checked: no time for an entry"
