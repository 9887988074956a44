"""`gradcheck` puts all back that running the program's code has changed, however it ends."""

from __future__ import annotations

import pickle
import random
import sys
import threading
import time
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from switches import switch_all, switches
from torch import nn
from torch.nn import functional as F

from tensor_inspector import gradcheck
from tensor_inspector.stop import interruption


def x(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).requires_grad_()


class WrongSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return ctx.saved_tensors[0] * grad


class Box:
    """What a function keeps outside of itself."""

    def __init__(self) -> None:
        self.calls, self.kept = 0, [torch.zeros(2)]


DICE = random.Random(2)
BOX = Box()
COUNT = 0
CALLED: list[int] = []


class Restless(nn.Module):
    """Its forward changes all that a forward may change."""

    def __init__(self, ends: type[BaseException] | None = None) -> None:
        super().__init__()
        self.a, self.norm, self.b = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)
        self.register_buffer("seen", torch.zeros(()))
        self.count, self.cache, self.ends, self.switches = 0, {"k": [torch.zeros(3)]}, ends, False

    def forward(self, x: torch.Tensor) -> Any:
        self.count += 1
        self.seen += 1
        self.cache["k"][0].add_(1)
        self.cache["late"] = []
        self.train(not self.training)
        BOX.calls += 0
        noise = DICE.random() + float(torch.rand(())) + np.random.rand() + random.random()
        if self.switches:
            switch_all()
        if self.ends is not None and self.count:
            raise self.ends
        return self.b(F.dropout(self.norm(self.a(x)))) * noise


def picture(model: nn.Module, *tensors: torch.Tensor) -> list[Any]:
    """All that may have changed, as bytes and identities."""
    all_tensors: list[torch.Tensor] = [*model.parameters(), *model.buffers(), *tensors]
    return [
        [(id(one), one._version, one.requires_grad, one.detach().numpy().tobytes()) for one in all_tensors],
        [
            (id(one.grad), None if one.grad is None else one.grad.numpy().tobytes())
            for one in all_tensors
            if one.is_leaf
        ],
        pickle.dumps((random.getstate(), np.random.get_state(), torch.get_rng_state().tolist(), DICE.getstate())),
        [(part.training, list(part._forward_hooks), sorted(vars(part))) for part in model.modules()],
        [
            (key, str(value))
            for part in model.modules()
            for key, value in vars(part).items()
            if type(value) in (int, dict)
        ],
        (*switches(), sys.gettrace(), len(CALLED), COUNT, BOX.calls, str(BOX.kept)),
    ]


@pytest.mark.parametrize("ends", [None, ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("records", [True, False])
def test_all_that_it_touches_is_put_back(ends: type[BaseException] | None, records: bool) -> None:
    model, given = Restless(), torch.randn(5, 3)
    model(given).sum().backward()
    model.ends, model.switches = ends, True
    model.a.register_forward_hook(lambda *_: CALLED.append(1))
    with torch.set_grad_enabled(records):
        before = picture(model, given)
        with nullcontext() if ends is not KeyboardInterrupt else pytest.raises(KeyboardInterrupt):
            assert gradcheck(model, given)["state"] == ("agrees" if ends is None else "unchecked")
        assert picture(model, given) == before


def counted(x: Any) -> Any:
    global COUNT
    COUNT += 1
    BOX.calls += 1
    BOX.kept[0].add_(1)
    return x.sin() * BOX.kept[0].sum()


def test_global_variables_and_what_they_hold_are_put_back() -> None:
    model = nn.Identity()
    before = picture(model)
    assert gradcheck(counted, x(3))["state"] == "agrees"
    assert picture(model) == before


def test_what_a_closure_assigns_is_put_back() -> None:
    calls, kept = 0, [torch.ones(3)]

    def inner(x: Any) -> Any:
        nonlocal calls
        calls += 1
        kept.append(x)
        return kept[0] * x

    assert gradcheck(inner, x(3))["state"] == "agrees"
    assert (calls, len(kept)) == (0, 1)


def test_inputs_that_are_changed_in_place_stay_as_they_are() -> None:
    given, other = x(3), [torch.ones(3)]
    before = picture(nn.Identity(), given, *other)

    def changes(x: Any, others: Any) -> Any:
        x.mul_(2)
        others[0].add_(1)
        others.append(3)
        return x.exp() * others[0]

    assert gradcheck(changes, given, other)["state"] == "agrees"
    assert picture(nn.Identity(), given, *other) == before


def test_a_bound_method_runs_on_a_copy_of_its_object() -> None:
    class Scorer:
        def __init__(self) -> None:
            self.calls, self.scale = 0, torch.ones(3)

        def score(self, x: Any) -> Any:
            self.calls += 1
            self.scale += 1
            return x * self.scale

    scorer = Scorer()
    assert gradcheck(scorer.score, x(3))["state"] == "agrees"
    assert (scorer.calls, scorer.scale.tolist()) == (0, [1, 1, 1])


def test_it_is_checked_where_gradients_are_off_and_in_inference_mode() -> None:
    for off in (torch.no_grad, torch.inference_mode):
        with off():
            found = gradcheck(WrongSquare, torch.randn(3))
            assert found["state"] == "disagrees"
            assert not torch.is_grad_enabled()


def test_strides_are_those_of_the_input() -> None:
    def strides(x: Any) -> Any:
        return x * (2 if x.stride() == (1, 3) else x.detach())

    assert gradcheck(strides, torch.randn(2, 3).t().requires_grad_())["state"] == "agrees"
    assert gradcheck(strides, torch.randn(3, 2).requires_grad_())["state"] == "disagrees"


def test_one_that_is_ended_leaves_all_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    class Slow(Restless):
        def forward(self, x: Any) -> Any:
            found = super().forward(x)
            begun.set()
            while True:
                time.sleep(0.001)
            return found

    def stop() -> Any:
        model, given = Slow(), torch.randn(5, 3)
        assert model is not given
        return sys._getframe()

    frame = stop()
    model, given = frame.f_locals["model"], frame.f_locals["given"]
    before = picture(model, given)
    paused = Paused(frame, monkeypatch)

    def end() -> None:
        begun.wait(240)
        while not interruption.interrupt(7):
            time.sleep(0.01)

    thread = threading.Thread(target=end)
    thread.start()
    values = {"function": {"expression": "model"}, "input1": {"expression": "given"}}
    answer = paused.ask("lens", lens="gradcheck", values=values, options={"run": True}, id=7)
    thread.join(240)
    assert answer["error"]["message"] == "the run was ended before it was done"
    assert picture(model, given) == before
