"""Tells what a model is called for: to draw samples, to make something of noise, or to learn the shape of its output."""

from __future__ import annotations

import ast

from ......measure.torch.modules import Member, is_module
from .....flow.ops import CONSTANT, METADATA, RANDOM, UNINITIALIZED
from .....step.calls import Call
from .....step.expressions import bound_in, last_name, root_of
from .....step.functions import functions_called_by_all, value_in
from .....step.grad_mode import off_at
from .....step.source import Source
from .....step.step import Step

_ONE_NUMBER = CONSTANT.union(UNINITIALIZED)


def is_drawn_again(source: Source, call: Call) -> bool:
    """Whether a model is called some times with the same: ``[net(x) for _ in range(8)]``, or in a loop in which nothing
    else than the call makes a difference, since gradients are off around it."""
    given = {
        node.id for one in (*call.args, *call.keywords.values()) for node in ast.walk(one) if isinstance(node, ast.Name)
    }
    around = [
        node for node in source.nodes if any(one is call.node for part in _repeated(node) for one in ast.walk(part))
    ]
    if not around:
        return False
    innermost = around[-1]
    bound = {name for node in ast.walk(innermost) for name in _bound_by(node)}
    if isinstance(innermost, (ast.For, ast.While)) and off_at(source, innermost.lineno) is None:
        return False
    return given.isdisjoint(bound)


def _repeated(node: ast.AST) -> list[ast.AST]:
    """What runs again and again."""
    if isinstance(node, (ast.For, ast.While)):
        return list(node.body)
    return [node.elt] if isinstance(node, (ast.ListComp, ast.GeneratorExp)) else []


def _bound_by(node: ast.AST) -> list[str]:
    if isinstance(node, (ast.For, ast.comprehension)):
        return list(bound_in(node.target))
    return [node.id] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else []


def is_sampled(step: Step, member: Member) -> bool:
    """Whether a model, in which a module is, is drawn from again and again in the frames in sight, or where these call."""
    for level, source in enumerate(step.sources):
        for call in source.calls:
            value = value_in(step, call.callee, level)
            if is_module(value) and member.is_in(value) and is_drawn_again(source, call):
                return True
    return any(
        is_module(value := called.value(call.callee)) and member.is_in(value) and is_drawn_again(called.source, call)
        for called in functions_called_by_all(step)
        for call in called.source.calls
    )


def is_given_noise(step: Step, call: Call) -> bool:
    """Whether a model makes something of random numbers: no data is in them."""
    given = call.args[:1]
    names = [root_of(node.id) for one in given for node in ast.walk(one) if isinstance(node, ast.Name)]
    bound = [node for source in step.sources for name in names for _, node in source.bindings.get(name, ())]
    nodes = (node for one in (*given, *bound) for node in ast.walk(one))
    return any(isinstance(node, ast.Call) and last_name(node.func) in RANDOM for node in nodes)


def is_tried_out(step: Step, call: Call) -> bool:
    """Tells whether a model is called to learn the shape of its result.

    Then it is given one number everywhere, unlike a batch that is multiplied with a mask of ones; or the shape is all that
    is asked for.
    """
    given = [one for one in call.args[:1] if not isinstance(one, ast.BinOp)]
    names = {node.id for one in given for node in ast.walk(one) if isinstance(node, ast.Name)}
    bound = [getattr(node, "value", None) for name in names for _, node in step.here.bindings.get(name, ())]
    made = [one for one in (*given, *bound) if isinstance(one, ast.Call)]
    is_about = any(
        isinstance(node, ast.Attribute) and node.attr in METADATA and node.value is call.node
        for node in step.here.nodes
    )
    return is_about or any(last_name(one.func) in _ONE_NUMBER for one in made)


def meets_an_argument(source: Source, call: Call) -> bool:
    """Whether what a model gives meets labels that the function was given with its input, in a loss or a comparison."""
    given, arguments = names_below(call.node), set(source.arguments[1:])
    unpacked = [
        ({name for target in statement.targets for name in bound_in(target)}, names_below(statement.value) & arguments)
        for statement in source.statements
        if isinstance(statement, ast.Assign) and call.node is not statement.value
    ]
    batch = {argument for names, of in unpacked if names & given for argument in of} or given & arguments
    labels = {name for names, of in unpacked if of & batch for name in names}
    others = labels - given - {call.target or ""}
    meeting = (node for node in source.nodes if isinstance(node, (ast.Compare, ast.Call)))
    return call.target is not None and any(call.target in met and met & others for met in map(names_below, meeting))


def names_below(node: ast.AST) -> set[str]:
    return {below.id for below in ast.walk(node) if isinstance(below, ast.Name)}
