"""Modes: tensors that were made in inference mode, where gradients are wanted now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import is_exact_tensor
from ...findings.finding import Violation
from ...step.expressions import shown
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="who trains makes tensors outside of inference mode; one that is kept from there is a cache",
    why="Autograd can't save it for backward: an operation that needs that raises, now or in a later step.",
    suggestion="compute it under torch.no_grad(), or use a clone() of it",
)
def made_in_inference_mode(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``cache = encoder(x)`` under ``torch.inference_mode()``, used in a training step."""
    if not step.grad_mode or not step.source.backwards:
        return
    behind = {shown(name) for loss in step.losses for name in step.source.bindings_behind(loss.name)}
    named = [
        (one.name, one.value, step.source.line_of(one.key))
        for one in step.tensors
        if one.level == step.level and one.name in behind
    ]
    kept = [(f"{name}.{key}", item, step.line_of(name)) for name, _, key, item in step.kept_by_modules()]
    held = [(name, tensor, step.line_of(name)) for name, tensor, _ in step.buffers]
    weights = [(one.name, one.tensor, step.line_of(one.name)) for one in step.parameters.values()]
    for name, tensor, line in reading.each([*weights, *held, *kept, *named]):
        if _is_inference(tensor):
            yield Violation(
                (f"{name} was made in inference mode", ": ", "autograd can't save it for backward"),
                (name, "an inference tensor"),
                line=line,
            )


def _is_inference(tensor: Any) -> bool:
    return is_exact_tensor(tensor) and bool(tensor.is_inference())
