"""A cause is said only where the program in sight proves it: else the explanation is the fact alone."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tensor_inspector import explain  # noqa: E402

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
class Trainer:
    def __init__(self, model):
        self.model, self.criterion = model, nn.CrossEntropyLoss()
        self.opt = torch.optim.SGD([*model.parameters()] or [torch.zeros(1)], 0.1)
    def backward(self, loss):
        loss.backward()
"""


def first(program: str, folder: Path, call: str = "Trainer(nn.Linear(4, 3)).step") -> tuple[Any, list[str]]:
    """The first finding about what a program's methods raise, and the program's lines."""
    text = (
        f"{HEAD}{textwrap.indent(textwrap.dedent(program), '    ')}\n{call}(torch.randn(8, 4), torch.arange(8) % 3)\n"
    )
    file = folder / "program.py"
    file.write_text(text, "utf-8")
    try:
        exec(compile(text, str(file), "exec"), {"__name__": "program"})
    except Exception as error:
        return (explain(error) or [None])[0], text.splitlines()
    raise AssertionError("nothing was raised")


#: What is done, and what is said beside "… has no grad_fn"; the line marked ``# CUT`` is told.
CUTS = {
    "far above, under the same name": (
        """
        def step(self, x, y):
            logits = self.model(x)
            logits = logits.detach()  # CUT
            scaled = logits / 2
            loss = self.criterion(scaled, y)
            loss.backward()
        """,
        "logits left autograd by detach()",
    ),
    "in a method that made the loss": (
        """
        def compute(self, x, y):
            logits = self.model(x)
            logits = logits.detach()  # CUT
            return self.criterion(logits, y)
        def step(self, x, y):
            loss = self.compute(x, y)
            loss.backward()
        """,
        "detach() in compute cuts it off",
    ),
    "in the caller of what calls backward": (
        """
        def step(self, x, y):
            logits = self.model(x).data  # CUT
            loss = self.criterion(logits, y)
            self.backward(loss)
        """,
        ".data in step cuts it off",
    ),
    "by numbers in a list": (
        """
        def step(self, x, y):
            losses = []
            for _ in range(2):
                losses.append(self.criterion(self.model(x), y).item())  # CUT
            loss = torch.tensor(losses).sum()
            loss.backward()
        """,
        "item() in step cuts it off",
    ),
    "by the decorator of the caller": (
        """
        @torch.no_grad()  # CUT
        def step(self, x, y):
            loss = self.criterion(self.model(x), y)
            self.backward(loss)
        """,
        "no_grad in step cuts it off",
    ),
    "by a block around the call": (
        """
        def inner(self, x, y):
            loss = self.criterion(self.model(x), y)
            loss.backward()
        def step(self, x, y):
            with torch.no_grad():  # CUT
                self.inner(x, y)
        """,
        "gradients are off in step",
    ),
}


@pytest.mark.parametrize("name", CUTS)
def test_where_a_loss_was_cut_off_is_said(name: str, tmp_path: Path) -> None:
    program, words = CUTS[name]
    found, lines = first(program, tmp_path)
    assert found["rule"] == "loss-without-grad"
    assert found["title"] == f"loss has no grad_fn: {words}"
    assert lines[found["source"]["line"] - 1].endswith("# CUT")
    assert found["certain"]


def test_a_cut_in_the_forward_of_a_module_is_said(tmp_path: Path) -> None:
    program = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 3)
            def forward(self, x):
                return self.fc(x).detach()
        def step(self, x, y):
            loss = self.criterion(self.model(x), y)
            loss.backward()
    """
    found, _ = first(program, tmp_path, "Trainer(Trainer.Net()).step")
    assert found["title"] == "loss has no grad_fn: detach() in forward cuts it off"


def test_a_cut_under_a_condition_may_be_the_cause(tmp_path: Path) -> None:
    program = """
        def step(self, x, y, warm=True):
            out = self.model(x)
            if warm:
                out = out.detach()
            loss = self.criterion(out, y)
            loss.backward()
    """
    found, _ = first(program, tmp_path)
    assert (found["title"], found["certain"]) == ("loss has no grad_fn: out left autograd by detach()", False)


#: Where no cut is in sight, though names and blocks there look like one.
UNKNOWN = {
    "made of data": """
        def step(self, x, y):
            loss = x.mean()
            loss.backward()
        """,
    "by a function that nobody can follow": """
        def step(self, x, y):
            losses = {"a": lambda scores: scores.detach().mean()}
            loss = losses["a"](self.model(x))
            loss.backward()
        """,
    "a constant that no round added to": """
        def step(self, x, y):
            loss = torch.tensor(0.0)
            for part in ():
                loss = loss + self.criterion(self.model(x), y)
            loss.backward()
        """,
    "what is detached is only shown": """
        def step(self, x, y):
            shown = self.model(x).detach().mean()
            loss = x.mean()
            loss.backward()
        """,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_else_only_that_it_has_no_graph(name: str, tmp_path: Path) -> None:
    found, _ = first(UNKNOWN[name], tmp_path)
    assert found["title"] == "loss has no grad_fn"


def test_a_teacher_under_no_grad_is_no_cause(tmp_path: Path) -> None:
    program = """
        def step(self, x, y):
            teacher = nn.Linear(4, 3)
            with torch.no_grad():
                target = teacher(x)
            loss = F.mse_loss(self.model(x).detach(), target)
            loss.backward()
    """
    found, _ = first(program, tmp_path)
    assert found["title"] == "loss has no grad_fn: it left autograd by detach()"
