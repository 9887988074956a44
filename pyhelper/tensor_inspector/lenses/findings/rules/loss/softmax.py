"""Rules about the dimension that a softmax goes over."""

from __future__ import annotations

from collections.abc import Iterator

from ....step.step import Step
from ...finding import Found
from ...rule import Rule
from ...written import written

_UNITS = {"Addmm": -1, "Mm": -1, "Convolution": 1}  #: the dimension of a head's units


def softmax_singleton(step: Step) -> Iterator[Found]:
    for node in step.graph.nodes:
        if node.op not in ("Softmax", "LogSoftmax"):
            continue
        sizes, dim = node.sizes(), node.dim()
        if sizes is None or dim is None or not sizes:
            continue
        head = step.graph.input(node)  # a view between them may have moved the head's unit to another dimension
        unit = _UNITS.get("" if head is None else head.op)
        if unit is None or sizes[0] < 2 or len(sizes) < 2:
            continue
        if not -len(sizes) <= dim < len(sizes) or dim % len(sizes) != unit % len(sizes) or sizes[dim] != 1:
            continue
        found = written(step, node)
        value = 1 if node.op == "Softmax" else 0
        yield Found(
            f"{found.name or 'the output'} is {value} for every sample: {node.op.lower()} over one unit (dim {dim} of {tuple(sizes)})",
            (found.expression, f"grad ← {node.op}Backward0 over a dimension of size 1"),
            line=found.line,
        )
        return


def softmax_wrong_dim(step: Step) -> Iterator[Found]:
    """Softmax over the batch, in what a classification or regression loss is given."""
    for node in step.graph.nodes:
        if node.op not in ("NllLoss", "MseLoss", "BinaryCrossEntropy"):
            continue
        below = step.graph.input(node)
        if below is not None and below.op == "Log":
            below = step.graph.input(below)
        if below is None or below.op not in ("Softmax", "LogSoftmax"):
            continue
        sizes, dim, head = below.sizes(), below.dim(), step.graph.through_views(step.graph.input(below))
        if (
            sizes is None
            or len(sizes) != 2
            or dim not in (0, -2)
            or sizes[0] < 2
            or head is None
            or head.op not in ("Addmm", "Mm")
        ):
            continue
        found = written(step, below)
        yield Found(
            f"{below.op.lower()} over dim {dim}, the batch of {sizes[0]}, not over the {sizes[1]} classes: {found.name or 'its result'}",
            (found.expression, f"{tuple(sizes)}, grad ← {below.op}Backward0 over dim {dim}"),
            line=found.line,
        )
        return


RULES = [
    Rule(
        "softmax-singleton",
        softmax_singleton,
        "",
        "error",
        "The softmax of one number is always 1: its gradient is zero.",
        "a sigmoid, or two units",
    ),
    Rule(
        "softmax-wrong-dim",
        softmax_wrong_dim,
        "",
        "error",
        "The probabilities of a sample do not sum to 1, and depend on the rest of the batch.",
        "softmax over the last dimension",
    ),
]
