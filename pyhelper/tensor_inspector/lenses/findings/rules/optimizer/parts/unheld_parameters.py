"""Finds the trainable parameters that a loss depends on, and that no optimizer in sight holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ......measure.torch.elements import memory_of
from ......measure.torch.graph import VIEWS
from ......measure.torch.metadata import dtype_of, grad_hooks_of, shape_of
from ......measure.torch.modules import Member
from ......measure.torch.node import LEAF, AutogradNode
from ......measure.torch.optimizers import inner
from ......measure.torch.optimizers import tensors as tensors_of
from ......safe.guard import module
from .....step.backpropagated import Loss
from .....step.classes import methods_of
from .....step.expressions import text_of
from .....step.roles import Parameter
from .....step.step import Step
from .supervised import is_supervised
from .trainable_tags import is_left_out
from .updates_by_hand import moved_by_hand

torch: Any = module("torch")


def unheld(step: Step) -> list[Parameter]:
    """Not those that are moved by hand, nor of a model that is only a means, nor of one whose optimizer was replaced since."""
    if any(_has_copies(step, variable.value) for variable in step.optimizers):
        return []
    roots = [step.node_of(loss.tensor) for loss in step.losses if not _is_past(step, loss)]
    reached = {id(leaf) for node in roots if node is not None for leaf in step.graph.leaves(node)}
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
        and not is_left_out(step, one)
        and not _is_given_by_another_call(step, one)
        and not _is_part_of_one(one, optimized)
    ]
    if found and step.is_handed_back and _steps_by_hand(step):
        return []
    moved = set(moved_by_hand(step)) if found else set()
    found = [
        one
        for one in found
        if id(one.tensor) not in moved
        and not (None in moved and id(one.root.value) not in trained)  # by hand all of a model is moved, or nothing
    ]
    holding = set(_ids_around(step.trained()))
    parts = {id(part.module): part for one in found if (part := _part_of(one, holding)) is not None}
    means = [part.module for part in parts.values() if _is_a_means(step, part, found)]
    return [one for one in found if not any(one.member.is_in(module) for module in means)]


def _has_copies(step: Step, optimizer: Any) -> bool:
    """Whether a wrapper's optimizer steps none of the parameters in sight: copies of them, perhaps all in one tensor."""
    return inner(optimizer) is not optimizer and not any(id(one) in step.parameters for one in tensors_of(optimizer))


def _is_part_of_one(one: Parameter, optimized: list[Any]) -> bool:
    """Whether a parameter lies in the memory of what an optimizer holds, as in a flat one of all."""
    memory = memory_of(one.tensor)
    return memory is not None and any(memory_of(tensor) == memory for tensor in optimized)


def _steps_by_hand(step: Step) -> bool:
    """Whether a method of a module that a library trains reads gradients: a hook of it may move what no optimizer has."""
    classes = {type(variable.value) for variable in step.modules}
    return any(source.mentions("grad") for cls in classes for _, source in methods_of(cls))


def _is_given_by_another_call(step: Step, one: Parameter) -> bool:
    """Whether a caller also calls the function, or one around it, with a parameter to train: ``fit(net.parameters())`` before
    or after ``fit(net.head.parameters())``."""
    for level, source in enumerate(step.sources[step.level + 1 :], step.level + 1):
        for call in source.calls_of(step.sources[level - 1].function):
            given = (node for argument in (*call.args, *call.keywords.values()) for node in ast.walk(argument))
            for node in given if call.lineno != source.lineno else ():
                if isinstance(node, ast.Attribute) and node.attr == "parameters":
                    found = step.module_of(text_of(node.value), level)
                    if found is not None and one.member.is_in(found.value):
                        return True
    return False


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
    """Whether an optimizer was made since the backward of a loss, as for the next fold: that did not see this loss.

    Under a condition it may not have been made: then it is only where the loss leads to nothing that optimizers hold,
    and those hold what a model in sight has.
    """
    source, start = step.source, loss.backward.lineno
    keys = [variable.key for variable in step.optimizers if variable.level == step.level]
    lines = [line for key in keys for line in source.lines_of(key) if start < line < source.lineno]
    if not loss.done or not lines:
        return False
    if not all(source.is_conditional(line, seen_from=source.lineno) for line in lines):
        return True
    node = step.node_of(loss.tensor)
    leaves = set[int]() if node is None else set(map(id, step.graph.leaves(node)))
    return not step.optimized & leaves and bool(step.optimized & set(step.parameters))


def _is_kept_in_full(one: Parameter, optimized: list[Any]) -> bool:
    """Whether an optimizer may hold a copy of a parameter of few bits, by which that is renewed."""
    is_low = dtype_of(one.tensor) in (torch.float16, torch.bfloat16)
    return is_low and any(
        dtype_of(tensor) is torch.float32 and shape_of(tensor) == shape_of(one.tensor) for tensor in optimized
    )


def _is_a_means(step: Step, part: Member, found: list[Parameter]) -> bool:
    """Whether a model only judges what trained ones make, as a discriminator or an extractor of features does: it alone
    is in eval mode, or nothing tells it what is right."""
    uses = list(uses_of(step, {id(one.tensor) for one in found if one.member.is_in(part.module)}))
    if not uses or not all(step.optimized & set(map(id, step.graph.leaves(node))) for node in uses):
        return False
    if part.training is False and any(one.member.training is not False for one in step.trained()):
        return True
    return not is_supervised(step, part, uses)


def uses_of(step: Step, parameters: set[int]) -> Iterator[AutogradNode]:
    """The operations that parameters are given to."""
    waiting = [node for node in step.graph.by(LEAF) if id(node.leaf) in parameters]
    while waiting:
        for user, _ in step.graph.users(waiting.pop()):
            if user.op in VIEWS:
                waiting.append(user)
            else:
                yield user
