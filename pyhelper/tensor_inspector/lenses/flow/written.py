"""Finds how the source writes the result of a graph node: a variable, or an expression."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.graph import VIEWS
from ...measure.torch.modules import Member, is_of
from ...measure.torch.node import AutogradNode
from ...safe.guard import class_name
from ...safe.record import Record
from ..step.calls import Call
from ..step.classes import forward_of, function_called, is_library
from ..step.expressions import key_of, short_text
from ..step.functions import functions_called, functions_called_by_all
from ..step.sight import VisibleVariable
from ..step.source import Source
from ..step.step import Step
from .lines import Line, line_of_assignment, line_of_last_binding
from .losses import loss_calls, loss_function
from .ops import ERRORS

_LONG = 40  #: a longer text of an expression is cut
#: Of each node of a loss, the functions that make it.
_LOSSES = {**ERRORS, "LogSoftmax": ("cross_entropy",), "KlDiv": ("kl_div",), "Sub": ("l1_loss",)}
#: Of an activation's node, the function that makes it. Its module has the name of the node.
_FUNCTIONS = {"Softmax": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid"}


class Written(Record):
    """A graph node in the source: the variable's name, else the expression.

    ``expression``: only a variable's name. ``line``: where the operation itself is called, or the layer made, as far
    as the source tells it; else where the variable is bound, or the loss called.
    """

    name: str | None = None
    expression: str | None = None
    line: Line | None = None


def written(step: Step, node: AutogradNode) -> Written:
    """How the source spells a node's result: a variable in sight, else a loss's argument."""
    name = step.title_of(node)
    if name is None:
        return _in_a_loss(step, node)
    for level, source in enumerate(step.sources):
        found = source.binding_of(key_of(name))
        value: Any = None if found is None else getattr(found[1], "value", None)
        if found is not None:
            return Written(name, name, _line_of_op(step, node, value, level) or (source.file, found[0]))
    return Written(name, name, line_of_last_binding(step, name))


def _in_a_loss(step: Step, node: AutogradNode) -> Written:
    """The argument of the only loss in sight that can have made the node's user."""
    for user, position in _users(step, node):
        found = _argument(step, node, _LOSSES.get(user.op, ()), position)
        if found is not None:
            return found
    return _only_call(step, node)


def _only_call(step: Step, node: AutogradNode) -> Written:
    """The only call of an activation's function, in frames or functions they call."""
    name = _FUNCTIONS.get(node.op)
    sources = [step.sources[level] for level in step.levels]
    sources += [called.source for called in functions_called(step)] if name is not None else []
    calls = {(source.file, call.lineno): call for source in sources for call in source.calls if call.name == name}
    if len(calls) != 1:
        return Written()
    (line, call), *_ = calls.items()
    return Written(call.target or short_text(call.node, _LONG), None, line)


def written_for_kl_div(step: Step, node: AutogradNode) -> Written | None:
    """How the source writes the input of ``kl_div`` that a node made; else None."""
    found = _argument(step, node, ("kl_div",), 0)
    return found if found is None or step.title_of(node) is None else written(step, node)


def _argument(step: Step, node: AutogradNode, functions: tuple[str, ...], position: int) -> Written | None:
    """An argument of the only loss of these functions, in frames or functions they call."""
    keyword = ("input", "target")[position]
    calls = [one for one in loss_calls(step) if one.function in functions]
    if calls:
        one, argument = calls[0], calls[0].call.argument(position, keyword)
        if len(calls) > 1 or argument is None:
            return None
        line = _line_of_op(step, node, argument, one.level) or (step.sources[one.level].file, one.call.lineno)
        return Written(short_text(argument, _LONG), None, line)
    below = [
        (called.source, call)
        for called in (functions_called(step) if functions else ())
        for call in called.source.calls
        if loss_function(call, called.value(call.callee)) in functions
    ]
    argument = below[0][1].argument(position, keyword) if len(below) == 1 else None
    return (
        None if argument is None else Written(short_text(argument, _LONG), None, (below[0][0].file, below[0][1].lineno))
    )


def _users(step: Step, node: AutogradNode) -> Iterator[tuple[AutogradNode, int]]:
    """What uses a node as an input or a target, also behind views."""
    waiting = list(step.graph.users(node))
    while waiting:
        user, position = waiting.pop(0)
        if user.op in VIEWS or user.op == "Expand":
            waiting += step.graph.users(user)
        elif position < 2 and (user.op != "Sub" or _is_absolute(step, user)):
            yield user, position


def _is_absolute(step: Step, node: AutogradNode) -> bool:
    """Whether only the size of a difference is used, as in an l1_loss."""
    return all(user.op == "Abs" for user, _ in step.graph.users(node))


def _line_of_op(step: Step, node: AutogradNode, value: ast.AST | None, level: int) -> Line | None:
    """The line of an expression that runs an activation, or that makes its layer."""
    function = _FUNCTIONS.get(node.op)
    calls = [Call(below, None, False) for below in ast.walk(value or ast.Pass()) if isinstance(below, ast.Call)]
    for call in calls if function is not None else ():
        if call.name == function:
            return step.sources[level].file, call.lineno
    for call in calls if function is not None else ():
        called = step.module_of(call.callee, level)
        found = _in_module(step, called, node.op) if called is not None else _in_function(step, call, level, node.op)
        if found is not None:
            return found
    return None


def _in_function(step: Step, call: Call, level: int, op: str) -> Line | None:
    source = function_called(step, call, level)
    return None if source is None else _called_in(source, op)


def _called_in(source: Source, op: str) -> Line | None:
    calls = source.calls_of(_FUNCTIONS[op])
    return (source.file, calls[-1].lineno) if calls else None


def _in_module(step: Step, called: VisibleVariable, op: str) -> Line | None:
    """Where a module's forward runs an activation, else where its last such layer is made."""
    layers: list[tuple[str, Member]] = []
    for name, member in step.members.values():
        if not member.is_in(called.value):
            continue
        if is_of(member.module, op):
            layers.append((name, member))
        forward = None if is_library(type(member.module)) else forward_of(type(member.module))
        found = None if forward is None else _called_in(forward, op)
        if found is not None:
            return found
    if not layers:
        return None
    layer: Member | None = layers[-1][1]
    while layer is not None and layer.parent is not None:
        if not is_library(type(layer.parent.module)):
            return line_of_assignment(type(layer.parent.module), layer.name.rpartition(".")[2])
        layer = layer.parent
    return _made_below(step, called.name, class_name(type(layers[-1][1].module))) or line_of_last_binding(
        step, called.name
    )


def _made_below(step: Step, name: str, cls: str) -> Line | None:
    """The only line that makes a layer of a class, in functions that make the model."""
    bound = [
        (level, node) for level, source in enumerate(step.sources) for _, node in source.bindings.get(name, ())[-1:]
    ]
    makers = {(level, id(below)) for level, node in bound for below in ast.walk(node) if isinstance(below, ast.Call)}
    lines = {
        (called.source.file, call.lineno)
        for called in functions_called_by_all(step)
        if (called.level, id(called.call.node)) in makers
        for call in called.source.calls_of(cls)
    }
    return lines.pop() if len(lines) == 1 else None
