"""Finds differences that broadcast to all pairs in functions that the step calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from ......measure.torch.metadata import is_exact_tensor, shape_of
from ......measure.torch.modules import is_module
from ......measure.torch.node import AutogradNode
from ......words.text import shape
from .....step.expressions import is_name, last_name, names_in, shown_text, text_of
from .....step.functions import Called, functions_called
from .....step.step import Step
from ....finding import Violation

#: what an error goes through until it is averaged
OF_AN_ERROR = frozenset(
    "Abs Clamp ClampMax ClampMin Div Huber HuberLoss Mean Mul Neg Pow SmoothL1Loss Sqrt Sub Sum Where".split()
)
#: what gives a value another dimension on purpose
_ADDING = frozenset(
    "T mT t cdist expand meshgrid new_axis newaxis outer permute repeat reshape transpose unsqueeze view".split()
)
#: what takes the dimension along which it goes away
_TAKING = frozenset("amax amin max mean min select squeeze sum".split())


def crossed_in_callees(step: Step, squares: Iterable[AutogradNode]) -> Iterator[Violation]:
    """``target - q`` in a function that the frame calls: by the graph (N, 1) minus what has no gradient made N x N, by the
    source the other side is (N,), and all of it is averaged."""
    for node in squares:
        sides = [step.graph.input(node, at) for at in (0, 1)]
        at = 0 if sides[1] is None else 1
        column = sides[at]
        rows = (node.sizes() or (0,))[0]
        if column is None or sides[1 - at] is not None or column.sizes() != (rows, 1) or not _is_averaged(step, node):
            continue
        places = [(called, one) for called in functions_called(step) for one in _differences(called, column, at)]
        if len(places) != 1:
            continue
        called, written = places[0]
        prediction, other = (written.left, written.right) if at == 0 else (written.right, written.left)
        if not _is_row(called, other, rows):
            continue
        names = [shown_text(side) for side in (prediction, other)]
        yield Violation(
            (
                f"{shown_text(written)} in {called.source.function} met {names[0]} of {(rows, 1)} and {names[1]} of {(rows,)}",
                ": ",
                f"{rows} x {rows} pairs",
            ),
            *((variable.name, f"shape {shape((rows, rows))}") for variable in _named(step, node)),
            line=(called.source.file, written.lineno),
            suggestion="give both one shape: squeeze the one or unsqueeze the other",
        )
        return


def _named(step: Step, node: AutogradNode) -> list[Any]:
    variable = step.tensor_at(node)
    return [] if variable is None else [variable]


def _is_averaged(step: Step, node: AutogradNode) -> bool:
    """Whether all that is made of a difference leads to losses, by what is done with an error."""
    roots = {id(root) for loss in step.losses if (root := step.node_of(loss.tensor)) is not None}
    waiting, seen, ends = [node], set[int](), False
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if id(current) in roots:
            ends = True
            continue
        if current is not node and current.op not in OF_AN_ERROR and current.sizes() != ():
            return False
        waiting += [user for user, _ in step.graph.users(current)]
    return ends


def _differences(called: Called, column: AutogradNode, at: int) -> Iterator[ast.BinOp]:
    """The differences in a function whose side is what made a column: a call of that name, or of a module."""
    for node in called.source.nodes:
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
            continue
        made = _bound(called, (node.left, node.right)[at])
        if not isinstance(made, ast.Call):
            continue
        if last_name(made.func).replace("_", "") == column.op.lower() or is_module(called.value(text_of(made.func))):
            yield node


def _bound(called: Called, node: ast.expr) -> ast.expr | None:
    """What the only binding of a name binds; another expression itself."""
    if not isinstance(node, ast.Name):
        return node
    bound = [getattr(one, "value", None) for _, one in called.source.bindings.get(node.id, ())]
    return bound[0] if len(bound) == 1 and isinstance(bound[0], ast.expr) else None


def _is_row(called: Called, node: ast.expr, rows: int) -> bool:
    """Whether a side has one dimension: by its value, or as a part of it has lost one, and none has gained one."""
    value = called.value(text_of(node)) if is_name(node) else None
    if value is not None:
        return is_exact_tensor(value) and tuple(shape_of(value)) == (rows,)
    parts, seen, waiting = list[ast.expr](), set[str](), [node]
    while waiting:
        part = waiting.pop()
        parts.append(part)
        for name in set(names_in(part)) - seen:
            seen.add(name)
            waiting += [bound for bound in (_bound(called, ast.Name(name)),) if bound is not None]
    if any(_adds(below) for part in parts for below in ast.walk(part)):
        return False
    return any(_loses(term) for part in parts for term in _terms(part))


def _adds(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return any(isinstance(one, ast.Constant) and one.value is None for one in ast.walk(node.slice))
    return isinstance(node, (ast.Attribute, ast.Name)) and last_name(node) in _ADDING


def _terms(node: ast.expr) -> Iterator[ast.expr]:
    """What a sum or a product is made of."""
    if isinstance(node, ast.BinOp):
        yield from _terms(node.left)
        yield from _terms(node.right)
    else:
        yield node


def _loses(node: ast.expr) -> bool:
    """Whether a call takes a dimension away: ``squeeze(1)``, ``max(1)[0]``, ``amax(-1)``, and does not keep it."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    is_taking = isinstance(node, ast.Call) and last_name(node.func) in _TAKING and bool(node.args)
    return is_taking and not any(one.arg == "keepdim" for one in node.keywords)  # type: ignore[attr-defined]
