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
    assert found["tier"] == "sure"


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
    assert (found["title"], found["tier"]) == ("loss has no grad_fn: out left autograd by detach()", "likely")


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


def explained(program: str, folder: Path) -> Any:
    """The first finding about what a script raises."""
    file = folder / "script.py"
    text = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nR = torch.randn\n"
    file.write_text(text + textwrap.dedent(program).strip() + "\n", "utf-8")
    try:
        exec(compile(file.read_text("utf-8"), str(file), "exec"), {"__name__": "script"})
    except Exception as error:
        return (explain(error) or [None])[0]
    raise AssertionError("nothing was raised")


#: Errors whose likely cause is another one than the usual: a program, and the whole of what is said.
SENTENCES = {
    "the state is right, the cell is not": (
        "rnn = nn.LSTM(10, 8); x = R(4, 2, 10); h = R(1, 2, 8); c = R(1, 2, 9); rnn(x, (h, c))",
        "c is [1, 2, 9], but rnn (LSTM 10 → 8) wants a state of [1, 2, 8]",
    ),
    "too few layers in a state": (
        "rnn = nn.GRU(10, 8, 2, bidirectional=True); x = R(4, 2, 10); h = R(2, 2, 8); rnn(x, h)",
        "h is [2, 2, 8], but rnn (GRU 10 → 8) wants a state of [4, 2, 8]",
    ),
    "a norm does not broadcast": (
        "x = R(2, 3, 4); m = R(5); v = R(5); F.batch_norm(x, m, v)",
        "x is [2, 3, 4], m is [5], v is [5]: running_mean should contain 3 elements not 5",
    ),
    "keys and values of an attention": (
        "m = nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True); q = R(4, 3, 8); k = R(4, 5, 6); v = R(4, 7, 6); m(q, k, v)",
        "q is [4, 3, 8], k is [4, 5, 6], v is [4, 7, 6] in m (MultiheadAttention 8):",
    ),
    "a number is wanted, no tensor": ('torch.arange("a")', '"a" is a str, but arange wants a number'),
    "a text is no factor": ('x = R(2, 3); x * "a"', '"a" is a str, but x * "a" wants a number or a tensor'),
    "a gradient that was cleared": (
        "fc = nn.Linear(2, 3); fc(R(1, 2)).sum().backward(); fc.zero_grad(); fc.weight.grad.norm()",
        "fc.weight.grad is None: no backward has reached fc.weight, or its gradient was cleared",
    ),
    "a module that was made without __init__": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
        net = Net.__new__(Net)
        net.fc = nn.Linear(2, 3)
        """,
        "net lacks what nn.Module.__init__ makes: it can hold no layers or parameters",
    ),
    "integers that are no labels": (
        "a = torch.zeros(8, 3).long(); b = torch.zeros(8); F.cross_entropy(a, b)",
        "a is int64[8, 3], but cross_entropy wants floating-point logits",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_a_sentence_says_what_is_proved(name: str, tmp_path: Path) -> None:
    program, title = SENTENCES[name]
    found = explained(program, tmp_path)
    assert found["title"] == title or (title.endswith(":") and found["title"].startswith(title))


def test_a_function_that_was_not_called_is_not_said_to_return_nothing(tmp_path: Path) -> None:
    program = """
        def load():
            pass
        x = None
        if torch.is_inference_mode_enabled():
            x = load()
        F.relu(x)
    """
    assert [one["fact"] for one in explained(program, tmp_path)["evidence"]] == ["None"]
    assert explained(program.replace("if torch.is", "if not torch.is"), tmp_path)["evidence"][0]["fact"] == "None"
    always = "def load():\n    pass\nx = load()\nF.relu(x)"
    assert explained(always, tmp_path)["evidence"][0]["fact"] == "None: load returns nothing, from line 7"


def test_a_file_that_is_no_checkpoint_is_not_said_to_hold_objects(tmp_path: Path) -> None:
    pointer = tmp_path / "weights.pt"
    pointer.write_text("version https://git-lfs.github.com/spec/v1\n", "utf-8")
    found = explained(f"path = {str(pointer)!r}\ntorch.load(path, weights_only=True)", tmp_path)
    if found is not None:  # before torch 2.6 the message is another one
        assert found["title"].startswith("path was not read: ")


def test_tensors_that_only_are_in_sight_may_be_the_cause(tmp_path: Path) -> None:
    program = """
        def pair():
            return torch.ones(2), torch.ones(2, device="meta")
        kept, other = torch.ones(3), torch.ones(3, device="meta")
        torch.add(*pair())
    """
    found = explained(program, tmp_path)
    assert (found["rule"], found["tier"]) == ("device-mismatch", "likely")
