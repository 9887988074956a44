"""Findings at a stop, compared with the numbers of earlier stops."""

from __future__ import annotations

from collections.abc import Collection
from types import FrameType

from ..lenses.findings.finding import Findings
from ..lenses.findings.rules.registry import similar_rules, unknown_rules
from ..lenses.findings.search import Search
from ..lenses.step import frames
from ..safe.budget import Budget
from ..safe.modes import gradients_are_on
from ..safe.untouched import Untouched
from . import history


def findings(
    frame: FrameType | None, budget: Budget, *, thorough: bool, run: bool, ignore: Collection[str]
) -> Findings:
    for id in unknown_rules(ignore):
        meant = " or ".join(map(repr, similar_rules(id)))
        raise ValueError(f"there is no rule {id!r} to ignore" + (f": is {meant} meant?" if meant else ""))
    asked = frames.caller() if frame is None else frame
    grad_mode = gradients_are_on()
    with Untouched():
        search = Search(asked, budget, history, thorough=thorough, run=run, ignore=ignore, grad_mode=grad_mode)
        search.go_on()
        return search.findings()
