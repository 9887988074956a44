"""What is said where no loss with a graph is in sight: which value is the loss, and what it lacks."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

HEAD = """
import torch
import torch.nn.functional as F
from torch import nn
from tensor_inspector import findings, no_gradient
model, criterion = nn.Linear(4, 3), nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), 0.1)
x, y = torch.randn(8, 4), torch.arange(8) % 3
"""

OFF = "no loss with a graph: val_loss was computed with gradients off"
CASES = {
    "evaluated in a block": (
        """
        def evaluate():
            with torch.no_grad():
                val_loss = criterion(model(x), y)
            found = findings()
            return found
        """,
        OFF,
    ),
    "evaluated by a decorated function": (
        """
        @torch.no_grad()
        def evaluate():
            val_loss = criterion(model(x), y)
            found = findings()
            return found
        """,
        OFF,
    ),
    "evaluated while a caller has gradients off": (
        """
        def inner():
            val_loss = criterion(model(x), y)
            found = findings()
            return found
        def evaluate():
            with torch.inference_mode():
                return inner()
        """,
        OFF,
    ),
    "switched off before": (
        """
        def inner():
            val_loss = criterion(model(x), y)
            found = findings()
            return found
        def evaluate():
            torch.set_grad_enabled(False)
            try:
                return inner()
            finally:
                torch.set_grad_enabled(True)
        """,
        OFF,
    ),
    "a sum of numbers": (
        """
        def evaluate():
            total_loss = 0.0
            total_loss += criterion(model(x), y).item()
            found = findings()
            return found
        """,
        "no loss with a graph: total_loss is a float",
    ),
    "detached": (
        """
        def evaluate():
            score = F.cross_entropy(model(x).detach(), y)
            found = findings()
            return found
        """,
        "no loss with a graph: score was cut off by detach() in line 11",
    ),
    "of data": (
        """
        def evaluate():
            loss = x.mean()
            found = findings()
            return found
        """,
        "no loss with a graph: loss has no grad_fn",
    ),
    "with a graph, but no backward": (
        """
        def evaluate():
            error = criterion(model(x), y)
            found = findings()
            return found
        """,
        "no backward in sight: error has a graph",
    ),
    "before it is made": (
        """
        def evaluate():
            found = findings()
            error = criterion(model(x), y)
            error.backward()
            return found
        """,
        "no loss yet: error is made in line 12",
    ),
    "nothing that is a loss": (
        """
        def evaluate():
            glossary = torch.tensor(0.5)
            found = findings()
            return found
        """,
        "no loss in sight",
    ),
}


def run(program: str, folder: Path) -> dict[str, Any]:
    file = folder / "program.py"
    file.write_text(HEAD + textwrap.dedent(program), "utf-8")
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(file.read_text("utf-8"), str(file), "exec"), names)
    return names


@pytest.mark.parametrize("name", CASES)
def test_the_reason_is_said_for_what_was_not_asked(name: str, tmp_path: Path) -> None:
    program, words = CASES[name]
    found = run(program, tmp_path)["evaluate"]()
    assert dict(found.skipped)["graph-cut"] == words
    assert f"not checked: {words}" in found.silence()


def test_why_a_parameter_has_no_gradient_names_the_loss_without_graph(tmp_path: Path) -> None:
    program = """
        def evaluate():
            with torch.no_grad():
                val_loss = criterion(model(x), y)
            return no_gradient(model.weight)
    """
    assert str(run(program, tmp_path)["evaluate"]()) == "the loss has no graph · val_loss"
