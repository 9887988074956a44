"""Evaluates a condition in the source, where the values that it compares are in sight."""

from __future__ import annotations

import ast
from typing import Any

from ....safe.guard import NUMBERS, Classes
from ...step.expressions import is_name, root_of, text_of
from ...step.functions import value_in
from ...step.statements import last_line
from ...step.step import Step

COMPARING: dict[type, Any] = {
    ast.Eq: lambda one, other: one == other,
    ast.NotEq: lambda one, other: one != other,
    ast.Lt: lambda one, other: one < other,
    ast.LtE: lambda one, other: one <= other,
    ast.Gt: lambda one, other: one > other,
    ast.GtE: lambda one, other: one >= other,
    ast.Is: lambda one, other: one is other,
    ast.IsNot: lambda one, other: one is not other,
}
_PLAIN = Classes(bool, int, float, str)
_UNKNOWN = object()


def will_surely_run(step: Step, line: int, level: int) -> bool:
    """Whether a line further down runs: every condition on the way is met now."""
    source = step.sources[level]
    if source.are_alternatives(source.lineno, line):
        return False
    if source.will_reach(line):
        return True
    if any(source.lineno <= at < line for at in source.exits):
        return False
    asked = [
        (node.test, node.body[0].lineno <= line <= (node.body[-1].end_lineno or line))
        for node in source.nodes
        if isinstance(node, ast.If)
        and source.lineno <= node.lineno
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    known = len(asked) == sum(
        first <= line <= last and not first < source.lineno <= last for first, last in source.branches
    )
    return known and all(_outcome(step, test, level) is wanted for test, wanted in asked)


def is_foretold(step: Step, line: int, level: int) -> bool:
    """Whether a line has run or surely will, outside of any ``try`` with a handler."""
    source = step.sources[level]
    is_tried = any(
        isinstance(node, ast.Try) and node.handlers and node.lineno < line <= last_line(node.body[-1])
        for node in source.nodes
    )
    if line < source.lineno:
        return not source.is_conditional(line, seen_from=source.lineno)
    return not is_tried and will_surely_run(step, line, level)


def _outcome(step: Step, test: ast.expr, level: int) -> bool | None:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _outcome(step, test.operand, level)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        each = [_outcome(step, one, level) for one in test.values]
        decides = isinstance(test.op, ast.Or)
        if decides in each:
            return decides
        return None if None in each else not decides
    if not isinstance(test, ast.Compare):
        value = number_or_text(step, test, level)
        return None if value is _UNKNOWN else bool(value)
    compare = COMPARING.get(type(test.ops[0])) if len(test.ops) == 1 else None
    sides = [number_or_text(step, side, level) for side in (test.left, test.comparators[0])]
    if compare is None or _UNKNOWN in sides:
        return None
    try:
        return bool(compare(*sides))
    except TypeError:
        return None


def number_or_text(step: Step, node: ast.expr, level: int) -> Any:
    """The number, text, bool or None that an expression is; else ``_UNKNOWN``."""
    if isinstance(node, ast.Constant):
        return node.value if node.value is None or type(node.value) in _PLAIN else _UNKNOWN
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number_or_text(step, node.operand, level)
        return -value if type(value) in NUMBERS else _UNKNOWN
    name, source = text_of(node), step.sources[level]
    is_kept = is_name(node) and source.is_current(name, node.lineno, node.col_offset)
    if not is_kept or source.will_change(root_of(name), node.lineno):
        return _UNKNOWN
    value = value_in(step, name, level)
    return value if type(value) in _PLAIN else _UNKNOWN


def number_of(step: Step, node: ast.expr | None, level: int) -> float | None:
    """The number that an expression is, where that is known."""
    value = None if node is None else number_or_text(step, node, level)
    return value if type(value) in NUMBERS else None
