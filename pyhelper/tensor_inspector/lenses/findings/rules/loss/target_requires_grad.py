"""The target of a loss requires a gradient.

Why: What should stay fixed is moved towards the prediction.

Example:
    target = reward + 0.99 * model(next_x).max(1).values
    loss = F.mse_loss(model(x).gather(1, actions).squeeze(1), target)

Instead:
    with torch.no_grad():
        target = reward + 0.99 * model(next_x).max(1).values
    loss = F.mse_loss(model(x).gather(1, actions).squeeze(1), target)

Silent when:
    - it leads to no other weights than are meant to be trained, or both sides are parts of one result
    - nothing bears out that it is a target: no maximum against a chosen value, no discounted value of the same weights,
      no other model that is not trained, no name with data added
    - other terms of the loss keep both sides from collapsing
    - the loss is no regression
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.graph import VIEWS
from .....measure.torch.node import AutogradNode
from .....words.text import plural
from ....flow.ops import REGRESSIONS, WEIGHT_INPUTS
from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

#: What gives a part of something along one dimension.
_PARTS = frozenset(("Index", "Select", "Slice", "Split", "SplitWithSizes", "Unbind"))


@rule(
    "warning",
    why="What should stay fixed is moved towards the prediction.",
    suggestion="compute it under no_grad, or detach it",
    causes="param-not-in-optimizer",
)
def target_requires_grad(step: Step) -> Iterator[Violation]:
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
        collapses = bool(theirs) and theirs == ours and _is_whole_loss(step, node) and not _are_of_one(step, node)
        hinted = bool(theirs) and _is_called_target(found.expression) and _is_sum_with_data(step, target)
        moves = not step.optimized or bool(theirs & (step.optimized | ours))  # else its gradients change no weight
        if bootstraps or foreign or discounted or collapses or hinted:
            yield Violation(
                (
                    "gradients flow into the target of the loss",
                    ": ",
                    f"{found.name or 'it'} has grad_fn {target.op}Backward0",
                ),
                (found.expression, f"grad ← {target.op}Backward0, leads to {plural(len(theirs), 'parameter')}"),
                line=found.line,
                certain=moves and (bootstraps or discounted),
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


def _are_of_one(step: Step, error: AutogradNode) -> bool:
    """Whether both sides are made of a result that they share, as the two states of an LSTM: not only of weights, and not
    of samples of one batch each."""
    below = [{node.index for node in step.graph.below(side)} for side in step.graph.inputs(error)]
    either, shared = set.union(*below), set.intersection(*below)
    for node in map(step.graph.node, shared):
        users = [(user, at) for user, at in step.graph.users(node) if user.index in either - shared]
        is_result = node.leaf is None and node.op not in VIEWS and not _is_of_samples(step, node)
        is_top = bool(users) or any(side is node for side in step.graph.inputs(error))
        if (
            is_result
            and is_top
            and not any(_is_weight_of(step, user, at) or _is_of_samples(step, user) for user, at in users)
        ):
            return True
    return False


def _is_of_samples(step: Step, node: AutogradNode) -> bool:
    """Whether it takes apart what is of several samples: not all of it, as ``out[:, -1]`` does first."""
    below = step.graph.input(node)
    is_whole = below is not None and node.sizes() == below.sizes(step.graph.output(node))
    return node.op in _PARTS and node.dim() in (0, None) and not is_whole


def _is_weight_of(step: Step, user: AutogradNode, position: int) -> bool:
    """Whether a layer has for a weight what is given to an operation, or to a view of it."""
    while user.op in VIEWS:
        users = step.graph.users(user)
        if len(users) != 1:
            return False
        user, position = users[0]
    return position in WEIGHT_INPUTS.get(user.op, ())
