"""Rules about what a loss compares with, and what it is made into."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, same_elements
from .....measure.torch.graph import VIEWS
from .....measure.torch.metadata import (
    element_count,
    gradient_of,
    is_exact_tensor,
    output_number,
    requires_grad,
    shape_of,
)
from .....measure.torch.node import AutogradNode
from .....measure.torch.optimizers import inner
from .....safe.guard import each, instance_dict
from .....safe.record import Record
from .....words.text import plural, shape
from ....step.expressions import is_name
from ....step.step import Step
from ...finding import Violation
from ...lines import bound
from ...losses import REGRESSIONS, loss_calls
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
    for loss in step.pending():
        count = element_count(loss.tensor)
        composed = len(loss.backward.names) > 1 or loss.backward.call.receiver is None or not _is_bare(loss.backward)
        if count is None or count < 2 or loss.backward.gradient or composed or not requires_grad(loss.tensor):
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
    for node in step.graph.by(*REGRESSIONS):
        prediction, target = step.graph.input(node, 0), step.graph.input(node, 1)
        is_one = prediction is target and step.graph.output(node, 0) == step.graph.output(node, 1)
        if prediction is None or target is None or is_one:
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


@rule(
    "error",
    why="Such a loss is constant: nothing is learned.",
    suggestion="compare with the target",
)
def target_is_prediction(step: Step) -> Iterator[Violation]:
    for node in step.graph.by(*REGRESSIONS, "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits"):
        prediction = step.graph.through_views(step.graph.input(node, 0))
        saved, against = node.tensor("self"), node.tensor("target")
        same = _is_of_itself(step, node)
        if saved is not None and against is not None and prediction is not None:
            same = same or same_elements(saved, against)
        if same and prediction is not None and prediction.leaf is None:
            name = _name_of(step, node)
            yield Violation(
                (
                    f"the loss compares {name or 'the prediction'} with itself",
                    ": ",
                    "prediction and target are the same value",
                ),
                (name, f"both sides of {node.op}Backward0"),
                line=_loss_line(step),
            )
            return
    yield from _subtracted_from_itself(step)
    for one in loss_calls(step):
        given, against = one.input, one.target
        if one.kind not in _COMPARING or given is None or against is None or given.value is against.value:
            continue
        is_computed = requires_grad(given.value) and not gradient_of(given.value).is_leaf
        if is_computed and same_elements(given.value, against.value):
            yield Violation(
                (f"the loss compares {given.name} with itself", ": ", f"{against.name} is the same value"),
                (given.name, f"the same elements as {against.name}"),
                line=bound(step, against.key) or (step.sources[one.view].file, one.call.lineno),
            )
            return
    yield from _always_alike(step)


def _is_of_itself(step: Step, node: AutogradNode) -> bool:
    """Whether both inputs are the same elements at the same places: one computed result, with its dimensions regrouped."""
    sides = [step.graph.input(node, at) for at in (0, 1)]
    one, other = (_source_of(step, node, at) for at in (0, 1))
    if None in sides or one.key != other.key:
        return False
    if sides[0] is sides[1]:
        return True
    sizes = [None if side is None else side.sizes(step.graph.output(node, at)) for at, side in enumerate(sides)]
    places = 0 if sizes[0] is None or not one.regrouped | other.regrouped else sizes[0].count(1)
    return sizes[0] == sizes[1] is not None and places < 2  # a row and a column of one element have the same sizes


class _OutputSource(Record):
    """What an input is: which output of which node, through which dtypes that may have rounded it."""

    node: AutogradNode | None
    output: int
    dtypes: tuple[Any, ...]
    regrouped: bool

    @property
    def key(self) -> tuple[int | None, int, tuple[Any, ...]]:
        return None if self.node is None else self.node.index, self.output, self.dtypes


def _source_of(step: Step, node: AutogradNode, position: int) -> _OutputSource:
    output, dtypes, regrouped = step.graph.output(node, position), list[Any](), False
    source = step.graph.input(node, position)
    while source is not None and source.op in _REGROUPING:
        if source.op == "ToCopy":
            dtypes.append(source.dtype())
        regrouped |= source.op not in _COPIES
        output, source = step.graph.output(source), step.graph.input(source)
    return _OutputSource(source, output, tuple(dtypes), regrouped)


def _name_of(step: Step, node: AutogradNode) -> str | None:
    """What the first input of a comparison is called."""
    side, source = step.graph.input(node), _source_of(step, node, 0)
    if source.node is not None and source.node.op not in VIEWS and source.node.leaf is None:
        made = (one for one in step.tensors if step.node_of(one.value) is source.node)
        name = next((one.name for one in made if output_number(one.value) == source.output), None)
    else:
        name = step.title_of(step.graph.through_views(source.node))
    return name or (None if side is None or source.output else written(step, side).name)


def _subtracted_from_itself(step: Step) -> Iterator[Violation]:
    """An error whose difference is that of a value and itself, as ``l1_loss`` and errors by hand are made."""
    roots = [root for loss in step.losses if (root := step.node_of(loss.tensor)) is not None]
    for node in (node for root in roots for node in step.graph.below(root, "Sub")):
        if not {user.op for user, _ in step.graph.users(node)} & _OF_DIFFERENCES:
            continue  # only kept in the graph
        if _is_of_itself(step, node):
            name = _name_of(step, node)
            yield Violation(
                (
                    f"the loss compares {name or 'the prediction'} with itself",
                    ": ",
                    "prediction and target are the same value",
                ),
                (name, "both sides of SubBackward0"),
                line=_loss_line(step),
            )
            return


def _always_alike(step: Step) -> Iterator[Violation]:
    """A distance that is exactly zero, where the optimizer has stepped and has never had a gradient but zero."""
    for loss in step.losses:
        node = _only_distance(step, step.node_of(loss.tensor)) if step.number(loss.tensor) == 0 else None
        grads = [step.grad(one.tensor) for one in step.trained()] if node is not None else []
        if node is None or not _never_moved(step) or any(not _is_zero(grad) for grad in grads if grad is not None):
            continue
        yield Violation(
            (
                f"{loss.name} is exactly 0",
                ", ",
                f"and so was every gradient so far: both sides of its {node.op}Backward0 have the same values",
            ),
            (loss.name, "0, without any rest"),
            *(
                (variable.name, "has stepped, its averages of gradients are exactly 0")
                for variable in step.optimizers[:1]
            ),
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
    for variable in step.optimizers:
        state = instance_dict(inner(variable.value)).get("state")
        for tensor, kept in each(dict.items, state) if issubclass(type(state), dict) else ():
            items = list(dict.values(kept)) if id(tensor) in trained and type(kept) is dict else []
            averages += [item for item in items if is_exact_tensor(item) and shape_of(item) == shape_of(tensor)]
    return bool(averages) and all(map(_is_zero, averages))


def _is_zero(tensor: Any) -> bool:
    return is_plain(tensor) and not bool(bare(tensor).any())


#: What gives the elements other dimensions, in their order.
_REGROUPING = VIEWS - {"AsStrided", "Permute", "T", "Transpose"}
#: What of that leaves the dimensions as they are.
_COPIES = frozenset(("Alias", "Clone", "Contiguous", "ToCopy"))
#: What makes an error of a difference.
_OF_DIFFERENCES = frozenset(("Abs", "Mul", "Pow"))
#: Losses that compare element by element.
_COMPARING = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")


def _loss_line(step: Step) -> tuple[str, int] | None:
    return next(filter(None, (step.source.line_of(loss.name) for loss in step.losses)), None)
