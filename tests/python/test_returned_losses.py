"""A loss that a function returns is followed to the backward of its caller, and plain properties are read without running."""

from __future__ import annotations

from typing import Any

import pytest
from faults import HEAD
from faulty import said_of

from tensor_inspector.lenses.step.trainers import getters
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


USED = """
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])

HELPER

optimizer.zero_grad()
CALLED
optimizer.step()
"""
#: What a function returns that a loss is computed with, and that is none: how, the function, and what calls it.
NO_LOSSES = {
    "a mask": ("def kept():\n    keep = (y > 0).float()\n    stop()\n    return keep", "keep = kept()\nloss = (F.cross_entropy(net(x), y, reduction='none') * keep).mean()\nloss.backward()"),
    "an advantage": ("@torch.no_grad()\ndef ahead():\n    adv = net(x).sum(1)\n    stop()\n    return adv", "adv = ahead()\nloss = -(net(x).log_softmax(1)[:, 0] * adv).mean()\nloss.backward()"),
    "a count": ("def count():\n    n = (y > 0).sum()\n    stop()\n    return n", "loss = F.cross_entropy(net(x), y, reduction='sum') / count()\nloss.backward()"),
    "a factor": ("def weight():\n    w = torch.tensor(0.5)\n    stop()\n    return w", "loss = weight() * F.cross_entropy(net(x), y)\nloss.backward()"),
    "a score beside the loss": ("def score():\n    s = torch.tensor(0.5)\n    stop()\n    return s", "out = score(), F.cross_entropy(net(x), y)\nout[1].backward()"),
    "a score before the loss": ("def step():\n    s, loss = torch.tensor(0.5), F.cross_entropy(net(x), y)\n    stop()\n    return s, loss", "s, loss = step()\nloss.backward()"),
    "an entry beside the loss": ("def score():\n    s = torch.tensor(0.5)\n    stop()\n    return s", "out = {'score': score(), 'loss': F.cross_entropy(net(x), y)}\nout['loss'].backward()"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_LOSSES)
def test_what_a_loss_is_only_computed_with_is_no_loss(case: str) -> None:
    helper, called = NO_LOSSES[case]
    assert said_of(HEAD + USED.replace("HELPER", helper).replace("CALLED", called)).rules == []


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


class Asking:
    """Whose properties ask each other again and again."""

    inner = None

    @property
    def model(self) -> Any:
        if self.model is None or self.model is None or self.model is None or self.model is None:
            return self.model
        return self.model or self.model or self.model


def test_properties_that_ask_each_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    attribute = getters.class_attribute
    monkeypatch.setattr(getters, "class_attribute", lambda *given: asked.append(given) or attribute(*given))
    assert kept(Asking(), "model") is None
    assert 6 <= len(asked) < 1000


class Stored:
    """A data descriptor goes before what the instance has under its name."""

    def __get__(self, held: Any, cls: type) -> Any:
        raise SystemExit("code of the program ran")

    def __set__(self, held: Any, value: Any) -> None:
        held.__dict__["optimizer"] = "raw"


class Holder:
    optimizer = Stored()


def test_what_a_descriptor_gives_is_not_known() -> None:
    holder = Holder()
    holder.optimizer = 1
    assert kept(holder, "optimizer") is None


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


def test_a_line_that_divides_itself_is_the_line_though_it_calls_what_divides() -> None:
    helper = "def halved(x, n):\n    return x / 2.0 + n"
    divided = "out = halved(hidden * 0 / (hidden.detach() * 0), 1)"
    program = HEAD + HELPER.replace("out = normalized(hidden)", divided).replace("net = nn", f"{helper}\n\nnet = nn", 1)
    (found,) = said_of(program).found
    assert (found["rule"], program.splitlines()[found["source"]["line"] - 1]) == ("nan-origin", divided)


def test_the_line_is_that_of_the_division_and_not_of_the_call_that_led_there() -> None:
    (found,) = said_of(HEAD + HELPER).found
    lines = (HEAD + HELPER).splitlines()
    assert (found["rule"], lines[found["source"]["line"] - 1].strip()) == ("nan-origin", "return x / spread")
