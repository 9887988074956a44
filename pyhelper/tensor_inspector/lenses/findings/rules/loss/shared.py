"""Tells whether both sides of an error are made of one result of a model."""

from __future__ import annotations

from .....measure.torch.graph import VIEWS
from .....measure.torch.node import AutogradNode
from ....step.step import Step
from ...signs import WEIGHTS

#: What gives a part of something along one dimension.
_PARTS = frozenset(("Index", "Select", "Slice", "Split", "SplitWithSizes", "Unbind"))


def are_of_one(step: Step, error: AutogradNode) -> bool:
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
    return position in WEIGHTS.get(user.op, ())
