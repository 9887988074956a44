"""Finds sums that a source keeps by a name, and what sets them back."""

from __future__ import annotations

import ast

from ...step.expressions import parent_of, text_of
from ...step.source import Source


def additions(source: Source, name: str) -> list[tuple[int, ast.AST]]:
    """Where a source adds to a name or to an item: ``total += c``, ``totals[k] = totals[k] + c``."""
    found: list[tuple[int, ast.AST]] = [
        (line, node)
        for line, node in source.bindings.get(name, ())
        if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and _adds_to(node.value, name))
    ]
    parent = parent_of(name) if name.endswith("]") else None
    for line, node in source.bindings.get(parent, ()) if parent is not None else ():
        if adds_to_item(node, parent):
            found.append((line, node))
    return found


def adds_to_item(node: ast.AST, container: str | None) -> bool:
    """Whether a statement adds to an item of a container, whichever it is."""
    target: ast.AST | None = node.target if isinstance(node, ast.AugAssign) else None
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    if not isinstance(target, ast.Subscript) or text_of(target.value) != container:
        return False
    return isinstance(node, ast.AugAssign) or (isinstance(node, ast.Assign) and _adds_to(node.value, text_of(target)))


def is_reset_in(source: Source, name: str) -> bool:
    """Whether a method binds an attribute to anything but a sum with itself.

    A first value does not count: ``if self.mean is None: self.mean = loss``.
    """
    adds = [added for _, added in additions(source, name)]
    bound = (*source.bindings.get(name, ()), *source.bindings.get(parent_of(name) or "", ()))
    return any(all(node is not added for added in adds) and not _is_first(source, name, line) for line, node in bound)


def _is_first(source: Source, name: str, line: int) -> bool:
    """Whether a line runs only where a name is None: ``if self.mean is None: …``."""
    return any(
        isinstance(node, ast.If)
        and text_of(node.test) == f"{name} is None"
        and node.body[0].lineno <= line
        and line <= (node.body[-1].end_lineno or line)
        for node in source.nodes
    )


def _adds_to(value: ast.expr, name: str) -> bool:
    """Whether an expression is a sum with the name in it: ``0.9 * name + 0.1 * loss``.

    A cell's new state is none, nor is ``name.detach()``.
    """
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        sides = (value.left, value.right)
        scaled = [one for one in sides if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)]
        return any(_adds_to(one, name) for one in sides) or any(
            name in (text_of(one.left), text_of(one.right)) for one in scaled
        )
    if isinstance(value, ast.IfExp):
        later = _once_begun(value, name)
        return later is not None and _adds_to(later, name)
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "get"
        and value.args
    ):
        return f"{text_of(value.func.value)}[{text_of(value.args[0])}]" == name
    return text_of(value) == name


def _once_begun(value: ast.IfExp, name: str) -> ast.expr | None:
    """The arm of a conditional expression that runs once the name is not None."""
    branches = {f"{name} is None": value.orelse, f"{name} is not None": value.body}
    return branches.get(text_of(value.test))
