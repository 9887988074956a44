"""Finds the operation, as a softmax, that has made all elements of a result."""

from __future__ import annotations

from ......measure.torch.node import AutogradNode
from .....step.step import Step

_PARTS = ("Index", "IndexSelect", "Select", "Slice")
_JOINED = ("Cat", "Stack")
_JOINTS = 64  #: of what is joined, that are looked at
_DEEP = 8


def node_that_made(step: Step, node: AutogradNode | None, op: str, deep: int = _DEEP) -> AutogradNode | None:
    """The operation that has made all elements of a result, which may be a part of what it made, or several joined."""
    node = step.graph.through_views(node)
    if node is None or node.is_custom:  # what a Function of the program makes is not told by its name
        return None
    if node.op == op or not deep:
        return node if node.op == op else None
    if node.op in _PARTS:
        return node_that_made(step, step.graph.input(node), op, deep - 1)
    if node.op not in _JOINED:
        return None
    made = [
        node_that_made(step, step.graph.input(node, at), op, deep - 1) for at in range(min(len(node.inputs), _JOINTS))
    ]
    return made[0] if made and None not in made else None
