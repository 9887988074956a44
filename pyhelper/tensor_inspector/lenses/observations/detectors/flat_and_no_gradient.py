"""Degenerate: what a loss is made of is one number, and every gradient is exactly 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count, grad_fn_of
from ....words.text import number, plural
from ...findings.finding import Violation
from ...findings.rules.graph.parts.zero_gradients import gradients_are_zero
from ...step.expressions import shown
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_LEAST = 8  #: elements
_FIRST = 16  #: places along each dimension that tell of most gradients that they are not 0


@detector(
    300,
    because="a tensor without spread may be chosen; that all gradients are exactly 0 beside it is no accident",
    why="The loss is flat in all weights: this step trains nothing.",
    suggestion="look at what this tensor is made of: targets or advantages without spread",
)
def flat_and_no_gradient(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """A backward has left all gradients exactly 0, and a tensor that its loss is computed from is one number."""
    grads = [grad for grad in step.grads([one.tensor for one in step.trained()]) if grad is not None]
    if not _may_be_zero(grads, reading):
        return
    for loss in reading.each(step.losses):
        root = step.node_of(loss.tensor)
        if not loss.done or root is None or not gradients_are_zero(step, loss, root):
            continue
        behind = {shown(name) for name in step.source.bindings_behind(loss.name)}
        for variable in reading.each(step.tensors):
            tensor, size = variable.value, element_count(variable.value) or 0
            if variable.name not in behind or grad_fn_of(tensor) is not None or variable.level != step.level:
                continue
            stats = step.stats(tensor) if size >= _LEAST and reading.takes(variable.name, size) else None
            if stats is not None and stats["min"] is not None and stats["min"] == stats["max"]:
                said = number(stats["min"])
                yield Violation(
                    (
                        f"all {stats['count']:,} elements of {variable.name} are {said}",
                        "; ",
                        f"all {plural(len(grads), 'gradient')} are 0",
                    ),
                    (variable.name, f"{stats['count']:,} times {said}"),
                    (loss.name, f"{plural(len(grads), 'gradient')}, each exactly 0"),
                    line=step.sources[variable.level].line_of(variable.key),
                )


def _may_be_zero(grads: list[Any], reading: BoundedReading) -> bool:
    """Whether all gradients may be read, and none is other than 0 in its first places."""
    total = 0
    for grad in reading.each(grads):
        values = bare(grad)
        if values is None or (values.dim() and bool(values[(slice(_FIRST),) * values.dim()].any())):
            return False
        total += values.numel()
    return total > 0 and reading.takes("the gradients", total)
