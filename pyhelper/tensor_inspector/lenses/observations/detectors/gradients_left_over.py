"""Accumulated: gradients that another loss has left are still there when an optimizer steps."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.modules import is_module, parameters_of
from ....measure.torch.optimizers import inner, is_optimizer, tensors
from ...findings.finding import Violation
from ...step.backpropagated import Loss
from ...step.expressions import text_of
from ...step.sight import VisibleVariable
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="each optimizer clears its gradients after the loss of the others, as every recipe of a GAN does",
    why="The step uses the sum of both gradients: what the other loss wants of these weights, too.",
    suggestion="clear its gradients right before the backward of its own loss",
)
def gradients_left_over(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``d_opt.zero_grad(); g_loss.backward(); g_opt.step(); d_loss.backward(); d_opt.step()``"""
    source, optimizers = step.source, [one for one in step.optimizers if one.level == step.level]
    if len(optimizers) < 2:
        return
    reached = [(loss, _reached_by(step, loss)) for loss in reading.each(step.losses)]
    for optimizer in reading.each(optimizers):
        held = set(map(id, tensors(inner(optimizer.value))))
        for loss, ids in reading.each(reached):
            line = loss.backward.lineno
            rest = [one for one in optimizers if one is not optimizer]
            own = _step_after(source, optimizer, line)
            other = min((at for one in rest if (at := _step_after(source, one, line)) is not None), default=None)
            if not held & ids or own is None or other is None or not other < own:
                continue
            others = {id(tensor) for one in rest for tensor in tensors(inner(one.value))}
            between = [at for at in _cleared(step, held) if line < at < own]
            later = [one.lineno for one in source.backwards if other < one.lineno < own]
            if others & ids and later and not between and any(at < line for at in _cleared(step, held)):
                yield Violation(
                    (f"{optimizer.name} steps on gradients of {loss.name} too", ", ", f"left by line {line}"),
                    (optimizer.name, f"steps in line {own}, and is cleared before line {line} alone"),
                    (loss.name, f"its graph leads to {len(held & ids)} of the tensors of {optimizer.name}"),
                    line=(source.file, line),
                )


def _reached_by(step: Step, loss: Loss) -> set[int]:
    """The ids of the leaves that a loss leads to."""
    node = step.node_of(loss.tensor)
    return set() if node is None else {id(leaf) for leaf in step.graph.leaves(node)}


def _step_after(source: Source, optimizer: VisibleVariable, line: int) -> int | None:
    """The first line below that steps an optimizer, in the same loop."""
    lines = [
        call.lineno
        for call in source.calls
        if call.name == "step" and text_of(call.receiver) == optimizer.key and call.lineno > line
    ]
    return next((at for at in sorted(lines) if source.loop_of(at) == source.loop_of(line)), None)


def _cleared(step: Step, held: set[int]) -> Iterator[int]:
    """The lines that clear the gradients of some of these tensors, by their optimizer or a module."""
    for call in step.source.calls_of("zero_grad"):
        value = step.value(text_of(call.receiver))
        if value is not None and is_optimizer(inner(value)):
            cleared = list(tensors(inner(value)))
        else:
            cleared = parameters_of(value) if value is not None and is_module(value) else []
        if not cleared or any(id(tensor) in held for tensor in cleared):
            yield call.lineno
