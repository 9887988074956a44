"""cross_entropy takes another dimension than the head's classes.

Why: Scores of different positions compete as if they were classes.

Example:
    logits = head(h)  # (batch, time, classes)
    loss = F.cross_entropy(logits.view(-1, classes, time), y)

Instead:
    loss = F.cross_entropy(logits.transpose(1, 2), y)

Silent when:
    - a transpose has moved the classes to dim 1
    - the source takes log_softmax itself, and so has chosen the dimension
    - a label is as high as the head has classes: what stands in dim 1 is meant
    - the scores have not three dimensions, or no linear layer made them
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import shape_of
from .....measure.torch.node import AutogradNode
from ....flow.losses import loss_calls
from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "warning",
    tier="likely",
    why="Scores of different positions compete as if they were classes.",
    suggestion="move the classes to dim 1",
)
def class_dim(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("NllLoss2D"):
        below = step.graph.through_views(step.graph.input(node))
        if below is None or below.op != "LogSoftmax":
            continue
        view, sizes = step.graph.input(below), below.sizes()
        given = view
        while view is not None and (view.op in ("Unsqueeze", "Clone") or _adds_bias(step, view)):
            view = step.graph.input(view)
        if view is None or sizes is None or len(sizes) != 3 or view.op not in ("View", "UnsafeView", "ReshapeAlias"):
            continue
        before = view.setting("self_sym_sizes")
        if type(before) is not tuple:
            continue
        head = step.graph.input(view)
        reordered = (
            len(before) == 3 and before[0] == sizes[0] and before[1:] == (sizes[2], sizes[1]) and sizes[1] != sizes[2]
        )
        last = head is not None and head.op in ("Addmm", "Mm") and len(before) == 2 and before[1] == sizes[2]
        last = last and sizes[1] == sizes[2]  # else labels for each place of the last dimension tell that it is meant
        if reordered or last:
            found = written(step, given or view)
            classes = before[-1]
            if _are_written_out(step) or _highest_label(step, node) >= classes:
                continue  # they are places, or what else is in dim 1
            how = ", by a view that is no transpose" if reordered else ""
            yield Violation(
                (
                    f"cross_entropy takes dim 1 of {found.name or 'its input'} {tuple(sizes)} for the classes{how}",
                    ": ",
                    f"the head gives {classes} classes in its last dim",
                ),
                (found.expression, f"{tuple(sizes)} from {tuple(before)}"),
                line=found.line,
                suggestion="transpose(1, 2), so that the classes are dim 1",
            )
            return


def _are_written_out(step: Step) -> bool:
    """Whether the source takes the logarithms of the probabilities itself, and so has chosen their dimension."""
    kinds = {one.function for one in loss_calls(step)}
    return "nll_loss" in kinds and "cross_entropy" not in kinds


def _highest_label(step: Step, node: AutogradNode) -> float:
    """The highest of the labels that a loss was given, as it has saved them, or as they are in sight."""
    saved = node.tensor("target")
    targets = [one.target.value for one in loss_calls(step) if one.target is not None] if saved is None else [saved]
    highest = [stats["max"] for stats in map(step.stats, targets) if stats is not None and stats["max"] is not None]
    return float(highest[0]) if len(highest) == 1 else float("-inf")


def _adds_bias(step: Step, node: AutogradNode) -> bool:
    """Whether a node adds a vector of weights: how a linear layer of more dimensions may end."""
    bias = step.graph.input(node, 1) if node.op == "Add" else None
    return bias is not None and bias.leaf is not None and len(shape_of(bias.leaf)) == 1
