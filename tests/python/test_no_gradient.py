"""The lens `no_gradient`: the place where the way from a parameter to the loss breaks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from torch import nn
from torch.utils.checkpoint import checkpoint
from untouched import Watch

from tensor_inspector.lenses.step import frames


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.second = nn.Linear(3, 1)
        self.spare = nn.Linear(3, 1)


class Whole(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x))


class Detached(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        return self.second(hidden.detach())


class DetachedAtOnce(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x).relu().detach()
        return self.second(hidden)


class DetachedByFunctions(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.first(x)).detach()
        return self.second(hidden)  # type: ignore[no-any-return]


class WithoutGrad(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            hidden = self.first(x)
        return self.second(hidden)


class Rebuilt(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        return self.second(torch.tensor(hidden.tolist()))


class ByAnotherName(Two):
    def forward(this, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            hidden = this.first(x)
        return this.second(hidden)


class ByData(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = self.first.weight.data
        return self.second(x @ weight)


class OnlyWritesData(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.first.weight.data.clamp_(-1, 1)
        return self.second(x)


class InAReentrantCheckpoint(Two):
    """Which runs it without gradients, and records it again in the backward: where its input needs none, never."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = checkpoint(self.first, x, use_reentrant=True)
        return self.second(hidden)  # type: ignore[no-any-return]


class OfAnotherDtype(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x).float()
        return self.second(hidden.detach())


class InAnotherMethod(Two):
    def encode(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        return hidden.detach()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.encode(x))


def step(model: nn.Module, after: str = "") -> FrameType:
    x = torch.ones(2, 3)
    loss = model(x).square().sum()
    if after == "stop":
        return sys._getframe()
    loss.backward()
    if after == "zero":
        model.zero_grad()
    return sys._getframe()


