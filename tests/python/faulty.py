"""Runs a program in a forked child and says what is found at its stops, and in the exception that ends it."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch

import tensor_inspector
from tensor_inspector import explain, findings

HEAD = """import copy, math, warnings
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
warnings.simplefilter("ignore")


def train(stop):
    torch.manual_seed(0)
"""
_LIMIT = 100  #: seconds of one program
_VISITS = 2  #: of one line at which is asked: a loop's later rounds are like its second


class Said:
    """What was found, and the rules that raised: each with its reason."""

    def __init__(self, found: list[dict[str, Any]], failed: list[str]) -> None:
        self.found = found
        self.failed = failed

    @property
    def rules(self) -> list[str]:
        return [finding["rule"] for finding in self.found]


def said_of(text: str, *, every_line: bool = False, thorough: bool = True) -> Said:
    """What is found in a program from a neutral path; ``every_line`` asks at each of its lines, as a stop there would."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(_LIMIT)
        try:
            answer = _run(text, every_line, thorough)
        except BaseException as error:
            answer = {"found": [], "failed": [f"{type(error).__name__}: {error}"]}
        with os.fdopen(writing, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return Said(**json.loads(told or '{"found": [], "failed": ["the program died"]}'))


def _run(text: str, every_line: bool, thorough: bool) -> dict[str, Any]:
    torch.set_num_threads(1)
    found: list[Any] = []
    failed: list[str] = []
    visits: Counter[int] = Counter()

    def look(frame: FrameType) -> None:
        answer = findings(frame, thorough=thorough)
        found.extend(answer)
        failed.extend(f"{rule}: {reason}" for rule, reason in answer.skipped if "Error" in reason)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.py"
        path.write_text(text)
        spec: Any = importlib.util.spec_from_file_location("program", path)
        program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(program)

        def tracer(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
            if frame.f_code.co_filename != str(path):
                return None
            if event == "line" and visits[frame.f_lineno] < _VISITS:
                visits[frame.f_lineno] += 1
                look(frame)
            return tracer

        try:
            if every_line:
                sys.settrace(tracer)
                program.train(lambda: None)
            else:
                program.train(lambda: look(sys._getframe(1)))
        except Exception as error:
            sys.settrace(None)
            found.extend(explain(error))
        finally:
            sys.settrace(None)
            tensor_inspector.forget()
    return {"found": [dict(finding) for finding in found], "failed": failed}
