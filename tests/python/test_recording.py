"""Numbers are recorded after each step, of what a person pins; nothing of the program is kept, and nothing stays behind."""

from __future__ import annotations

import gc
import math
import sys
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import asking
import pytest
import torch
from test_watch import until
from torch.optim import optimizer as optimizers

from tensor_inspector import debugger
from tensor_inspector.measure.torch.norms import total_norm
from tensor_inspector.session import session
from tensor_inspector.watching.recording import names, recordings

HOOKS = ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks")


def hooks() -> int:
    return sum(len(getattr(optimizers, name, {})) for name in HOOKS)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    session.reset()
    before = hooks()
    yield
    recordings.follow([], sys._getframe())
    assert hooks() == before
    session.reset()


class Asked:
    """What a frame answers of the pins that are recorded, as the extension asks it at each stop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._after: dict[str, int] = {}

    def __call__(self, frame: FrameType, *expressions: str) -> dict[str, Any]:
        pins = [{"expression": one, "record_after": self._after.get(one, 0)} for one in expressions]
        answer = asking.Paused(frame, self._monkeypatch).ask("frame", pins=pins)
        found = {pin["expression"]: pin["recording"] for pin in answer["pins"] if "recording" in pin}
        for expression, recording in found.items():
            self._after[expression] = max([self._after.get(expression, 0), *recording["steps"]])
        return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(monkeypatch)


def train(stop: Callable[[int, FrameType], None], steps: int = 3) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    batch = torch.ones(4, 2)
    for step in range(steps):
        stop(step, sys._getframe())
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        number = step * 2
        loss.backward()
        optimizer.step()
        for group in optimizer.param_groups:
            group["lr"] /= 2
    stop(steps, sys._getframe())
    assert number is not None


def column(recording: dict[str, Any], name: str) -> Any:
    return recording["columns"][name]


def test_the_numbers_after_each_step_come_with_the_next_stop(asked: Asked) -> None:
    found: list[Any] = []

    def stop(step: int, frame: FrameType) -> None:
        if step in (0, 2, 3):
            found.append(asked(frame, "model", "optimizer", "batch", "model[0].weight", "step"))

    train(stop)
    assert {name: recording["steps"] for name, recording in found[0].items()} == {name: [] for name in found[0]}
    assert found[1]["step"]["steps"] == [1, 2]
    assert found[1]["step"]["function"] == {"name": "train", "file": __file__}
    assert column(found[1]["step"], "value") == [0, 1]
    assert (found[2]["step"]["steps"], column(found[2]["step"], "value")) == ([3], [2])
    assert column(found[1]["optimizer"], "lr") == [0.5, 0.25]
    assert column(found[1]["batch"], "mean") == [1, 1]
    assert len(column(found[1]["model[0].weight"], "std")) == 2
    assert all(norm > 0 for name in ("norm", "gradient_norm") for norm in column(found[1]["model"], name))
    assert column(found[1]["model"], "time") == sorted(column(found[1]["model"], "time"))


def test_a_variable_of_the_loop_is_that_of_each_step(asked: Asked) -> None:
    found: list[Any] = []

    def stop(step: int, frame: FrameType) -> None:
        if step in (1, 3):
            found.append((asked(frame, "number", "loss"), frame.f_locals["loss"].item()))

    train(stop)
    (_, (recording, loss)) = found
    assert column(recording["number"], "value") == [2, 4]
    assert column(recording["loss"], "value")[-1] == pytest.approx(loss)


def test_what_is_not_there_yet_is_recorded_once_it_is(asked: Asked) -> None:
    found: list[Any] = []
    train(lambda step, frame: found.append(asked(frame, "loss")))
    assert [name for recordings in found[:1] for name in recordings] == []
    assert [recording["loss"]["steps"] for recording in found[1:]] == [[], [1], [2]]


def test_one_hook_serves_all_and_is_gone_when_nothing_is_recorded(asked: Asked) -> None:
    before, during = hooks(), []

    def stop(step: int, frame: FrameType) -> None:
        asked(frame, *(["model", "batch"] if step < 2 else []))
        during.append(hooks() - before)

    train(stop)
    assert during == [1, 1, 0, 0]


def test_it_ends_when_the_debugger_goes(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    before, attached = hooks(), [True]
    monkeypatch.setattr(debugger, "is_attached", lambda: attached[0])

    def stop(step: int, frame: FrameType) -> None:
        if step == 0:
            asked(frame, "batch")
        attached[0] = step == 0

    train(stop)
    assert session.recordings == {}
    until(lambda: hooks() == before)


def test_what_the_user_runs_at_a_stop_is_no_step(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []

    def stop(step: int, frame: FrameType) -> None:
        if step == 0:
            asked(frame, "batch")
        monkeypatch.setattr(debugger, "is_paused", lambda: step == 1)
        if step == 3:
            found.append(asked(frame, "batch"))

    train(stop)
    assert found[0]["batch"]["steps"] == [1, 2]


class Doubled(torch.optim.SGD):
    def step(self, closure: Any = None) -> Any:
        return super().step(closure)


def test_a_step_within_another_counts_once(asked: Asked) -> None:
    weight = torch.ones(2, requires_grad=True)
    optimizer = Doubled([weight], lr=0.1)
    frame = sys._getframe()
    asked(frame, "weight")
    weight.sum().backward()
    optimizer.step()
    assert asked(frame, "weight")["weight"]["steps"] == [1]


def helper_function(asked: Asked, thing: Any, number: int, value: Any) -> None:
    asked(sys._getframe(), "thing", "number", "value")


def test_of_a_function_that_has_ended_what_stays_is_recorded_and_nothing_is_told_again(asked: Asked) -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    loss = weight.sum()
    helper_function(asked, weight, 3, loss)
    loss.backward()
    optimizer.step()
    found = asked(sys._getframe(), "thing", "number", "value")
    assert column(found["thing"], "mean") == [pytest.approx(0.9)]
    for name in ("number", "value"):
        assert (found[name]["steps"], "not in sight" in found[name]["problem"]) == ([], True)


def follow(thing: Any) -> None:
    recordings.follow([{"expression": "thing", "record_after": 0}], sys._getframe())


def test_no_value_of_the_program_is_kept() -> None:
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    follow(weight)
    weight.sum().backward()
    optimizer.step()
    known = weakref.ref(weight)
    del weight, optimizer
    gc.collect()
    assert known() is None


def test_no_local_lives_longer_than_it_would(asked: Asked) -> None:
    """Before Python 3.13 a look at `f_locals` keeps all locals alive until the next one."""
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)

    def step() -> bool:
        big = torch.ones(3)
        loss = weight.sum() * big.sum()
        loss.backward()
        optimizer.step()
        known = weakref.ref(big)
        del big, loss
        return known() is None

    recordings.follow([{"expression": "weight", "record_after": 0}], sys._getframe())
    recorded = session.recordings["weight"]
    recorded._code = weakref.ref(step.__code__)
    assert step()
    assert recorded.problem is None


def test_locals_that_the_program_has_itself_stay() -> None:
    number = 3
    own = locals()
    assert names.variable_of(sys._getframe(), "number") == {"number": number}
    assert own["number"] == 3


def test_of_many_steps_the_last_are_kept(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "_STEPS", 3)
    monkeypatch.setattr(recordings, "_NUMBERS", 4)
    found: list[Any] = []

    def stop(step: int, frame: FrameType) -> None:
        if step in (0, 5):
            found.append(asked(frame, "batch[0, 0]", "step"))

    train(stop, 5)
    assert found[1]["step"]["steps"] == [5]  # 4 numbers for two expressions, each with its time


@pytest.mark.parametrize(
    ("tensors", "norm"),
    [
        ([torch.ones(3), torch.ones(6)], 3.0),
        ([torch.full((100_000,), 0.5), torch.ones(2, 2).t()], math.sqrt(25_004)),
        ([torch.full((2,), 1e30)], math.sqrt(2) * 1e30),
        ([torch.full((2,), 1e-30)], math.sqrt(2) * 1e-30),
        ([torch.full((4,), 2, dtype=torch.bfloat16), torch.zeros(0)], 4.0),
        ([torch.ones(2), torch.tensor([math.inf])], math.inf),
        ([torch.tensor([3 + 4j])], 5.0),
        ([torch.zeros(3)], 0.0),
        ([torch.arange(3)], None),
        ([], None),
    ],
)
def test_the_norm_of_all_together(tensors: list[Any], norm: float | None) -> None:
    found = total_norm(tensors)
    assert found == (norm if norm is None else pytest.approx(norm, rel=1e-4))


def test_the_norm_of_what_has_nan_is_nan() -> None:
    assert math.isnan(total_norm([torch.ones(2), torch.tensor([math.nan, math.inf])]) or 0)