def first_line(cls: type, offset: int) -> int:
    return cls.forward.__code__.co_firstlineno + offset  # type: ignore[attr-defined, no-any-return]


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
@pytest.mark.parametrize(
    ("cls", "parameter", "code", "line"),
    [
        (Detached, "model.first.weight", "detached", 2),
        (DetachedAtOnce, "model.first.bias", "detached", 1),
        (DetachedByFunctions, "model.first.weight", "detached", 1),
        (WithoutGrad, "model.first.weight", "no_grad", 1),
        (Rebuilt, "model.first.weight", "rebuilt", 2),
        (ByAnotherName, "model.first.weight", "no_grad", 1),
        (ByData, "model.first.weight", "detached", 1),
        (InAReentrantCheckpoint, "model.first.weight", "no_grad", 1),
        (OfAnotherDtype, "model.first.weight", "detached", 2),
        (InAnotherMethod, "model.first.weight", "detached", -2),
        (Whole, "model.spare.weight", "unused", 0),
    ],
)
def test_where_the_way_breaks_in_a_module(
    cls: Any, parameter: str, code: str, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = step(cls())
    assert eval(parameter, {}, dict(frame.f_locals)).grad is None
    (reason,) = Paused(frame, monkeypatch).lens("no_gradient", parameter=parameter)["found"]["reasons"]
    assert (reason["code"], reason["parameters"]) == (code, [parameter])
    assert (reason["file"], reason["line"]) == (__file__, first_line(cls, line))


@pytest.mark.parametrize(
    ("after", "parameter", "code"),
    [
        ("", "model.first.weight", "has_gradient"),
        ("stop", "model.first.weight", "not_yet"),
        ("zero", "model.first.weight", "cleared"),
    ],
)
def test_when_nothing_breaks(after: str, parameter: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (reason,) = Paused(step(Whole(), after), monkeypatch).lens("no_gradient", parameter=parameter)["found"]["reasons"]
    assert reason["code"] == code


def in_the_frame_detached() -> FrameType:
    encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
    hidden = encoder(torch.ones(2, 3))
    cut = hidden.detach()
    loss = head(cut).sum()
    loss.backward()
    return sys._getframe()


def in_the_frame_at_once() -> FrameType:
    encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
    cut = encoder(torch.ones(2, 3)).detach()
    loss = head(cut).sum()
    loss.backward()
    return sys._getframe()


def in_the_frame_no_grad() -> FrameType:
    encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
    with torch.no_grad():
        cut = encoder(torch.ones(2, 3))
    loss = head(cut).sum()
    loss.backward()
    return sys._getframe()


def in_the_frame_numpy() -> FrameType:
    encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
    hidden = encoder(torch.ones(2, 3))
    cut = torch.from_numpy(hidden.detach().numpy())
    loss = head(cut).sum()
    loss.backward()
    return sys._getframe()


@pytest.mark.parametrize(
    ("stop", "code", "offset"),
    [
        (in_the_frame_detached, "detached", 3),
        (in_the_frame_at_once, "detached", 2),
        (in_the_frame_no_grad, "no_grad", 2),
        (in_the_frame_numpy, "rebuilt", 3),
    ],
)
def test_where_the_way_breaks_in_the_frame(
    stop: Callable[[], FrameType], code: str, offset: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = stop()
    answer = Paused(frame, monkeypatch).lens("no_gradient", parameter="encoder")
    (reason,) = answer["found"]["reasons"]
    assert (reason["code"], reason["count"]) == (code, 2)
    assert reason["line"] == stop.__code__.co_firstlineno + offset


def test_a_module_is_answered_by_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = Whole()
        model.second.requires_grad_(False)
        loss = model(torch.ones(2, 3)).sum()
        loss.backward()
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    answer = paused.lens("no_gradient", parameter="model")
    codes = {reason["code"]: reason["parameters"] for reason in answer["found"]["reasons"]}
    assert codes == {
        "has_gradient": ["model.first.weight", "model.first.bias"],
        "frozen": ["model.second.weight", "model.second.bias"],
        "unused": ["model.spare.weight", "model.spare.bias"],
    }
    assert answer["node"]["line"] == "3 reasons"
    rows = {row["name"]: row["line"] for row in paused.below(answer, answer["node"])}
    assert list(rows)[-1] == "has a gradient"
    assert rows["frozen"].startswith("requires_grad is False · 2 parameters · model.second.weight")
    assert rows["not used in forward"].startswith("self.spare · line ")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("w = torch.nn.Parameter(torch.ones(2), requires_grad=False); loss = w.sum()", "frozen"),
        ("w = torch.ones(2); loss = w.sum()", "constant"),
        ("v = torch.ones(2, requires_grad=True); w = (v > 0).float()", "constant"),
        ("v = torch.ones(2, requires_grad=True); w = v.topk(1).indices", "integer"),
        ("w = torch.ones(2) > 0", "integer"),
        ("w = torch.ones(2, requires_grad=True) * 2; loss = w.sum()", "not_leaf"),
        ("w = torch.ones(2, requires_grad=True); w.grad = torch.zeros(2)", "zero_gradient"),
        ("w = torch.ones(2, requires_grad=True)", "no_loss"),
    ],
)
def test_what_needs_no_graph(line: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        names: dict[str, Any] = {"torch": torch}
        exec(line, names)
        w = names["w"]
        return sys._getframe()

    (reason,) = Paused(stop(), monkeypatch).lens("no_gradient", parameter="w")["found"]["reasons"]
    assert reason["code"] == code


def test_what_is_only_written_to_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = step(OnlyWritesData())
    (reason,) = Paused(frame, monkeypatch).lens("no_gradient", parameter="model.first.weight")["found"]["reasons"]
    assert reason["code"] == "not_reached"


class GoesOnWithoutGrad(Two):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.first(x)
        with torch.no_grad():
            hidden = torch.relu(hidden)
        return self.second(hidden)


def test_what_goes_on_under_no_grad_may_be_cut_off_there(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Paused(step(GoesOnWithoutGrad()), monkeypatch).lens("no_gradient", parameter="model.first.weight")
    (reason,) = answer["found"]["reasons"]
    assert (reason["code"], reason["certain"], reason["at"]) == ("no_grad", False, "torch.relu(hidden)")


def test_that_a_part_is_asked_about_and_trained_is_no_use_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = Whole()
        torch.optim.SGD(model.parameters(), 0.1)
        model(torch.ones(2, 3)).sum().backward()
        loss = model(torch.ones(2, 3)).sum()
        print(repr(model.spare))
        return sys._getframe()

    answer = Paused(stop(), monkeypatch).lens("no_gradient", parameter="model.spare.weight")
    (reason,) = answer["found"]["reasons"]
    assert (reason["code"], reason["at"]) == ("unused", "self.spare")


def test_a_cut_further_down_has_not_been_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        used, spare = nn.Linear(3, 1), nn.Linear(3, 1)
        loss = used(torch.ones(2, 3)).sum()
        loss.backward()
        frame = sys._getframe()
        if frame:
            return frame
        cut = spare(torch.ones(2, 3)).detach()
        return cut is None

    (reason,) = Paused(stop(), monkeypatch).lens("no_gradient", parameter="spare.weight")["found"]["reasons"]
    assert reason["code"] == "not_reached"


def loss_cut() -> FrameType:
    model = nn.Linear(3, 1)
    out = model(torch.ones(2, 3)).sum()
    loss = torch.zeros((), requires_grad=True) + 1
    loss.backward()
    return sys._getframe()


def test_where_it_is_not_seen_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    (reason,) = Paused(loss_cut(), monkeypatch).lens("no_gradient", parameter="model")["found"]["reasons"]
    assert (reason["code"], reason["at"]) == ("not_reached", "out")


def test_looking_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = step(Detached())
    values = dict(frame.f_locals)
    paused = Paused(frame, monkeypatch)
    paused.lens("no_gradient", parameter="model")
    with Watch(values) as watch:
        answer = paused.lens("no_gradient", parameter="model")
        paused.below(answer, answer["node"])
    assert watch.changes() == []


def test_the_main_file_of_a_tool_is_no_frame_of_the_user() -> None:
    said: dict[str, Any] = {"__name__": "__main__", "look": lambda: sys._getframe(1)}
    for file, is_tool in (("/lib/debugpy/__main__.py", True), ("/app/debugpy.py", False), ("/app/__main__.py", False)):
        exec(compile("frame = look()", file, "exec"), said)
        assert frames.is_tools(said["frame"]) == is_tool


def test_of_a_model_that_takes_several_slices_all_parameters_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> FrameType:
        model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(300)])
        assert model
        return sys._getframe()

    found = Paused(stop(), monkeypatch).late_lens("no_gradient", parameter="model")["found"]
    assert (found["asked"], sum(reason["count"] for reason in found["reasons"])) == (600, 600)
