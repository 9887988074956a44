"""The source of what is paused: read from its file, and not believed where the file is another one by now."""

from __future__ import annotations

import ast
import gc
import importlib.util
import os
import sys
import warnings
from argparse import ArgumentParser
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from tensor_inspector import findings
from tensor_inspector.lenses.step.classes import own_methods_of
from tensor_inspector.lenses.step.expressions import names_in
from tensor_inspector.lenses.step.parsed import lines_of_file, parsed, tree_of

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


def test_of_what_a_function_is_given_the_methods_of_a_library_are_not_read(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text("class Own:\n    def fit(self): ...\n", encoding="utf-8")
    assert [name for name, _ in own_methods_of(loaded(file).Own())] == ["fit"]
    assert own_methods_of(ArgumentParser()) == []
    assert own_methods_of(None) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "source.py"
    os.mkfifo(pipe)
    assert lines_of_file(str(pipe)) == []


@pytest.mark.parametrize(
    "text",
    [
        r'p = "\d+"', r'p = r"\d+\\"; q = "\\d"', r'p = b"\d\x41"', r'p = "\x41\u00e9\N{EM DASH}\101\n\q"', r'p = f"\d{p}\w"',
        "x = 1 + \\\n  2; p = '\\d' 'é\\w'", r'p = """\d"""  # \d', "p = 'a\\\r\nb\\d'",
    ],
)  # fmt: skip
def test_reading_a_source_does_not_warn_again_and_gives_the_same_tree(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        meant = ast.dump(ast.parse(text), include_attributes=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ast.dump(parsed(text), include_attributes=True) == meant


class Namespace(dict):  # type: ignore[type-arg]
    """Globals of which a program may make a function."""

    asked: list[str] = []

    def get(self, *arguments: Any) -> Any:
        self.asked.append("get")
        return dict.get(self, *arguments)

    def __contains__(self, name: object) -> bool:
        self.asked.append("in")
        return dict.__contains__(self, name)


def test_it_is_read_also_where_the_collector_runs_code_that_parses_in_the_middle_of_it() -> None:
    text = Path(ast.__file__).read_text("utf-8")
    ran: list[str] = []

    def parse_once(*_: object) -> None:
        if not ran:
            ran.append(ast.dump(ast.parse("collected", mode="eval")))

    gc.collect()
    gc.callbacks.append(parse_once)
    try:
        found = parsed(text)
    finally:
        gc.callbacks.remove(parse_once)
    assert ran, "no collection came in between"
    assert isinstance(found.body[-1], ast.If)


def test_globals_of_the_programs_own_class_are_not_asked() -> None:
    names = Namespace(BODY=BODY, findings=findings, seen=[], __name__="program")
    exec("def step():\n    x = BODY\n    seen.append(findings())\nstep()", names)
    assert len(dict.__getitem__(names, "seen")) == 1
    assert Namespace.asked == []


def test_a_source_of_very_many_characters_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    file.write_text("def step():\n    return [" + "1, " * 40_000 + "]\n", "utf-8")
    assert tree_of(loaded(file).step.__code__) is None


def test_names_in_a_long_list_are_found_in_their_order() -> None:
    text = "f([a.b, *(c, d['x'])], g(e, key=h).i(j))"
    assert names_in(ast.parse(text, mode="eval").body) == ["a.b", "c", "d['x']", "e", "h", "j"]
