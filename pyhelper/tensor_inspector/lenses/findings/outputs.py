"""Finds the result of a graph node among the values in sight; `measure.torch.flow` works out more."""

from __future__ import annotations

from typing import Any

from ...measure.torch.flow import saved_input
from ...measure.torch.graph import VIEWS
from ...measure.torch.node import AutogradNode
from ..step.step import Step


def output_of(step: Step, node: AutogradNode) -> Any:
    """The tensor that a node has made: a variable, its saved result, or what a user of it has saved; None if unknown."""
    variable = step.tensor_at(node)
    if variable is not None:
        return variable.value
    saved = node.tensor("result") if "result" in node.saves() else None
    if saved is not None:
        return saved
    for user, position in step.graph.users(node):
        saved = saved_input(user, position)
        if saved is not None:
            return saved
    for user, _ in step.graph.users(node):
        if user.op in VIEWS and user.op != "ToCopy":
            found = output_of(step, user)
            if found is not None:
                return found
    return None
