"""What is recorded between two stops, as the extension asks for it: nothing is left once it is not wanted any more."""

from __future__ import annotations

from typing import Any

from client import Stop
from helper import Helper
from table import Start

TRAINING = """
import torch
from torch.optim import optimizer as optimizers

def left():
    return len(optimizers._global_optimizer_pre_hooks) + len(optimizers._global_optimizer_post_hooks)

def train(model, optimizer):
    for step in range(6):
        print("step")  # STOP
        optimizer.zero_grad()
        loss = model(torch.full((4, 2), float(step))).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.param_groups[0]["lr"] /= 2

model = torch.nn.Linear(2, 1)
train(model, torch.optim.SGD(model.parameters(), lr=0.5))
print("left", left())  # STOP: end
"""


def recorded(helper: Helper, stop: Stop, **after: int) -> dict[str, Any]:
    pins = [{"expression": name, "record_after": step} for name, step in after.items()]
    return {pin["expression"]: pin.get("recording") for pin in helper.frame(stop, pins=pins)["pins"]}


def test_the_numbers_of_each_step_come_with_the_next_stop_until_they_are_not_wanted(start: Start) -> None:
    client, stop, helper = start(TRAINING)
    first = recorded(helper, stop, model=0, optimizer=0, step=0)
    assert {name: one["steps"] for name, one in first.items()} == {"model": [], "optimizer": [], "step": []}
    stop = client.resume(stop.thread)
    assert recorded(helper, stop, model=0, optimizer=0, step=0)["step"]["steps"] == [1]
    client.evaluate("optimizer.step()", stop.frame, context="repl")  # which is none of the training
    stop = client.resume(stop.thread)
    found = recorded(helper, stop, model=0, optimizer=1, step=1)
    assert found["model"]["steps"] == [1, 2]
    assert len(found["model"]["columns"]["gradient_norm"]) == 2
    assert found["optimizer"]["columns"]["lr"] == [0.25]
    assert found["step"]["columns"]["value"] == [1]
    assert client.evaluate("left()", stop.frame)["result"] == "1"
    assert "recording" not in helper.frame(stop, pins=[{"expression": "model"}])["pins"][0]
    assert client.evaluate("left()", stop.frame)["result"] == "0"
