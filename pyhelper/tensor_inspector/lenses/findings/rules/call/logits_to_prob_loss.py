"""A loss of probabilities is about to get numbers outside of 0…1.

Why: Binary cross entropy takes the logarithm of probabilities.

Example:
    logits = model(x)
    loss = F.binary_cross_entropy(logits, y)

Instead:
    logits = model(x)
    loss = F.binary_cross_entropy_with_logits(logits, y)

Silent when:
    - the call may not be the next thing to run, or its failure is handled
    - the numbers lie in 0…1, or one of them is NaN: another rule tells where that came from
    - the loss is not torch's own, or its class has hooks
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import dtype_and_shape
from .....words.text import number
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.planned_calls import line_here, planned_losses


@rule(
    "error",
    why="Binary cross entropy takes the logarithm of probabilities.",
    suggestion="binary_cross_entropy_with_logits (BCEWithLogitsLoss), which takes logits, or torch.sigmoid before it",
    needs="source",
)
def logits_to_prob_loss(step: Step) -> Iterator[Violation]:
    for kind, given, _ in planned_losses(step):
        stats = step.stats(given.value) if kind == "binary_cross_entropy" else None
        if stats is None or stats["min"] is None or stats["nan"] or 0 <= stats["min"] <= stats["max"] <= 1:
            continue
        span = f"from {number(float(stats['min']), 3)} to {number(float(stats['max']), 3)}"
        yield Violation(
            (f"{given.name} runs {span}", ", ", f"but {kind} wants 0…1: this call will fail"),
            (given.name, f"{dtype_and_shape(given.value)}, {span}"),
            line=line_here(step),
        )
        return
