"""Gradients hold NaN or Inf though the loss is finite.

Why: A step with them makes the weights NaN; one that is left out teaches nothing.

Example:
    loss = torch.sqrt(distance).sum()  # distance is 0: the slope is infinite

Instead:
    loss = torch.sqrt(distance + 1e-8).sum()

Silent when:
    - a result in sight, or a parameter, is not finite: other rules tell that
    - a GradScaler is still looking for its scale
    - the program replaces such gradients, leaves the step out, or has a hook before it (unless a distance of something
      to itself is the cause)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import number_of
from .....measure.torch.node import AutogradNode
from .....measure.torch.steep import MAYBE_STEEP, may_be_steep, only_divides, steep
from .....safe.guard import instance_dict
from .....words.text import listed, plural
from ....graphs.lines import line_of_operation
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.gradient_handling import is_nan_left_out
from .parts.nan_onset import bad_roots, flow_of
from .parts.not_finite import numbers_not_finite, parameters_not_finite


def _may_skip(scaler: Any) -> bool:
    """Whether a GradScaler may be looking for its scale: it has scaled a loss, and by no less than 1.

    Below that no gradient is too large for its scale: it has halved the scale for NaN again and again.
    """
    held = instance_dict(scaler)
    scale = held.get("_scale")
    if held.get("_enabled") is not True or scale is None:
        return False
    number = number_of(scale)
    return number is None or number >= 1


@rule(
    "error",
    why="A step with them makes the weights NaN; one that is left out teaches nothing.",
    suggestion="add a small ε inside, and mask before the operation, not after",
    needs="module loss",
)
def nan_in_grad_only(step: Step) -> Iterator[Violation]:
    if any(_may_skip(variable.value) for variable in step.scalers) or bad_roots(step):
        return
    held = list(step.parameters.values())
    bad = [f"{held[at].name}.grad" for at in numbers_not_finite(step, step.grads([one.tensor for one in held]))]
    if not bad or parameters_not_finite(step):
        return
    roots = step.loss_nodes()
    nodes = [
        node
        for node in step.graph.by(*MAYBE_STEEP)
        if may_be_steep(node) and any(step.graph.reaches(one, node) for one in roots)
    ]
    if is_nan_left_out(step) and not any(_is_root_of_nothing(step, node) for node in nodes):
        return  # as a bad batch
    proven = next(steep(flow_of(step), nodes), None)
    nodes = sorted(nodes, key=only_divides) if proven is None else [proven]
    ops = listed(dict.fromkeys(node.op.lower() for node in nodes), False, 40)
    around = (step.title_of(one) for node in nodes for one in (node, *step.graph.inputs(node)) if one.leaf is None)
    names = list(dict.fromkeys(name for name in around if name))[:3]
    loss = step.losses[0].name if step.losses else "the forward"
    cause = f"; {ops} on the way may have an infinite slope" if nodes else ""
    if proven is not None:
        cause = f"; the slope of {ops} is infinite at what it was given{f' for {names[0]}' if names else ''}"
    lines = (line_of_operation(step, node, step.title_of(node)) for node in nodes)
    yield Violation(
        (
            f"{plural(len(bad), 'gradient')} {'is' if len(bad) == 1 else 'are'} not finite though {loss} is",
            ": ",
            f"{listed(bad, False, 60)}{cause}",
        ),
        *((name, "NaN or Inf") for name in bad[:4]),
        *((name, "on the way") for name in names),
        line=next(filter(None, lines), None),
    )


def _is_root_of_nothing(step: Step, node: AutogradNode) -> bool:
    """Whether it is a root of the distances from each to each, which are 0 from one to itself in every batch."""
    below = step.graph.input(node) if node.op == "Sqrt" else None
    for _ in range(4):
        if below is None or below.op == "Sub":
            break
        below = step.graph.input(below) if below.op in ("Abs", "Mul", "Pow", "Sum") else None
    if below is None or below.op != "Sub" or None in below.inputs:
        return False
    one, other = (_before_views(step, part) for part in step.graph.inputs(below))
    return one is not None and one is other


def _before_views(step: Step, node: AutogradNode) -> AutogradNode | None:
    found = step.graph.through_views(node)
    return found if found is None or found.op != "Expand" else step.graph.through_views(step.graph.input(found))
