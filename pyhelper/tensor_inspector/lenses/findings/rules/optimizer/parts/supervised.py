"""Tells whether labels train a part of a model.

A part without labels may only judge another one, as the discriminator of a GAN does while the generator is trained."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ......measure.torch.metadata import dtype_of, is_exact_tensor, requires_grad
from ......measure.torch.modules import Member, parameters_of
from ......measure.torch.node import AutogradNode
from ......safe.guard import module
from ......safe.record import Record
from .....flow.definitions import definitions_of, reaching_definitions
from .....flow.losses import loss_calls, modules_behind
from .....flow.ops import CONSTANT, ERRORS, METADATA, REGRESSIONS, SHAPE_ONLY
from .....step.expressions import is_name, key_of, last_name, names_in, parent_of, text_of
from .....step.step import Step
from ....signs import errors_in

torch: Any = module("torch")
_MOST = 100
#: What makes a tensor whose elements are all alike.
#: What gives the same elements, or their number, in another shape.
_SHAPING = frozenset(
    "clamp clip count_nonzero expand expand_as float mean reshape squeeze sum to unsqueeze view".split()
)
#: What weighs what it is given beside.
_WEIGHING = ("mul", "multiply", "where")
#: What makes of several outputs what is likely: weights there are the classes that are wanted.
_LIKELIHOODS = ("LogSoftmax", "Logsumexp", "Softmax")


def is_supervised(step: Step, part: Member, uses: list[AutogradNode]) -> bool:
    """Whether a loss compares what a part makes with labels: data that varies, and that the part has not made itself.

    ``uses`` are the operations that take its parameters.
    """
    errors = [node for loss in step.loss_nodes() for node in step.graph.below(loss, *ERRORS)]
    judged = [node for node in errors if any(step.graph.reaches(node, use) for use in uses)]
    if not judged:
        return _is_supervised_by_hand(step, part, uses)
    signed = [one for loss in step.losses for one in errors_in(step, loss) or ()]
    raised = {node.index for node, is_negative in signed if is_negative}
    if all(node.index in raised for node in judged):
        return False  # what is trained is to mislead the part
    return any(_is_labelled(step, node, part, uses) for node in judged)


def _is_labelled(step: Step, error: AutogradNode, part: Member, uses: list[AutogradNode]) -> bool:
    if error.op in REGRESSIONS and step.graph.input(error, 1) is not None:
        return False
    calls = [one for one in loss_calls(step) if one.function in ERRORS[error.op]]
    if any(_is_made_by(step, part, one.call.argument(1, "target"), one.level) for one in calls):
        return False
    target = error.tensor("target")
    values = [one.target.value for one in calls if one.target is not None] if target is None else [target]
    if values:
        return any(_varies(step, value) for value in values)
    if error.op.startswith("NllLoss"):  # its backward has freed the target
        return not any(_is_of_one_class(step, one.call.argument(1, "target"), one.level) for one in calls)
    return _is_supervised_by_hand(step, part, uses) if calls else _is_given_labels(step, part)


def _is_of_one_class(step: Step, target: ast.expr | None, level: int) -> bool:
    """Whether a target is written as one number for all, as ``torch.zeros(8).long()``."""
    made = step.sources[level].binding_of(text_of(target)) if is_name(target) else None
    nodes = [] if target is None else [*ast.walk(target), *(ast.walk(made[1]) if made is not None else ())]
    return any(isinstance(node, ast.Call) and last_name(node.func) in CONSTANT for node in nodes)


def _is_given_labels(step: Step, part: Member) -> bool:
    """Whether a model that the part is in makes the loss, and is given such data beside its input."""
    inside = {
        id(node)
        for loss in step.losses
        for made in reaching_definitions(step.source, loss.name)
        for node in ast.walk(made.value)
    }
    for call, model, level in step.calls_of_modules():
        if id(call.node) in inside and part.module is not model.value and part.is_in(model.value):
            beside = [*call.args[1:], *call.keywords.values()]
            operands = (step.operand(one, level, call.lineno) for one in beside)
            if any(one is not None and _is_data(step, one.value) for one in operands):
                return True
    return False


def _is_supervised_by_hand(step: Step, part: Member, uses: list[AutogradNode]) -> bool:
    """Whether in the expressions behind a loss such data meets what the part has made."""
    seen, waiting = set[str](), [key_of(loss.name) for loss in step.losses]
    while waiting and len(seen) < _MOST:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for made in definitions_of(step.source, name):
            for node, around in _elements(step, made.value, ()):
                value = step.value(text_of(node))
                if not is_exact_tensor(value) or requires_grad(value):
                    waiting.append(text_of(node))
                    continue
                meeting = _meeting(step, around, part, uses)
                if not meeting or not _is_data(step, value) or _is_made_by(step, part, node, step.level):
                    continue
                if not (_weighs(step, value, meeting) and not _has_likelihoods(step, uses)):
                    return True
    return False


class Surrounding(Record):
    """An operation around an expression: what it is, and its other operands."""

    node: ast.AST
    others: tuple[ast.expr, ...]


_Around = tuple[Surrounding, ...]  #: the nearest one last


def _elements(step: Step, node: ast.AST, around: _Around) -> Iterator[tuple[ast.expr, _Around]]:
    """The names in an expression whose elements count in it, but what is only given to a model."""
    if isinstance(node, ast.expr) and is_name(node):
        yield node, around
        return
    operands: list[ast.expr] = []
    if isinstance(node, ast.Call):
        callee = text_of(node.func)
        if _is_model(step, callee) or last_name(node.func) in METADATA | SHAPE_ONLY:
            return
        operands = [*node.args, *(keyword.value for keyword in node.keywords)]
        if _is_model(step, parent_of(callee) or ""):
            around = ()  # what it gives is its own
        elif isinstance(node.func, ast.Attribute):
            operands.append(node.func.value)
    elif not (isinstance(node, ast.Attribute) and node.attr in METADATA):
        operands = [below for below in ast.iter_child_nodes(node) if isinstance(below, ast.expr)]
    for at, one in enumerate(operands):
        yield from _elements(step, one, (*around, Surrounding(node, (*operands[:at], *operands[at + 1 :]))))


def _is_model(step: Step, expression: str) -> bool:
    """Whether it is a module in sight with parameters: no loss, nor anything else that is as good as a function."""
    found = step.module_of(expression, step.level)
    return found is not None and bool(parameters_of(found.value))


def _meeting(step: Step, around: _Around, part: Member, uses: list[AutogradNode]) -> _Around:
    """The operations up to the nearest one whose other operands models have made, if some of these depend on the part."""
    for at in range(len(around) - 1, -1, -1):
        known = [met for one in around[at].others for met in _makers(step, one, part, uses)]
        if known:
            return around[at:] if any(known) else ()
    return ()


def _weighs(step: Step, value: Any, meeting: _Around) -> bool:
    """Whether what meets the output of a part only says how much it counts: a mask, a weight. It is a factor, never negative."""
    first, *inner = meeting
    is_factor = isinstance(first.node, ast.BinOp) and isinstance(first.node.op, (ast.Mult, ast.Div))
    is_factor = is_factor or (isinstance(first.node, ast.Call) and last_name(first.node.func) in _WEIGHING)
    if not is_factor or not all(not one.others or _is_shaping(one.node) for one in inner):
        return False
    stats = step.stats(value)
    is_counted = dtype_of(value) is torch.bool or dtype_of(value).is_floating_point
    return is_counted and stats is not None and stats["min"] is not None and stats["min"] >= 0


def _is_shaping(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) or (isinstance(node, ast.Call) and last_name(node.func) in _SHAPING)


def _has_likelihoods(step: Step, uses: list[AutogradNode]) -> bool:
    found = [node for root in step.loss_nodes() for node in step.graph.below(root, *_LIKELIHOODS)]
    return any(step.graph.reaches(node, use) for node in found for use in uses)


def _makers(step: Step, operand: ast.expr, part: Member, uses: list[AutogradNode]) -> Iterator[bool]:
    """For each result of a model in an operand: whether the part has contributed to it."""
    values = [value for value in map(step.value, names_in(operand)) if is_exact_tensor(value)]
    nodes = [node for value in values if (node := step.node_of(value)) is not None]
    for node in nodes:
        yield any(step.graph.reaches(node, use) for use in uses)
    for found in () if nodes else modules_behind(step, operand, step.level):
        member = step.members.get(id(found.value))
        yield part.is_in(found.value) or (member is not None and member[1].is_in(part.module))


def _is_made_by(step: Step, part: Member, value: ast.expr | None, level: int) -> bool:
    members = (step.members.get(id(found.value)) for found in modules_behind(step, value, level))
    return any(member is not None and member[1].is_in(part.module) for member in members)


def _is_data(step: Step, value: Any) -> bool:
    return is_exact_tensor(value) and not requires_grad(value) and _varies(step, value)


def _varies(step: Step, value: Any) -> bool:
    stats = step.stats(value)
    return stats is not None and stats["min"] != stats["max"]
