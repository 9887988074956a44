"""Tells of a model's inputs whether its first layer gets them as they are, where they were made, and whether a loop
carries them on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ......measure.torch.metadata import requires_grad
from .....flow.losses import ModelInput, model_inputs
from .....step.step import Step
from .first_layers import begins_plainly, has_saved


def raw_inputs(step: Step) -> Iterator[ModelInput]:
    """Inputs that reach the first linear layer or convolution unchanged: what that has saved, or a plain Sequential."""
    for given in model_inputs(step):
        if requires_grad(given.tensor) or not given.tensor.dtype.is_floating_point or not given.is_first():
            continue
        if begins_plainly(given.model.value) or _is_saved_raw(step, given.tensor):
            yield given


def _is_saved_raw(step: Step, tensor: Any) -> bool:
    return any(has_saved(node, tensor) for node in step.graph.by("Convolution", "Addmm"))


def where_made(step: Step, given: ModelInput) -> tuple[str, int] | None:
    return step.sources[given.level].line_of(given.name)


def is_carried(step: Step, given: ModelInput) -> bool:
    """Whether it is the state that a loop goes on from, bound anew behind the call: the first one may be anything."""
    for (level, key), value in step.named_values():
        if value is not given.tensor:
            continue
        source = step.sources[level]
        line = given.call.lineno if level == given.level else source.lineno
        loop = source.loop_of(line)
        bindings = [at for at, node in source.bindings.get(key, ()) if not isinstance(node, ast.For)]
        if loop is not None and any(line <= at <= loop[1] for at in bindings):
            return True
    return False
