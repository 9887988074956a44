"""A loss that a function returns is followed to the backward of its caller, and plain properties are read without running."""

from __future__ import annotations

from typing import Any

import pytest
from faults import HEAD
from faulty import said_of

from tensor_inspector.lenses.step.trainers.getters import kept

LOOP = """
class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def training_step(self, batch):
        x, y = batch
        logits = self.layer(x){}
        loss = F.cross_entropy(logits, y)
        stop()
        return RETURNED

class Engine:
    def backward(self, loss):
        loss.backward()

def backward(loss):
    loss.backward()

module, engine = Module(), Engine()
optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
batch = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
optimizer.zero_grad()
CALLED
optimizer.step()
"""
HANDED = (
    ("loss", "module.training_step(batch).backward()"),
    ("loss", "engine.backward(module.training_step(batch))"),
    ("loss", "result = module.training_step(batch); result.backward()"),
    ("{'loss': loss, 'logits': logits}", "result = module.training_step(batch); result['loss'].backward()"),
    ("loss, logits", "result = module.training_step(batch); engine.backward(result[0])"),
)


@pytest.mark.parametrize(("returned", "called"), HANDED)
def test_the_loss_that_is_returned_is_the_loss(returned: str, called: str) -> None:
    program = HEAD + LOOP.replace("RETURNED", returned).replace("CALLED", called)
    assert said_of(program.replace("{}", ".detach()")).rules[:1] == ["loss-without-grad"]
    assert said_of(program.replace("{}", "")).rules == []


def test_what_is_returned_for_a_score_is_no_loss() -> None:
    program = HEAD + LOOP.replace("RETURNED", "loss").replace("CALLED", "score = module.training_step(batch)")
    assert said_of(program.replace("{}", ".detach()")).rules == []


class Held:
    def __init__(self, held: Any) -> None:
        self._held = held
        self.read = 0

    @property
    def plain(self) -> Any:
        """Some words."""
        if self._held is None:
            raise RuntimeError("not there")
        return self._held

    @property
    def chosen(self) -> Any:
        return self.plain if self._held is not None else self.read

    @property
    def counted(self) -> Any:
        self.read += 1
        return self._held

    @property
    def computed(self) -> Any:
        return len(self._held)


@pytest.mark.parametrize(
    ("name", "given"), [("plain", [1]), ("chosen", [1]), ("counted", None), ("computed", None), ("missing", None)]
)
def test_a_property_that_only_looks_up_attributes_is_known_without_running(name: str, given: Any) -> None:
    held = Held([1])
    assert kept(held, name) == given
    assert held.read == 0


def test_a_property_that_would_raise_is_not_known() -> None:
    assert kept(Held(None), "plain") is None


HELPER = """
def normalized(x):
    spread = x - x
    return x / spread

net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
hidden = net(torch.zeros(6, 4))
out = normalized(hidden)
loss = F.cross_entropy(out, torch.tensor([0, 1, 2, 0, 1, 2]))
stop()
loss.backward()
"""


def test_the_line_is_that_of_the_division_and_not_of_the_call_that_led_there() -> None:
    (found,) = said_of(HEAD + HELPER).found
    lines = (HEAD + HELPER).splitlines()
    assert (found["rule"], lines[found["source"]["line"] - 1].strip()) == ("nan-origin", "return x / spread")
