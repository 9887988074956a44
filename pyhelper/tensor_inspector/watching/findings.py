"""Findings at a stop: the step in sight, with the numbers that are remembered of earlier stops."""

from __future__ import annotations

from collections.abc import Collection
from types import FrameType
from typing import Any

from ..lenses.findings.finding import Findings
from ..lenses.findings.run import find
from ..lenses.step import frames
from ..lenses.step.moment import moment_of
from ..lenses.step.step import Step
from ..safe.budget import Budget
from ..safe.guard import module
from ..safe.untouched import Untouched
from . import history


def findings(
    frame: FrameType | None, budget: Budget, *, thorough: bool, run: bool, ignore: Collection[str]
) -> Findings:
    torch = module("torch")
    if torch is None or not hasattr(torch, "_C"):
        return Findings(skipped=[("all", "torch is not loaded")])
    view = frames.nearest(frames.caller() if frame is None else frame)
    if view is None:
        return Findings(skipped=[("all", "no frame of the user in sight")])
    grad_mode = bool(torch.is_grad_enabled())
    with Untouched():
        step = Step(frames.in_sight(view), budget, thorough=thorough, grad_mode=grad_mode)
        owner: Any = next((thing.value for thing in (*step.optimizers, *step.modules)), None)
        name = step.source.file, step.source.function
        if step.at:  # stops further in are no turn of the loop
            owner = None
        if owner is not None:
            step.moments = history.recall(owner, *name)
        found = find(step, ignore)
        if owner is not None:
            history.remember(owner, *name, moment_of(step))
        return found
