"""A softmax goes over a dimension of size 1.

Why: The softmax of one number is always 1: its gradient is zero.

Example:
    head = nn.Linear(8, 1)
    p = head(x).softmax(1)

Instead:
    head = nn.Linear(8, 1)
    p = head(x).sigmoid()

Silent when:
    - the dimension is not that of a layer's units
    - there is one sample only
    - the result weighs what a mixture of one member gives, or nothing is made of it yet
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from .....measure.torch.node import AutogradNode
from ....flow.written import written
from ....step.step import Step
from ...consequences import NO_LEARNING
from ...finding import Violation
from ...rule import rule

_UNITS = {"Addmm": -1, "Mm": -1, "Convolution": 1}  #: the dimension of a head's units


@rule(
    "error",
    why="The softmax of one number is always 1: its gradient is zero.",
    suggestion="a sigmoid, or two units",
    causes=NO_LEARNING,
)
def softmax_singleton(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("Softmax", "LogSoftmax"):
        sizes, dim = node.sizes(), node.dim()
        if sizes is None or dim is None or not sizes:
            continue
        head = _head_of(step, node, sizes)
        unit = _UNITS.get("" if head is None else head.op)
        if unit is None or sizes[0] < 2 or len(sizes) < 2:
            continue
        if not -len(sizes) <= dim < len(sizes) or dim % len(sizes) != unit % len(sizes) or sizes[dim] != 1:
            continue
        if _may_be_share_of_one(step, node, dim % len(sizes)):
            continue
        found = written(step, node)
        value = 1 if node.op == "Softmax" else 0
        yield Violation(
            (
                f"{found.name or 'the output'} is {value} for every sample",
                ": ",
                f"{node.op.lower()} over one unit (dim {dim} of {tuple(sizes)})",
            ),
            (found.expression, f"grad ← {node.op}Backward0 over a dimension of size 1"),
            line=found.line,
        )
        return


def _may_be_share_of_one(step: Step, node: AutogradNode, dim: int) -> bool:
    """Whether it weighs what a mixture of one member gives, which has size 1 along that dimension too; or nothing is made
    of it yet."""
    users = [user for user, _ in step.graph.users(node)]
    for user in users:
        sizes = user.sizes() or ()
        is_kept = sizes[dim : dim + 1] == (1,)
        if user.op == "Unsqueeze" and is_kept and sizes[-1:] == (1,):
            return _may_be_share_of_one(step, user, dim)
        if user.op in ("Add", "Mul") and len(list(step.graph.inputs(user))) == 2 and is_kept:
            return True
    return not users


def _head_of(step: Step, node: AutogradNode, sizes: tuple[int, ...]) -> AutogradNode | None:
    """The layer whose units a softmax was given. A view between them may have moved these to another dimension: not that
    by which a linear layer gives the samples of a sequence their dimensions back."""
    below = step.graph.input(node)
    head = step.graph.input(below) if below is not None and below.op in ("View", "UnsafeView") else None
    if head is None or head.op not in ("Addmm", "Mm") or len(sizes) < 3 or sizes[1] < 2:
        return below
    return head if head.sizes() == (prod(sizes[:-1]), sizes[-1]) else below
