"""What a stop tells of the watchpoints that watch one thing: its numbers, and whether its name is known there at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import asking
import pytest
import torch
from test_watch import hooks, until

from tensor_inspector.session import session
from tensor_inspector.watching import watchpoints

HERE = str(Path(__file__))
WITH_QUALIFIED_NAMES = sys.version_info >= (3, 11)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    session.reset()
    before = hooks()
    yield
    watchpoints.arm([])
    until(lambda: hooks() == before)
    session.reset()


def told(frame: FrameType, monkeypatch: pytest.MonkeyPatch, *expressions: str, function: str = "train") -> Any:
    """What the frame's answer says of watchpoints that are set on these expressions."""
    place = {"name": function, "file": HERE}
    wanted = [
        {"id": at, "what": "nonfinite", "gear": "light", "of": one, "function": place}
        for at, one in enumerate(expressions)
    ]
    paused = asking.Paused(frame, monkeypatch)
    paused.ask("watch", watchpoints=wanted)
    return paused.ask("frame")["watchpoints"]


def train() -> FrameType:
    loss, number = torch.tensor([1.0, 3.0]), 2.5
    frame = sys._getframe()
    if loss is None:
        later = number
        assert later
    return frame


def test_the_numbers_of_what_is_watched_are_told_where_its_function_is_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    of_tensor, of_number, of_none = told(train(), monkeypatch, "loss", "number", "later")
    assert (of_tensor["measurement"]["mean"], of_tensor["measurement"]["shape"]) == (2.0, [2])
    assert of_number["measurement"] == {"value": 2.5}
    assert "measurement" not in of_none


def test_of_another_function_they_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    [state] = told(train(), monkeypatch, "loss", function="other")
    assert "measurement" not in state
    assert "gone" not in state


@pytest.mark.skipif(not WITH_QUALIFIED_NAMES, reason="functions of one name are not told apart")
@pytest.mark.parametrize(
    ("expression", "is_gone"),
    [("loss", False), ("later", False), ("HERE", False), ("print", False), ("later.grad", False), ("fc9.weight", True)],
)
def test_a_name_that_neither_the_code_nor_its_globals_know_is_gone(
    expression: str, is_gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    [state] = told(train(), monkeypatch, expression)
    assert state.get("gone", False) is is_gone


def test_a_name_of_an_enclosing_function_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def inner() -> FrameType:
        return sys._getframe() if True else later

    frame = inner()
    later = 1
    name = getattr(inner.__code__, "co_qualname", "inner")
    [state] = told(frame, monkeypatch, "later", function=name)
    assert later
    assert "gone" not in state


@pytest.mark.skipif(not WITH_QUALIFIED_NAMES, reason="functions of one name are not told apart")
def test_a_name_is_gone_too_where_its_function_has_called_what_is_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    states = []

    def called() -> None:
        states.extend(told(sys._getframe(), monkeypatch, "fc9", function=calls.__qualname__))

    def calls() -> None:
        called()

    calls()
    assert [state.get("gone") for state in states] == [True]
