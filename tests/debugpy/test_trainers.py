"""Steps of Lightning, transformers' Trainer and accelerate, paused in the user's code: faults are told, the rest is silent.

The library calls backward there, and makes the step: the user's frame only returns the loss.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from client import Client, Stop, stop_lines
from helper import Answer, Helper
from table import PROGRAMS

TRAINERS = PROGRAMS / "trainers"
LIBRARIES = ("lightning", "transformers", "accelerate")
_VISITS = 2  #: of one line of a healthy program at which is asked
_PLAYER = """
import importlib.util, logging, os, sys, types, warnings
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = ""
warnings.simplefilter("ignore")
torch.set_num_threads(1)

def marked(code, file):
    # the debugger takes functions of equal code, at the same line of two files, for one
    inner = (marked(item, file) if isinstance(item, types.CodeType) else item for item in code.co_consts)
    return code.replace(co_consts=(*inner, file))

for file in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("program", file)
    program = importlib.util.module_from_spec(spec)
    exec(marked(spec.loader.get_code("program"), file), program.__dict__)
    logging.disable(logging.WARNING)
    try:
        program.train()
    except RuntimeError as error:  # a backward of what has no graph
        assert "does not require grad" in str(error), error
    torch.set_grad_enabled(True)
    if "accelerate" in sys.modules:
        sys.modules["accelerate"].state.AcceleratorState._reset_state(True)  # it would keep its precision
print("end")  # STOP
"""
_BUG = re.compile(r"# BUG: (?P<rule>[\w-]+)")


def ask(helper: Helper, stop: Stop) -> Answer:
    """What is found at a stop, however many slices it takes."""
    question: Answer = {"lens": "findings", "values": {}}
    answer = helper.ask(stop, "lens", **question)
    while not answer["done"]:
        answer = helper.ask(stop, "lens", **question, snapshot=answer["snapshot"], resume=answer["resume"])
    return answer


def lines_inside(program: Path) -> list[int]:
    """The lines at which a statement begins inside the functions of a program."""
    functions = [node for node in ast.walk(ast.parse(program.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)]
    inside = {
        node.lineno
        for function in functions
        for one in function.body
        for node in ast.walk(one)
        if isinstance(node, ast.stmt)
    }
    return sorted(inside)


def told_in(library: str, kind: str, folder: Path) -> tuple[dict[str, list[Any]], Counter[str]]:
    """What is found in each of a library's programs of a kind, in one session, and at how many stops was asked."""
    programs = sorted((TRAINERS / library).glob(f"{kind}_*.py"))
    player = folder / "player.py"
    player.write_text(_PLAYER, "utf-8")
    lines = {file: lines_inside(file) if kind == "healthy" else list(stop_lines(file).values()) for file in programs}
    told, asked, visits = defaultdict[str, list[Any]](list), Counter[str](), Counter[tuple[str, int]]()
    with Client() as client:
        breakpoints = {player: stop_lines(player).values(), **lines}
        stop, helper = client.launch(player, breakpoints=breakpoints, args=list(map(str, programs))), Helper(client)
        while (file := Path(client.stack(stop.thread)[0]["source"]["path"])) != player:
            visits[file.stem, stop.line] += 1
            asked[file.stem] += 1
            for finding in ask(helper, stop)["found"]["findings"]:
                line = finding["source"] and finding["source"]["line"]
                told[file.stem].append((finding["rule"], line, finding["title"], stop.line))
            if kind == "healthy" and visits[file.stem, stop.line] == _VISITS:
                lines[file] = [line for line in lines[file] if line != stop.line]
                client.set_breakpoints(file, lines[file])
            stop = client.resume(stop.thread)
    return told, asked


def needs(library: str) -> None:
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed here: steps of its trainers are not tried")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_fault_in_the_step_of_a_trainer_is_told_at_its_line(library: str, tmp_path: Path) -> None:
    needs(library)
    told, _ = told_in(library, "faulty", tmp_path)
    expected = {}
    for file in (TRAINERS / library).glob("faulty_*.py"):
        marked = ((at, _BUG.search(line)) for at, line in enumerate(file.read_text("utf-8").splitlines(), 1))
        expected[file.stem] = {(found["rule"], at) for at, found in marked if found is not None}
    assert {name: {(rule, line) for rule, line, *_ in found} for name, found in told.items()} == expected
    assert len(expected) >= 3


@pytest.mark.parametrize("library", LIBRARIES)
def test_at_no_line_of_a_healthy_step_of_a_trainer_is_something_found(library: str, tmp_path: Path) -> None:
    needs(library)
    told, asked = told_in(library, "healthy", tmp_path)
    assert told == {}
    assert len(asked) >= 3
    assert min(asked.values()) > 30
