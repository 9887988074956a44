"""Finds squares in float16 that are Inf, though what is divided by their root is finite: it is 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import memory_of
from .....measure.torch.node import AutogradNode
from .....safe.guard import module
from .....words.text import number
from ....graphs.lines import line_of_operation
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_call_below

torch: Any = module("torch")
_END = 65520.0  #: from here on float16 rounds to Inf
_SUMMED = ("Mean", "Sum")
_BETWEEN = ("Add", *_SUMMED)
_ROOTS = ("Rsqrt", "Sqrt")


def squares_past_the_end(step: Step) -> Iterator[Violation]:
    """Squares that are summed up to divide by their root: one that is Inf makes all that is divided 0."""
    for node in step.graph.by("Mul", "Pow"):
        squared = _squared(node) if node.dtype() is torch.float16 else None
        root = None if squared is None else _root_of(step, node)
        stats = None if squared is None or root is None else step.stats(squared)
        if (
            stats is None
            or root is None
            or stats["min"] is None
            or stats["nan"]
            or stats["pos_inf"]
            or stats["neg_inf"]
        ):
            continue
        most = max(abs(stats["min"]), abs(stats["max"]))
        if most * most < _END:
            continue
        names = (step.owner_of(squared), step.title_of(step.graph.input(node)))
        subject = next((name for name in names if name is not None), None)
        weight = _scaled_by(step, root)
        where = "" if weight is None else f", before {weight}"
        yield Violation(
            (
                f"squares of {subject or 'float16 values'} are Inf{where}",
                ": ",
                f"they go up to {number(most)}, whose square passes 65504, the largest float16; what is divided by the root is 0",
            ),
            (subject, f"float16, finite up to {number(most)}"),
            (weight, "scales what is 0 there"),
            line=line_of_operation(step, root, None) or line_of_call_below(step, root.op.lower()),
            suggestion="take the squares in float32: x.float()",
        )
        return


def _squared(node: AutogradNode) -> Any:
    """What a node squares, as far as that is known: ``x * x``, ``x ** 2``."""
    first = node.tensor("self")
    if node.op == "Pow":
        return first if node.setting("exponent") == 2 else None
    other = node.tensor("other")
    is_square = first is not None and other is not None and memory_of(first) is not None
    return first if is_square and memory_of(first) == memory_of(other) and first.shape == other.shape else None


def _root_of(step: Step, node: AutogradNode) -> AutogradNode | None:
    """The root that is taken of a sum or mean of what a node gives, in float16 too."""
    is_summed = False
    for _ in range(6):
        users = [user for user, _ in step.graph.users(node)]
        root = next((user for user in users if user.op in _ROOTS), None)
        if root is not None:
            return root if is_summed else None
        node_after = next((user for user in users if user.op in _BETWEEN and user.dtype() is torch.float16), None)
        if node_after is None:
            return None
        is_summed, node = is_summed or node_after.op in _SUMMED, node_after
    return None


def _scaled_by(step: Step, root: AutogradNode) -> str | None:
    """The parameter that what is divided by the root is multiplied with."""
    node = root
    for _ in range(6):
        users = [user for user, _ in step.graph.users(node)]
        leaves = [step.graph.through_views(below) for user in users for below in step.graph.inputs(user)]
        names = (step.name_of(one.leaf) for one in leaves if one is not None and id(one.leaf) in step.parameters)
        found = next((name for name in names if name is not None), None)
        if found is not None or not users:
            return found
        node = users[0]
    return None
