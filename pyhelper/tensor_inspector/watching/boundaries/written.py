"""Whether the program writes a tensor down, as ``torch.tensor([nan])``, and only then gives it to a call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ...lenses.step.expressions import last_name
from ...safe.guard import module
from ..places import user_frame
from .scopes import Scope

if TYPE_CHECKING:
    from types import FrameType

torch: Any = module("torch")

_MAKERS = frozenset("tensor as_tensor asarray from_numpy frombuffer load full scalar_tensor".split())


def is_written_for_call(value: Any, frame: FrameType | None) -> bool:
    """Whether the call in the user's line takes a value that nothing else can have computed with."""
    found = user_frame(frame)
    if found is None:
        return False
    scope, line = Scope.of_frame(found), found.f_lineno
    calls = [
        node
        for node in ast.walk(scope.tree or ast.Pass())
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or line)
    ]
    given = [call.args[0] for call in calls if call.args and _takes(call, scope)]
    if len(given) != 1:
        return False
    expression = given[0]
    if not isinstance(expression, ast.Name):
        return _is_written(expression, scope)
    bound = scope.bound(expression.id)
    is_it = scope.variables.get(expression.id) is value
    return is_it and len(bound) == 1 and _is_written(bound[0], scope) and _is_first_use(expression, scope)


def _takes(call: ast.Call, scope: Scope) -> bool:
    """Whether it is ``backward``, or a call of a module."""
    held = scope.value(call.func)
    return isinstance(held, torch.nn.Module) or last_name(call.func) == "backward"


def _is_written(expression: ast.expr, scope: Scope) -> bool:
    if not isinstance(expression, ast.Call) or last_name(expression.func) not in _MAKERS:
        return False
    return isinstance(expression.func, ast.Attribute) and scope.value(expression.func.value) is torch


def _is_first_use(name: ast.Name, scope: Scope) -> bool:
    uses = [
        node
        for node in ast.walk(scope.tree)
        if isinstance(node, ast.Name) and node.id == name.id and isinstance(node.ctx, ast.Load)
    ]
    first = min(uses, key=lambda node: (node.lineno, node.col_offset))
    return first is name and not any(
        isinstance(node, (ast.For, ast.While, ast.Lambda)) for node in ast.walk(scope.tree)
    )
