"""How the source writes what a node of the graph has made: the variable's name, or the text in a loss's call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...measure.torch.graph import VIEWS, Node
from ...measure.torch.modules import Member, is_of
from ..step.expressions import text_of
from ..step.sight import Thing
from ..step.source import Call, Source
from ..step.step import Step
from .classes import function_called, is_library, methods_of
from .losses import loss_calls
from .places import Line, assigned, made

_LONG = 40  #: a longer text of an expression is cut
#: Of each node of a loss, the functions that make it.
_LOSSES = {
    "LogSoftmax": ("cross_entropy",),
    "NllLoss": ("nll_loss", "cross_entropy"),
    "NllLoss2D": ("nll_loss", "cross_entropy"),
    "MseLoss": ("mse_loss",),
    "L1Loss": ("l1_loss",),
    "SmoothL1Loss": ("smooth_l1_loss",),
    "HuberLoss": ("huber_loss",),
    "BinaryCrossEntropy": ("binary_cross_entropy",),
    "BinaryCrossEntropyWithLogits": ("binary_cross_entropy_with_logits",),
    "KlDiv": ("kl_div",),
    "Sub": ("l1_loss",),
}
#: Of an activation's node, the function that makes it. Its module has the name of the node.
_FUNCTIONS = {"Softmax": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid"}


class Written:
    """``name``: the variable, else the expression as the source writes it; ``expression``: only a variable's name.

    ``line``: where the operation itself is called, or the layer made, as far as the source tells it; else where the
    variable is bound, or the loss called.
    """

    __slots__ = ("expression", "line", "name")

    def __init__(self, name: str | None = None, expression: str | None = None, line: Line | None = None) -> None:
        self.name = name
        self.expression = expression
        self.line = line


def written(step: Step, node: Node) -> Written:
    name = step.title_of(node)
    if name is None:
        return _in_a_loss(step, node)
    for view, source in enumerate(step.sources):
        found = source.value_of(name.replace('"', "'"))
        value: Any = None if found is None else getattr(found[1], "value", None)
        if found is not None:
            return Written(name, name, _line_of_op(step, node, value, view) or (source.file, found[0]))
    return Written(name, name, made(step, name))


def _in_a_loss(step: Step, node: Node) -> Written:
    """The argument of the only loss in sight that can have made what uses the node."""
    for user, position in _users(step, node):
        calls = [one for one in loss_calls(step) if one.kind in _LOSSES.get(user.op, ())]
        argument = calls[0].call.argument(position, ("input", "target")[position]) if len(calls) == 1 else None
        if argument is not None:
            one, text = calls[0], text_of(argument).replace("'", '"')
            line = _line_of_op(step, node, argument, one.view) or (step.sources[one.view].file, one.call.lineno)
            return Written(text if len(text) <= _LONG else text[: _LONG - 1] + "…", None, line)
    return Written()


def _users(step: Step, node: Node) -> Iterator[tuple[Node, int]]:
    """What uses a node as an input or a target, also behind views."""
    waiting = list(step.graph.users(node))
    while waiting:
        user, position = waiting.pop(0)
        if user.op in VIEWS or user.op == "Expand":
            waiting += step.graph.users(user)
        elif position < 2 and (user.op != "Sub" or _is_absolute(step, user)):
            yield user, position


def _is_absolute(step: Step, node: Node) -> bool:
    """Whether only the size of a difference is used, as in an l1_loss."""
    return all(user.op == "Abs" for user, _ in step.graph.users(node))


def _line_of_op(step: Step, node: Node, value: ast.AST | None, view: int) -> Line | None:
    """The line in which an expression, or what it calls, runs an activation, or in which its layer is made."""
    function = _FUNCTIONS.get(node.op)
    calls = [Call(below, None, False) for below in ast.walk(value or ast.Pass()) if isinstance(below, ast.Call)]
    for call in calls if function is not None else ():
        if call.name == function:
            return step.sources[view].file, call.lineno
    for call in calls if function is not None else ():
        called = step.module_of(call.callee, view)
        found = _in_module(step, called, node.op) if called is not None else _in_function(step, call, view, node.op)
        if found is not None:
            return found
    return None


def _in_function(step: Step, call: Call, view: int, op: str) -> Line | None:
    source = function_called(step, call, view)
    return None if source is None else _called_in(source, op)


def _called_in(source: Source, op: str) -> Line | None:
    calls = source.calls_of(_FUNCTIONS[op])
    return (source.file, calls[-1].lineno) if calls else None


def _in_module(step: Step, called: Thing, op: str) -> Line | None:
    """Where the forward of a module, or of a part of it, runs the activation; else where its last such layer is made."""
    layers: list[tuple[str, Member]] = []
    for name, member in step.members.values():
        if not _is_part(member, called.value):
            continue
        if is_of(member.module, op):
            layers.append((name, member))
        forward = None if is_library(type(member.module)) else dict(methods_of(type(member.module))).get("forward")
        found = None if forward is None else _called_in(forward, op)
        if found is not None:
            return found
    if not layers:
        return None
    layer: Member | None = layers[-1][1]
    while layer is not None and layer.parent is not None:
        if not is_library(type(layer.parent.module)):
            return assigned(type(layer.parent.module), layer.name.rpartition(".")[2])
        layer = layer.parent
    return made(step, called.name)


def _is_part(member: Member | None, top: Any) -> bool:
    while member is not None and member.module is not top:
        member = member.parent
    return member is not None
