"""A value passes 65504, the largest number of float16.

Why: float16 ends at 65504; beyond is Inf, and Inf − Inf is NaN.

Example:
    h = (x.half() @ weight.half()) * 1000

Instead:
    h = (x.bfloat16() @ weight.bfloat16()) * 1000

Silent when:
    - nothing in float16 is infinite
    - the Inf is the product with the scale of a GradScaler, which skips such a step
    - an input that is no result of the graph has NaN too, or its largest finite value is below 20,000
    - squares overflow, and no root of their sum is taken in float16
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.causes import cause_of
from .....measure.torch.elements import memory_of
from .....measure.torch.metadata import requires_grad
from .....measure.torch.node import AutogradNode
from .....safe.guard import module
from .....words.text import number
from ....flow.lines import line_of_binding_or_call, line_of_call_below
from ....flow.losses import model_inputs
from ....graphs.lines import line_of_operation
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...finite import words_of
from ...rule import rule
from .parts.nan_onset import onset_of
from .parts.nan_words import name_above

torch: Any = module("torch")
_END = 65520.0  #: from here on float16 rounds to Inf
_SUMMED = ("Mean", "Sum")
_BETWEEN = ("Add", *_SUMMED)
_ROOTS = ("Rsqrt", "Sqrt")


@rule(
    "error",
    why="float16 ends at 65504; beyond is Inf, and Inf − Inf is NaN.",
    suggestion="bfloat16 or float32 here, or smaller values",
    causes=NOT_FINITE,
)
def fp16_overflow(step: Step) -> Iterator[Violation]:
    onset = onset_of(step)
    is_proven = onset is not None and cause_of(onset.origin) == "overflow"
    value = onset.origin.value if onset is not None and is_proven else None
    stats = None if value is None or value.dtype is not torch.float16 else step.stats(value)
    if onset is not None and stats is not None and (stats["pos_inf"] or stats["neg_inf"]):
        subject = step.title_of(onset.origin.seen) or name_above(step, onset.origin.seen) or onset.name
        yield Violation(
            (
                f"{subject} has Inf",
                ": ",
                f"{onset.origin.node.op} passes 65504, the largest float16",
            ),
            (subject, f"float16, {words_of(stats)} after {onset.origin.seen.op}"),
            (onset.name, "not finite"),
            line=line_of_binding_or_call(step, "", subject),
        )
        return
    for variable in step.tensors:
        if (
            variable.value.dtype is not torch.float16
            or step.node_of(variable.value) is not None
            or requires_grad(variable.value)
        ):
            continue
        stats = step.stats(variable.value)
        if stats is None or stats["nan"] or not (stats["pos_inf"] or stats["neg_inf"]):
            continue
        if (
            stats["max"] is not None
            and stats["max"] > 20_000
            and any(given.tensor is variable.value for given in model_inputs(step))
        ):
            most = number(stats["max"])
            past = f"its others go up to {most}; beyond 65504, the largest float16, is Inf"
            yield Violation(
                (f"{variable.name} has {words_of(stats)}", ": ", past),
                (variable.name, f"float16, finite up to {most}"),
                line=line_of_binding_or_call(step, "", variable.name),
            )
            return
    yield from _squares_past_the_end(step) if onset is None else ()


def _squares_past_the_end(step: Step) -> Iterator[Violation]:
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
