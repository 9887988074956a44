"""cross_entropy is given the output of a softmax.

Why: A softmax of a softmax is nearly flat: gradients are small, and the loss can't reach 0.

Example:
    loss = F.cross_entropy(model(x).softmax(1), y)

Instead:
    loss = F.cross_entropy(model(x), y)

Silent when:
    - only some of what is given comes from a softmax, or something is computed of it before the loss
    - a Function of the program's own stands between them
    - no loss in sight has a graph
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.elements import bare
from .....measure.torch.node import AutogradNode
from .....words.text import number
from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.probabilities import node_that_made

_ROUNDING = 1e-2  #: of a sum of probabilities, in half precision too


@rule(
    "error",
    why="A softmax of a softmax is nearly flat: gradients are small, and the loss can't reach 0.",
    suggestion="give cross_entropy the logits",
    causes="constant-output vanishing-grad",
)
def double_softmax(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("LogSoftmax"):
        below = node_that_made(step, step.graph.input(node), "Softmax")
        if below is None:
            continue
        found = written(step, below)
        yield Violation(
            (
                "cross_entropy was given probabilities",
                ": ",
                f"{found.name or 'its input'} comes from a softmax (SoftmaxBackward0), and cross_entropy applies log_softmax itself",
            ),
            (found.expression, f"grad ← SoftmaxBackward0 over dim {below.dim()}{_sums(step, below)}"),
            line=found.line,
        )
        return


def _sums(step: Step, node: AutogradNode) -> str:
    """That what a softmax has made adds up to 1 along its dimension, where the values can be read."""
    variable, dim = step.tensor_at(node), node.dim()
    stats = None if variable is None else step.stats(variable.value)
    values = None if variable is None or stats is None else bare(variable.value)
    if stats is None or values is None or dim is None or stats["min"] is None or not stats["min"] >= 0:
        return ""
    is_one = bool(((values.double().sum(dim) - 1).abs() < _ROUNDING).all())
    span = f"{number(stats['min'], 3)}…{number(stats['max'], 3)}"
    return f": {span}, {'each row sums' if dim in (1, -1) and values.dim() == 2 else 'all sum'} to 1" if is_one else ""
