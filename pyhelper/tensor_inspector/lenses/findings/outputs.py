"""What is known of the values that flow through the graph: what a node has made, and whether that is finite."""

from __future__ import annotations

from typing import Any

from ...measure.torch.graph import VIEWS, Node
from ..step.step import Step

#: By operation, under which name it saves the output of each of its inputs.
_INPUTS = {
    "Addmm": {1: "mat1", 2: "mat2"},
    "Mm": {0: "self", 1: "mat2"},
    "Bmm": {0: "self", 1: "mat2"},
    "Convolution": {0: "input", 1: "weight"},
    "NativeBatchNorm": {0: "input", 1: "weight"},
    "NativeLayerNorm": {0: "input", 1: "weight"},
}
_USUAL = {0: "self", 1: "other"}


def output_of(step: Step, node: Node) -> Any:
    """The tensor that a node has made: a variable, its saved result, or what a user of it has saved; None if unknown."""
    thing = step.tensor_at(node)
    if thing is not None:
        return thing.value
    saved = node.tensor("result") if "result" in node.saves() else None
    if saved is not None:
        return saved
    for user, position in step.graph.users(node):
        name = _INPUTS.get(user.op, _USUAL).get(position)
        saved = user.tensor(name) if name is not None and name in user.saves() else None
        if saved is not None:
            return saved
    for user, _ in step.graph.users(node):
        if user.op in VIEWS and user.op != "ToCopy":
            found = output_of(step, user)
            if found is not None:
                return found
    return None


def bad_in(step: Step, tensor: Any) -> int | None:
    """How many elements are NaN or infinite; None where that is not known."""
    if tensor is None:
        return None
    stats = step.stats(tensor)
    return None if stats is None else stats["nan"] + stats["pos_inf"] + stats["neg_inf"]


def words_of(stats: dict[str, Any]) -> str:
    """``3 NaN, 1 Inf``"""
    infinite = stats["pos_inf"] + stats["neg_inf"]
    parts = [f"{stats['nan']:,} NaN" if stats["nan"] else "", f"{infinite:,} Inf" if infinite else ""]
    return ", ".join(filter(None, parts)) or "finite"
