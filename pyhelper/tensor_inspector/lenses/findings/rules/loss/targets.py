"""Rules about what a loss compares with, and what it is made into."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import (
    element_count,
    requires_grad,
    shape_of,
)
from .....measure.torch.node import AutogradNode
from .....words.text import plural, shape
from ....step.expressions import is_name
from ....step.step import Step
from ...finding import Violation
from ...losses import REGRESSIONS
from ...rule import rule
from ...written import written
from .shared import are_of_one


@rule(
    "error",
    why="Gradients are defined for one number.",
    suggestion="mean() or sum() it first",
    needs="loss source",
)
def loss_not_scalar(step: Step) -> Iterator[Violation]:
    """A loss of several elements is to be backpropagated."""
    for loss in step.pending():
        count = element_count(loss.tensor)
        composed = len(loss.backward.names) > 1 or loss.backward.call.receiver is None or not _is_bare(loss.backward)
        if count is None or count < 2 or loss.backward.has_gradient or composed or not requires_grad(loss.tensor):
            continue
        yield Violation(
            (f"{loss.name} has {count} elements {shape(shape_of(loss.tensor))}", ": ", "backward needs one"),
            (loss.name, f"shape {shape(shape_of(loss.tensor))}"),
            line=step.source.line_of(loss.name) or (step.source.file, loss.backward.lineno),
        )


def _is_bare(backward: Any) -> bool:
    """Whether what backward is called on is a name, and not an expression of it that may reduce it."""
    call = backward.call
    inner = call.args[0] if call.args and backward.scaler is None and not is_name(call.receiver) else call.receiver
    if backward.scaler is not None and isinstance(call.receiver, ast.Call):
        inner = call.receiver.args[0]
    return is_name(inner)


@rule(
    "warning",
    why="What should stay fixed is moved towards the prediction.",
    suggestion="compute it under no_grad, or detach it",
)
def target_requires_grad(step: Step) -> Iterator[Violation]:
    """The target of a loss requires a gradient."""
    for node in step.graph.by(*REGRESSIONS):
        prediction, target = step.graph.input(node, 0), step.graph.input(node, 1)
        is_one = prediction is target and step.graph.output(node, 0) == step.graph.output(node, 1)
        if prediction is None or target is None or is_one:
            continue
        found = written(step, target)
        maxima = step.graph.below(target, "Max", "Amax", "MaxB")
        pools = bool(step.graph.below(prediction, "Max", "Amax", "MaxB"))  # as the target does: both come of one model
        bootstraps = bool(maxima and step.graph.below(prediction, "Gather")) and not pools
        theirs, ours = (
            {id(leaf) for leaf in step.graph.leaves(target)},
            {id(leaf) for leaf in step.graph.leaves(prediction)},
        )
        foreign = (
            bool(step.optimized & ours)
            and bool(theirs)
            and not theirs & step.optimized
            and not theirs & ours
            and theirs <= set(step.parameters)
        )
        discounted = _is_discounted(step, prediction, target)
        collapses = bool(theirs) and theirs == ours and _is_whole_loss(step, node) and not are_of_one(step, node)
        hinted = bool(theirs) and _is_called_target(found.expression) and _is_sum_with_data(step, target)
        if bootstraps or foreign or discounted or collapses or hinted:
            yield Violation(
                (
                    "gradients flow into the target of the loss",
                    ": ",
                    f"{found.name or 'it'} has grad_fn {target.op}Backward0",
                ),
                (found.expression, f"grad ← {target.op}Backward0, leads to {plural(len(theirs), 'parameter')}"),
                line=found.line,
                certain=bootstraps or foreign or discounted,
            )
            return


def _is_whole_loss(step: Step, node: AutogradNode) -> bool:
    """Whether a loss is nothing but this one, and perhaps a number of times it: with nothing else in it to be learned."""
    for loss in step.losses:
        root = step.node_of(loss.tensor)
        while root is not None and root is not node and root.op in ("Mul", "Div", "Mean", "Sum"):
            root = step.graph.input(root) if len(list(step.graph.inputs(root))) == 1 else None
        if root is node:
            return True
    return False


def _is_called_target(name: str | None) -> bool:
    """Whether a name says what it is used as: a hint that another sign must bear out."""
    words = set((name or "").rpartition(".")[2].lower().split("_"))
    return bool(words & {"target", "targets", "teacher", "expected", "label", "labels"})


def _is_sum_with_data(step: Step, target: AutogradNode) -> bool:
    """Whether it is data plus something with a gradient: as a reward and a value are added."""
    node = step.graph.through_views(target)
    return node is not None and node.op == "Add" and len(list(step.graph.inputs(node))) == 1


def _is_discounted(step: Step, prediction: AutogradNode, target: AutogradNode) -> bool:
    """Whether it is a number plus a share of what the same weights give for another input: a reward and the next value."""
    ours, node = step.graph.through_views(prediction), step.graph.through_views(target)
    if ours is None or node is None or node.op != "Add" or len(list(step.graph.inputs(node))) != 1:
        return False
    share = next(step.graph.inputs(node))
    theirs = step.graph.through_views(step.graph.input(share)) if share.op == "Mul" else None
    if theirs is None or theirs is ours or theirs.op != ours.op or share.sizes() in (None, ()):
        return False
    weights = [
        {below.leaf is not None and id(below.leaf) for below in step.graph.below(side)} for side in (ours, theirs)
    ]
    return weights[0] == weights[1]
