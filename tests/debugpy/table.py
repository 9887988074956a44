"""The programs under tests/programs, the table of what must be seen in each, and the fixture that debugs one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from client import Client, Stop
from helper import Helper

PROGRAMS = Path(__file__).parents[1] / "programs"
EXPECTED: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(
    (PROGRAMS / "expected.json").read_text(encoding="utf-8")
)["programs"]


#: Whether a tensor that was looked at at the first stop dies when the program drops it, with the collector off.
DROPPED = """
    import gc, weakref, torch
    gc.disable()
    big = [torch.ones(1000, 1000)]
    gone = weakref.ref(big[0])
    print("shown")  # STOP: first
    big.clear()
    print("dead" if gone() is None else "alive")
    print("end")  # STOP: second
"""


#: Plays each file of a folder; the grad mode, which a program may leave off, and its process group are put right after each.
PLAYER = """
import importlib.util, sys, warnings
from pathlib import Path
import torch

def play(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    try:
        program.train(int)  # what a call at a stop does is of no function of the program
    except Exception:
        pass  # it was shown where it was raised
    torch.set_grad_enabled(True)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()

torch.set_num_threads(1)
for file in sorted(Path(__file__).with_name("programs").iterdir()):
    play(file)
print("end")  # STOP
"""


class StartSession(Protocol):
    """The fixture `session`: debugs a program, by name under tests/programs or by path, up to a marked line."""

    def __call__(self, program: str | Path, marker: str = "", **options: Any) -> tuple[Client, Stop]: ...


class Start(Protocol):
    """The fixture `start`: debugs this source up to its first marked line, with a helper to ask there."""

    def __call__(self, source: str, *, frameless: bool = False, **options: Any) -> tuple[Client, Stop, Helper]: ...
