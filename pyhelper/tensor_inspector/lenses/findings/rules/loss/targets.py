"""Rules about what a loss compares with, and what it is made into."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, same_elements
from .....measure.torch.metadata import element_count, gradient_of, is_exact_tensor, requires_grad, shape_of
from .....measure.torch.node import AutogradNode
from .....measure.torch.optimizers import groups, inner
from .....safe.guard import NUMBERS, each, instance_dict
from .....words.text import plural, shape
from ....step.expressions import constant_of, is_name
from ....step.step import Step
from ...finding import Found
from ...lines import bound
from ...losses import REGRESSIONS, loss_calls
from ...rule import rule
from ...written import written


@rule(
    "error",
    why="Gradients are defined for one number.",
    suggestion="mean() or sum() it first",
    needs="loss source",
)
def loss_not_scalar(step: Step) -> Iterator[Found]:
    for loss in step.pending():
        count = element_count(loss.tensor)
        composed = len(loss.backward.names) > 1 or loss.backward.call.receiver is None or not _is_bare(loss.backward)
        if count is None or count < 2 or loss.backward.gradient or composed or not requires_grad(loss.tensor):
            continue
        yield Found(
            f"{loss.name} has {count} elements {shape(shape_of(loss.tensor))}: backward needs one",
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
def target_requires_grad(step: Step) -> Iterator[Found]:
    for node in step.graph.by(*REGRESSIONS):
        prediction, target = step.graph.input(node, 0), step.graph.input(node, 1)
        if prediction is None or target is None or prediction is target:
            continue
        found = written(step, target)
        maxima = step.graph.below(target, "Max", "Amax", "MaxB")
        bootstraps = bool(maxima and step.graph.below(prediction, "Gather"))
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
        collapses = bool(theirs) and theirs == ours and _is_whole_loss(step, node)
        hinted = bool(theirs) and _is_called_target(found.expression) and _is_sum_with_data(step, target)
        if bootstraps or foreign or discounted or collapses or hinted:
            yield Found(
                f"gradients flow into the target of the loss: {found.name or 'it'} has grad_fn {target.op}Backward0",
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


@rule(
    "error",
    why="Such a loss is constant: nothing is learned.",
    suggestion="compare with the target",
)
def target_is_prediction(step: Step) -> Iterator[Found]:
    for node in step.graph.by(*REGRESSIONS, "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits"):
        prediction = step.graph.through_views(step.graph.input(node, 0))
        target = step.graph.through_views(step.graph.input(node, 1))
        saved, against = node.tensor("self"), node.tensor("target")
        same = prediction is not None and prediction is target
        if saved is not None and against is not None and prediction is not None:
            same = same or same_elements(saved, against)
        if same and prediction is not None and prediction.leaf is None:
            name = step.title_of(prediction)
            yield Found(
                f"the loss compares {name or 'the prediction'} with itself: prediction and target are the same value",
                (name, f"both sides of {node.op}Backward0"),
                line=_loss_line(step),
            )
            return
    for one in loss_calls(step):
        given, against = one.input, one.target
        if one.kind not in _COMPARING or given is None or against is None or given.value is against.value:
            continue
        is_computed = requires_grad(given.value) and not gradient_of(given.value).is_leaf
        if is_computed and same_elements(given.value, against.value):
            yield Found(
                f"the loss compares {given.name} with itself: {against.name} is the same value",
                (given.name, f"the same elements as {against.name}"),
                line=bound(step, against.key) or (step.sources[one.view].file, one.call.lineno),
            )
            return
    yield from _always_alike(step)


def _always_alike(step: Step) -> Iterator[Found]:
    """A distance that is exactly zero, where the optimizer has stepped and has never had a gradient but zero."""
    for loss in step.losses:
        node = _only_distance(step, step.node_of(loss.tensor)) if step.number(loss.tensor) == 0 else None
        grads = [step.grad(one.tensor) for one in step.trained()] if node is not None else []
        if node is None or not _never_moved(step) or any(not _is_zero(grad) for grad in grads if grad is not None):
            continue
        yield Found(
            f"{loss.name} is exactly 0, and so was every gradient so far: both sides of its {node.op}Backward0 have the same values",
            (loss.name, "0, without any rest"),
            *((thing.name, "has stepped, its averages of gradients are exactly 0") for thing in step.optimizers[:1]),
            line=_loss_line(step),
            suggestion="compute the two sides from different inputs, or by different models",
        )
        return


def _only_distance(step: Step, node: AutogradNode | None) -> AutogradNode | None:
    """The distance that a loss is, or is a number of times, and nothing else."""
    while node is not None and node.op in ("Mul", "Div", "Mean", "Sum"):
        node = step.graph.input(node) if len(list(step.graph.inputs(node))) == 1 else None
    return node if node is not None and node.op in REGRESSIONS else None


def _never_moved(step: Step) -> bool:
    """Whether all that optimizers have averaged of the gradients of what they train is exactly zero, and there is some."""
    averages: list[Any] = []
    trained = {id(one.tensor) for one in step.trained()}
    for thing in step.optimizers:
        state = instance_dict(inner(thing.value)).get("state")
        for tensor, kept in each(dict.items, state) if issubclass(type(state), dict) else ():
            items = list(dict.values(kept)) if id(tensor) in trained and type(kept) is dict else []
            averages += [item for item in items if is_exact_tensor(item) and shape_of(item) == shape_of(tensor)]
    return bool(averages) and all(map(_is_zero, averages))


def _is_zero(tensor: Any) -> bool:
    return is_plain(tensor) and not bool(bare(tensor).any())


#: Losses that compare element by element.
_COMPARING = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")


def _loss_line(step: Step) -> tuple[str, int] | None:
    return next(filter(None, (step.source.line_of(loss.name) for loss in step.losses)), None)


@rule(
    "warning",
    why="The optimizer minimises: it makes this error larger.",
    suggestion="drop the minus, or maximize=True",
    needs="loss optimizer source",
)
def loss_sign(step: Step) -> Iterator[Found]:
    for loss in step.losses:
        node = step.node_of(loss.tensor)
        below = None if node is None else step.graph.input(node)
        if (
            node is None
            or below is None
            or below.op not in ("NllLoss", "MseLoss", "NllLoss2D", "BinaryCrossEntropyWithLogits")
        ):
            continue
        factor = node.tensor("other") if node.op == "Mul" else None
        negated = (
            node.op == "Neg"
            or (factor is not None and element_count(factor) == 1 and (step.number(factor) or 0) < 0)
            or (node.op == "Mul" and _is_negated(step, loss.name))
        )
        leaves = {id(leaf) for leaf in step.graph.leaves(node)}
        maximizes = any(group.flag("maximize") for thing in step.optimizers for group in groups(thing.value))
        if (
            negated
            and leaves & step.optimized & set(step.parameters)
            and not maximizes
            and len(step.optimizers) == 1
            and len(step.source.backwards) == 1
        ):
            yield Found(
                f"{loss.name} is the negative of {below.op}: minimising it makes that loss grow",
                (loss.name, f"grad ← {node.op}Backward0 ← {below.op}Backward0"),
                line=_loss_line(step),
                certain=False,
            )
            return


def _is_negated(step: Step, name: str) -> bool:
    """Whether it is written as a product with a negative number, which the graph forgets after its backward."""
    made = step.source.value_of(name)
    value = getattr(made[1], "value", None) if made is not None else None
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return False
    factors = [constant_of(side) for side in (value.left, value.right)]
    return any(type(factor) in NUMBERS and factor < 0 for factor in factors)
