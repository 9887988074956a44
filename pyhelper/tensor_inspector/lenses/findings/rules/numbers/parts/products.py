"""Finds the product of a layer around an activation in the graph, its parameters, and what takes the result."""

from __future__ import annotations

from ......measure.torch.node import AutogradNode
from .....flow.ops import LINEAR
from .....step.roles import Parameter
from .....step.step import Step

#: Between a layer and the next one.
_PASSING = frozenset(
    "View UnsafeView Reshape ReshapeAlias Flatten T Transpose NativeDropout MaxPool2DWithIndices AvgPool2D Mean".split()
)


def users_through(step: Step, node: AutogradNode) -> list[tuple[AutogradNode, int]]:
    """The users of a node, those behind views and dropout too."""
    found: list[tuple[AutogradNode, int]] = []
    waiting = list(step.graph.users(node))
    while waiting and len(found) < 16:
        user, position = waiting.pop()
        if user.op in _PASSING or (user.op == "Mul" and user.inputs[1:] == [None]):
            waiting.extend(step.graph.users(user))
        else:
            found.append((user, position))
    return found


def parameters_of_node(step: Step, node: AutogradNode) -> list[Parameter]:
    found = []
    for below in step.graph.inputs(node):
        reached = step.graph.through_views(below)
        one = step.parameters.get(id(reached.leaf)) if reached is not None and reached.leaf is not None else None
        if one is not None:
            found.append(one)
    return found


def weight_of(step: Step, node: AutogradNode) -> Parameter | None:
    return next((one for one in parameters_of_node(step, node) if one.tensor.dim() > 1), None)


def product_in(step: Step, node: AutogradNode | None) -> AutogradNode | None:
    """The product of a layer, also where its bias is added by hand: ``x @ w + b``."""
    node = step.graph.through_views(node)
    if node is None or node.op != "Add":
        return node if node is not None and node.op in LINEAR else None
    parts = [step.graph.through_views(part) for part in step.graph.inputs(node)]
    products = [part for part in parts if part is not None and part.op in LINEAR]
    biases = [part for part in parts if part is not None and part.leaf is not None]
    return products[0] if len(products) == 1 and len(biases) == 1 else None
