"""A loss that takes logits is given the output of a sigmoid.

Why: A sigmoid of a sigmoid stays between 0.5 and 0.73.

Example:
    loss = F.binary_cross_entropy_with_logits(model(x).sigmoid(), y)

Instead:
    loss = F.binary_cross_entropy_with_logits(model(x), y)

Silent when:
    - only some of what is given comes from a sigmoid, or something is computed of it before the loss
    - a Function of the program's own stands between them
    - no loss in sight has a graph
"""

from __future__ import annotations

from collections.abc import Iterator

from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.probabilities import node_that_made


@rule(
    "error",
    why="A sigmoid of a sigmoid stays between 0.5 and 0.73.",
    suggestion="give the loss the logits",
)
def double_sigmoid(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("BinaryCrossEntropyWithLogits"):
        below = node_that_made(step, step.graph.input(node), "Sigmoid")
        if below is not None:
            found = written(step, below)
            yield Violation(
                (
                    "binary_cross_entropy_with_logits was given probabilities",
                    ": ",
                    f"{found.name or 'its input'} comes from a sigmoid (SigmoidBackward0), and the loss applies another one",
                ),
                (found.expression, "grad ← SigmoidBackward0"),
                line=found.line,
            )
            return
