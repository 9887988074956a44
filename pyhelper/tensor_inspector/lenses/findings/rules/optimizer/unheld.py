"""Finds the trainable parameters that a loss depends on, and that no optimizer in sight holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.graph import VIEWS
from .....measure.torch.metadata import dtype_of, grad_hooks_of, is_exact_tensor, requires_grad, shape_of
from .....measure.torch.modules import Member
from .....measure.torch.node import LEAF, AutogradNode
from .....measure.torch.optimizers import tensors as tensors_of
from .....safe.guard import module
from ....step.backpropagated import Loss
from ....step.expressions import is_name, text_of
from ....step.roles import Parameter
from ....step.step import Step
from ...losses import KINDS, REGRESSIONS, loss_calls, modules_behind
from ...made_of import made_of

torch: Any = module("torch")


def unheld(step: Step) -> list[Parameter]:
    """Not those of a model that is only a means, nor of one whose optimizer was replaced since."""
    if any(_is_past(step, loss) for loss in step.losses):
        return []
    reached = step.reached()
    trained = {id(one.root.value) for one in step.parameters.values() if id(one.tensor) in step.optimized}
    optimized = [tensor for variable in step.optimizers for tensor in tensors_of(variable.value)]
    inputs = (step.optimized & reached) - set(step.parameters)  # what is trained in no module: an image, a perturbation
    found = [
        one
        for one in step.trainable()
        if id(one.tensor) not in step.optimized
        and id(one.tensor) in reached
        and (not inputs or id(one.root.value) in trained)
        and not grad_hooks_of(one.tensor)
        and not _is_kept_in_full(one, optimized)
    ]
    holding = set(_ids_around(step.trained()))
    parts = {id(part.module): part for one in found if (part := _part_of(one, holding)) is not None}
    means = [part.module for part in parts.values() if _is_a_means(step, part, found)]
    return [one for one in found if not any(one.member.is_in(module) for module in means)]


def _ids_around(parameters: list[Parameter]) -> Iterator[int]:
    """The ids of the modules that parameters are in."""
    for one in parameters:
        member: Member | None = one.member
        while member is not None:
            yield id(member.module)
            member = member.parent


def _part_of(one: Parameter, holding: set[int]) -> Member | None:
    """The largest module around a parameter that holds none of those which are trained."""
    member: Member | None = one.member
    found = None
    while member is not None and id(member.module) not in holding:
        found, member = member, member.parent
    return found


def _is_past(step: Step, loss: Loss) -> bool:
    """Whether an optimizer was made since the backward of a loss, as for the next fold: that did not see this loss."""
    source, start = step.source, loss.backward.lineno
    keys = [variable.key for variable in step.optimizers if variable.view == step.at]
    return not loss.pending and any(start < line < source.lineno for key in keys for line in source.lines_of(key))


def _is_kept_in_full(one: Parameter, optimized: list[Any]) -> bool:
    """Whether an optimizer may hold a copy of a parameter of few bits, by which that is renewed."""
    is_low = dtype_of(one.tensor) in (torch.float16, torch.bfloat16)
    return is_low and any(
        dtype_of(tensor) is torch.float32 and shape_of(tensor) == shape_of(one.tensor) for tensor in optimized
    )


def _is_a_means(step: Step, part: Member, found: list[Parameter]) -> bool:
    """Whether a model only judges what trained ones make, as a discriminator or an extractor of features does: it is in
    eval mode, or nothing tells it what is right."""
    uses = list(_uses(step, {id(one.tensor) for one in found if one.member.is_in(part.module)}))
    if not uses or not all(step.optimized & set(map(id, step.graph.leaves(node))) for node in uses):
        return False
    if part.training is False:
        return True
    errors = [node for loss in step.loss_nodes() for node in step.graph.below(loss, *KINDS)]
    judged = [node for node in errors if any(step.graph.reaches(node, use) for use in uses)]
    if not judged and any(_is_told_by_hand(step, loss) for loss in step.losses):
        return False
    return not any(_is_told(step, node, part.module) for node in judged)


def _uses(step: Step, parameters: set[int]) -> Iterator[AutogradNode]:
    """The operations that parameters are given to."""
    waiting = [node for node in step.graph.by(LEAF) if id(node.leaf) in parameters]
    while waiting:
        for user, _ in step.graph.users(waiting.pop()):
            if user.op in VIEWS:
                waiting.append(user)
            else:
                yield user


def _is_told(step: Step, error: AutogradNode, judge: Any) -> bool:
    """Whether an error is one against labels: against data that is not the same everywhere, and that the model that is
    judged by it has not made itself."""
    if error.op in REGRESSIONS and step.graph.input(error, 1) is not None:
        return False
    calls = [one for one in loss_calls(step) if one.kind in KINDS[error.op]]
    target = error.tensor("target")
    values = [one.target.value for one in calls if one.target is not None] if target is None else [target]
    behind = (found for one in calls for found in modules_behind(step, one.call.argument(1, "target"), one.view))
    members = (step.members.get(id(found.value)) for found in behind)
    is_own = any(member is not None and member[1].is_in(judge) for member in members)
    return not is_own and any(_varies(step, value) for value in values)


def _is_told_by_hand(step: Step, loss: Loss) -> bool:
    """Whether a loss is written as the difference to such data."""
    nodes = (node for made in made_of(step.source, loss.name) for node in ast.walk(made.value))
    minuses = (node for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub))
    values = (step.value(text_of(side)) for node in minuses for side in (node.left, node.right) if is_name(side))
    return any(is_exact_tensor(one) and not requires_grad(one) and _varies(step, one) for one in values)


def _varies(step: Step, value: Any) -> bool:
    stats = step.stats(value)
    return stats is not None and stats["min"] != stats["max"]
