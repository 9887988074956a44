"""Tells whether the gradients of a loss are exactly zero as its backward has left them."""

from __future__ import annotations

import ast

from ......measure.torch.elements import bare, is_plain, version_of
from ......measure.torch.node import AutogradNode
from .....step.backpropagated import Loss
from .....step.step import Step


def gradients_are_zero(step: Step, loss: Loss, root: AutogradNode) -> bool:
    """Whether the gradients are zero as the backward has left them, and nothing has cleared them since."""
    leaves = [leaf for leaf in step.graph.leaves(root) if id(leaf) in step.optimized]
    grads = [step.grad(leaf) for leaf in leaves]
    if not grads or not all(is_plain(grad) and not bool(bare(grad).any()) for grad in grads):
        return False
    start, end = loss.backward.lineno, step.source.lineno
    replaced = any(
        name.endswith(".grad") and start <= line <= end
        for name, bound_in in step.source.bindings.items()
        for line, _ in bound_in
    )
    if not replaced and all(version_of(grad) == 0 for grad in grads):
        return True  # as new: what is cleared in place has a version
    inside = {id(node) for node in ast.walk(loss.backward.call.node)}
    later = [call for call in step.source.calls if start <= call.lineno < end and id(call.node) not in inside]
    return step.level == 0 and not replaced and not later
