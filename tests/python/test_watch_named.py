"""One thing is watched by its expression: looked for as its function returns and as an optimizer steps."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
from test_watch import hooks, until

from tensor_inspector import watch
from tensor_inspector.watching.active import ActiveWatch
from tensor_inspector.watching.expression import NamedThing

HERE = str(Path(__file__))


@contextmanager
def watched(function: Callable[..., Any], of: str, what: Any = "nonfinite", file: str = HERE) -> Iterator[list[str]]:
    """Collects the reasons of the hits; afterwards nothing of ours is left."""
    before, found = hooks(), list[str]()
    named = getattr(function.__code__, "co_qualname", function.__code__.co_name)
    thing = NamedThing(of, {"name": named, "file": file})
    active = ActiveWatch(
        what, lambda report, frame: found.append(report["reason"]), gear="light", of=thing, repeat=True
    )
    active.begin()
    try:
        yield found
    finally:
        active.end()
        until(lambda: hooks() == before)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    yield
    assert sys.getprofile() is None


def share(whole: float) -> Any:
    part = torch.ones(2) * whole
    ratio = part / part
    number = ratio.sum().item()
    return ratio, number


def test_two_values_of_one_function_are_both_looked_at() -> None:
    with watched(share, "ratio") as ratios, watched(share, "number") as numbers:
        share(1.0)
        share(0.0)
    assert [len(ratios), len(numbers)] == [1, 1]


def test_a_number_is_taken_as_it_is() -> None:
    def run(large: float) -> float:
        return large * 2

    with (
        watched(run, "large") as found,
        watched(run, "large", ("above", 1e299)) as over,
        watched(run, "large", "unchanged") as same,
    ):
        for one in (1e300, 0.1, 0.1 + 1e-10):
            run(one)
    assert (found, len(over), same) == ([], 1, [])


def train(losses: list[float]) -> None:
    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for wanted in losses:
        loss = (weight * 0).sum() + wanted
        loss.backward()
        optimizer.step()


def test_a_value_is_compared_with_that_of_the_step_before() -> None:
    with watched(train, "loss", "unchanged") as found:
        train([1.0, 2.0, 3.0])
        train([4.0])
    assert found == []
    with watched(train, "loss", "unchanged") as found:
        train([1.0, 2.0, 2.0])
    assert len(found) == 1


def test_one_that_is_not_finite_is_told_once() -> None:
    with watched(train, "loss") as found:
        train([1.0, float("nan")])
    assert len(found) == 1


def test_variables_of_a_generator_stay() -> None:
    def numbers() -> Iterator[float]:
        kept = torch.ones(2)
        yield kept.sum().item()
        yield kept.mean().item()

    with watched(numbers, "kept") as found:
        assert list(numbers()) == [2.0, 1.0]
    assert found == []


def test_a_model_that_takes_the_place_of_another_is_watched_in_its_place() -> None:
    def tune() -> None:
        for rate in (0.0, float("nan")):
            model = torch.nn.Linear(1, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(2):
                model(torch.ones(1, 1)).sum().mul(1 + rate).backward()
                optimizer.step()

    with watched(tune, "model") as found:
        tune()
    assert "noticed in the gradient of" in found[0]


def test_a_function_of_another_file_is_another() -> None:
    source = "def same(x):\n    y = x / x\n    return y\n"
    spaces: list[dict[str, Any]] = [{}, {}]
    for name, space in zip(("/one.py", "/two.py"), spaces):
        exec(compile(source, name, "exec"), space)
    with watched(spaces[1]["same"], "y", file="/two.py") as found:
        spaces[0]["same"](torch.zeros(1))
        assert found == []
        spaces[1]["same"](torch.zeros(1))
    assert len(found) == 1


def test_a_profiler_of_the_program_comes_first() -> None:
    seen: list[str] = []

    def profiler(frame: Any, event: str, value: Any) -> None:
        seen.append(event)

    sys.setprofile(profiler)
    try:
        with watched(share, "ratio") as found:
            share(0.0)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
    assert (found, bool(seen)) == ([], True)


def test_a_module_can_be_copied_and_pickled_while_it_is_watched() -> None:
    model, found = torch.nn.Linear(1, 1), list[Any]()
    with watch(of=model, do=found.append):
        copied = copy.deepcopy(model)
        pickle.loads(pickle.dumps(model))
        copied(torch.full((1, 1), float("nan")))
    assert (found, len(copied._forward_hooks)) == ([], 0)


def test_what_another_optimizer_steps_is_not_looked_at() -> None:
    one, other = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in (one, other)]
    found: list[Any] = []
    with watch("none", of=one, do=found.append, repeat=True), watch("unchanged", of=one, do=found.append, repeat=True):
        for model, optimizer in zip((other, one), reversed(optimizers)):
            model(torch.ones(1, 1)).sum().backward()
            optimizer.step()
    assert found == []


def test_one_that_begins_in_a_step_leaves_the_step_alone() -> None:
    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    before, found = hooks(), list[Any]()
    second = ActiveWatch("none", lambda report, frame: found.append(report), gear="light", repeat=True)
    with watch("none", do=lambda report: second.begin()), watch(do=print):
        optimizer.step()
        until(lambda: hooks()[-1] == before[-1] + 3)
        optimizer.step()
    second.end()
    assert len(found) == 1
    until(lambda: hooks() == before)


def test_one_that_ends_while_another_thread_steps_leaves_that_alone() -> None:
    entered, go_on = threading.Event(), threading.Event()
    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    failures: list[Exception] = []

    def closure() -> float:
        entered.set()
        go_on.wait(60)
        return 0.0

    def step() -> None:
        try:
            optimizer.step(closure)
        except Exception as error:
            failures.append(error)

    before = hooks()
    with watch(do=print):
        with watch(do=print):
            thread = threading.Thread(target=step)
            thread.start()
            assert entered.wait(60)
        go_on.set()
        thread.join()
    until(lambda: hooks() == before)
    assert failures == []
