"""Rule about losses whose sign is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.optimizers import groups
from ....step.step import Step
from ...finding import Violation
from ...lines import bound
from ...rule import rule
from ...signs import error_that_grows, line_of_minus


@rule(
    "warning",
    why="The optimizer minimises: it makes this error larger.",
    suggestion="drop the minus, or maximize=True",
    needs="loss optimizer source",
)
def loss_sign(step: Step) -> Iterator[Violation]:
    """What is minimised is the negative of an error, a likelihood, or an error whose weights are negative."""
    maximizes = any(group.flag("maximize") for variable in step.optimizers for group in groups(variable.value))
    if maximizes or len(step.optimizers) != 1 or len(step.source.backwards) != 1:
        return
    for loss in step.losses:
        node = step.node_of(loss.tensor)
        leaves = set[int]() if node is None else {id(leaf) for leaf in step.graph.leaves(node)}
        if not leaves & step.optimized & set(step.parameters):
            continue
        line = line_of_minus(step, loss) or bound(step, loss.name)
        grows = error_that_grows(step, loss)
        if grows is not None:
            yield Violation(
                (f"{loss.name} is {grows.title}", ": ", grows.effect),
                (loss.name, f"grad ← {grows.path}"),
                line=line,
                certain=False,
                suggestion=grows.suggestion,
            )
            return
