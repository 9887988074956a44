"""Names an operation whose result is not finite: its line, and the variable that was made of it."""

from __future__ import annotations

from ......measure.torch.node import AutogradNode
from .....graphs.lines import line_of_operation
from .....step.step import Step


def name_above(step: Step, node: AutogradNode) -> str | None:
    """The nearest variable that was made of a node's output."""
    for _ in range(6):
        users = step.graph.users(node)
        if not users:
            return None
        node = users[0][0]
        variable = step.tensor_at(node)
        if variable is not None:
            return variable.name
    return None


def line_of_node(step: Step, node: AutogradNode) -> tuple[str, int] | None:
    return line_of_operation(step, node, step.title_of(node))
