"""Works out how many dimensions an expression in the source has, from the values in sight."""

from __future__ import annotations

import ast
from typing import Any

from ......measure.torch.metadata import dtype_of, is_exact_tensor, shape_of
from ......safe.guard import Classes, module
from .....step.expressions import is_name, text_of, without_moves
from .....step.step import Step

torch: Any = module("torch")
_NESTED = 4  #: subscripts in one another
_ROWS = Classes(list, range, slice)


def rank_of(step: Step, node: ast.expr | None, level: int, line: int, depth: int = 0) -> int | None:
    """The number of dimensions of ``y``, ``y.float()``, ``y[rows]`` or ``y[order[a:b]]``; None where it is not known."""
    node = without_moves(node)
    variable = step.operand(node, level, line)
    if variable is not None:
        return len(shape_of(variable.value)) if is_exact_tensor(variable.value) else None
    if not isinstance(node, ast.Subscript) or depth == _NESTED:
        return None
    rank = rank_of(step, node.value, level, line, depth + 1)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    changes = [_change(step, part, level, line, depth) for part in parts]
    chosen = [part for part in parts if not isinstance(part, (ast.Slice, ast.Constant))]
    if rank is None or None in changes or len(chosen) > 1:
        return None
    return rank + sum(change or 0 for change in changes)


def _change(step: Step, part: ast.expr, level: int, line: int, depth: int) -> int | None:
    """How many dimensions a part of a subscript adds."""
    if isinstance(part, ast.Slice):
        return 0
    if isinstance(part, ast.Constant):
        if part.value is None:
            return 1
        return -1 if type(part.value) is int else None
    if is_name(part):
        value = step.value(text_of(part), level)
        if type(value) is int:
            return -1
        if type(value) in _ROWS:
            return 0
        if is_exact_tensor(value):
            is_mask = dtype_of(value) is torch.bool
            return 1 - len(shape_of(value)) if is_mask else len(shape_of(value)) - 1
        return None
    return 0 if rank_of(step, part, level, line, depth + 1) == 1 else None
