"""Finds the result of a graph node among the values in sight; `measure.torch.flow` works out more."""

from __future__ import annotations

from typing import Any

from ...measure.torch.graph import VIEWS
from ...measure.torch.node import AutogradNode
from ..step.step import Step

#: By operation, the name under which its node saves the tensor given to each position, as ``mat1``.
_SAVED_INPUTS = {
    "Addmm": {1: "mat1", 2: "mat2"},
    "Mm": {0: "self", 1: "mat2"},
    "Bmm": {0: "self", 1: "mat2"},
    "Convolution": {0: "input", 1: "weight"},
    "NativeBatchNorm": {0: "input", 1: "weight"},
    "NativeLayerNorm": {0: "input", 1: "weight"},
}
_USUALLY_SAVED = {0: "self", 1: "other"}  #: of all other operations


def output_of(step: Step, node: AutogradNode) -> Any:
    """The tensor that a node has made: a variable, its saved result, or what a user of it has saved; None if unknown."""
    variable = step.tensor_at(node)
    if variable is not None:
        return variable.value
    saved = node.tensor("result") if "result" in node.saves() else None
    if saved is not None:
        return saved
    for user, position in step.graph.users(node):
        name = _SAVED_INPUTS.get(user.op, _USUALLY_SAVED).get(position)
        saved = user.tensor(name) if name is not None and name in user.saves() else None
        if saved is not None:
            return saved
    for user, _ in step.graph.users(node):
        if user.op in VIEWS and user.op != "ToCopy":
            found = output_of(step, user)
            if found is not None:
                return found
    return None
