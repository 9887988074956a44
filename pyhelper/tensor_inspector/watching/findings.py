"""Findings at a stop: the step in sight, with the numbers that are remembered of earlier stops."""

from __future__ import annotations

from collections.abc import Collection
from types import FrameType

from ..lenses.findings.finding import Findings
from ..lenses.findings.search import Search
from ..lenses.step import frames
from ..safe.budget import Budget
from ..safe.untouched import Untouched, gradients_are_on
from . import history


def findings(
    frame: FrameType | None, budget: Budget, *, thorough: bool, run: bool, ignore: Collection[str]
) -> Findings:
    asked = frames.caller() if frame is None else frame
    grad_mode = gradients_are_on()
    with Untouched():
        search = Search(asked, budget, history, thorough=thorough, run=run, ignore=ignore, grad_mode=grad_mode)
        search.go_on()
        return search.findings()
