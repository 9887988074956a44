"""The source of what is paused: read from its file, and not believed where the file is another one by now."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from tensor_inspector import findings
from tensor_inspector.lenses.step.parsed import lines_of_file, tree_of

BODY = """\
import torch


def step(ask):
    layer = torch.nn.Linear(2, 1)
    loss = layer(torch.ones(3, 2)).mean()
    loss.backward()
    return ask()
"""
CHANGED = {
    "shorter": "import torch\n",
    "empty": "",
    "another function stands there": BODY.replace("def step(ask)", "def other(ask)"),
    "no Python": "def step(:\n" * 20,
    "lines were put in": "# one more\n" * 4 + BODY,
}


def loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("paused_source", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def step_of(file: Path) -> FunctionType:
    file.write_text(BODY, encoding="utf-8")
    found = loaded(file).step
    assert isinstance(found, FunctionType)
    return found


def test_a_function_is_read_at_the_lines_of_its_file(tmp_path: Path) -> None:
    tree = tree_of(step_of(tmp_path / "source.py").__code__)
    assert getattr(tree, "name", None) == "step"
    assert getattr(tree, "lineno", None) == 4


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED)
def test_a_file_that_was_changed_since_is_not_believed_and_findings_are_answered(tmp_path: Path, text: str) -> None:
    file = tmp_path / "source.py"
    step = step_of(file)
    file.write_text(text, encoding="utf-8")
    assert tree_of(step.__code__) is None
    assert step(lambda: list(findings(sys._getframe(1)))) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "source.py"
    os.mkfifo(pipe)
    assert lines_of_file(str(pipe)) == []
