"""Finds the calls of modules that a backward still follows, and what runs before them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....safe.record import Record
from ...step.calls import Backward, Call
from ...step.expressions import SCOPES, is_name, last_name, text_of
from ...step.functions import calls_module
from ...step.sight import VisibleVariable
from ...step.source import Source
from ...step.step import Step
from ..ops import DETACHING, METADATA, NON_DIFFERENTIABLE, SHAPE_ONLY
from .between import Between

_CONDITIONS = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEFT_OUT = (*SCOPES, ast.Compare, *_CONDITIONS)  #: what gives no gradient, or may not be evaluated
_CUTS = frozenset((*DETACHING, *NON_DIFFERENTIABLE, *SHAPE_ONLY))


class ComingCall(Record):
    """A module's call that has not returned yet, and the backward computed from its result."""

    call: Call
    variable: VisibleVariable
    backward: Backward


def coming_calls(step: Step) -> Iterator[ComingCall]:
    """The calls of modules that surely come, or run now, with gradients on.

    In the frame with the backward, in this iteration of its loop.
    """
    source = step.source
    for call, variable, level in step.calls_of_modules() if step.grad_mode else ():
        if level != step.level or call.lineno < source.lineno or (step.level and not _runs(step, call, variable)):
            continue
        backward = next((one for one in source.backwards if _is_of_this_round(source, call, one)), None)
        if (
            backward is not None
            and source.is_current(call.callee, call.lineno)
            and will_run(source, call.node)
            and will_run(source, backward.call.node)
        ):
            yield ComingCall(call, variable, backward)


def _runs(step: Step, call: Call, variable: VisibleVariable) -> bool:
    """Whether it is the call of the module whose forward runs in the next frame."""
    inner = step.sources[step.level - 1]
    is_its = inner.function == "forward" and step.value(inner.self_name, step.level - 1) is variable.value
    return is_its and call.lineno == step.source.lineno


def _is_of_this_round(source: Source, call: Call, backward: Backward) -> bool:
    first, last = source.loop_of(call.lineno) or (0, float("inf"))
    return first <= backward.lineno <= last and backward.lineno >= call.lineno


def is_computed_from(step: Step, coming: ComingCall) -> bool:
    """Whether a backward is computed from the result of a call, without being detached in sight."""
    source, call, backward = step.source, coming.call, coming.backward
    made: set[str] = set()
    if _is_computed_with(step, backward.call.node, call, made):
        return True
    bound = [
        (name, node.value)
        for name, nodes in source.bindings.items()
        for line, node in nodes
        if call.lineno <= line <= backward.lineno and isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
    ]
    known = -1
    while len(made) > known:
        known = len(made)
        made |= {name for name, value in bound if value is not None and _is_computed_with(step, value, call, made)}
    return bool(made & set(backward.mentioned))


def _is_computed_with(step: Step, value: ast.expr, call: Call, made: set[str]) -> bool:
    """Whether an expression is differentiable in the result of a call, or in these names."""
    waiting: list[ast.AST] = [value]
    while waiting:
        node = waiting.pop()
        if node is call.node or (is_name(node) and text_of(node) in made):
            return True
        name = node.attr if isinstance(node, ast.Attribute) else ""
        called = last_name(node.func) if isinstance(node, ast.Call) else ""
        if called in _CUTS and calls_module(step, node, step.level):
            called = ""
        if not isinstance(node, _LEFT_OUT) and name not in METADATA and {name, called}.isdisjoint(_CUTS):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def may_change(step: Step, coming: ComingCall, line: int, *names: str) -> bool:
    """Whether code between the stop and a line may set these attributes, or call such methods."""
    return not Between(step, coming.call.node, line, names).changes_nothing()


def will_run(source: Source, node: ast.AST) -> bool:
    """Whether an expression is surely evaluated: no condition is still to decide."""
    line: int = getattr(node, "lineno", 0)
    is_in_its_loops = all(first < source.lineno <= last for first, last in source.loops if first <= line <= last)
    return is_in_its_loops and source.will_reach(line) and not _is_undecided(source, node)


def _is_undecided(source: Source, node: ast.AST) -> bool:
    """Whether an expression may be left out: an arm of a condition, an item of a comprehension."""
    around = (outer for outer in source.nodes if isinstance(outer, _CONDITIONS))
    return any(below is node for outer in around for below in ast.walk(outer))
