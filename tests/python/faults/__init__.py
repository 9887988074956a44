"""Programs with one fault, and the same without it.

A program is a text: lines that begin with ``-`` are the fault, those with ``+`` stand in their place without it.
"""

from __future__ import annotations

from . import (
    ahead,
    behind,
    beneath,
    by_hand,
    call,
    data,
    disguised,
    everyday,
    forms,
    graph,
    helpers,
    hidden,
    loss,
    model,
    numbers,
    numbers_kept,
    optimizer,
    practice,
    purpose,
    rounds,
    stepping,
)

#: What each program begins with: its lines are the body of `train`, which calls `stop` where it is asked.
HEAD = """import copy, math, warnings
import numpy as np
import torch, torch.nn as nn, torch.nn.functional as F
warnings.simplefilter("ignore")


def train(stop):
    torch.manual_seed(0)
"""

#: name: rule, program
PROGRAMS: dict[str, tuple[str, str]] = {
    **graph.PROGRAMS,
    **optimizer.PROGRAMS,
    **loss.PROGRAMS,
    **numbers.PROGRAMS,
    **numbers_kept.PROGRAMS,
    **model.PROGRAMS,
    **data.PROGRAMS,
    **call.PROGRAMS,
    **everyday.PROGRAMS,
    **rounds.PROGRAMS,
    **hidden.PROGRAMS,
    **helpers.PROGRAMS,
    **ahead.PROGRAMS,
    **practice.PROGRAMS,
    **beneath.PROGRAMS,
    **forms.PROGRAMS,
    **purpose.PROGRAMS,
    **by_hand.PROGRAMS,
    **behind.PROGRAMS,
    **stepping.PROGRAMS,
    **disguised.PROGRAMS,
}


def with_fault(program: str) -> str:
    return _with_lines(program, "-")


def without_fault(program: str) -> str:
    return _with_lines(program, "+")


def _with_lines(program: str, sign: str) -> str:
    return "\n".join("    " + line[1:] for line in program.splitlines() if line[:1] in (" ", sign)) + "\n"
