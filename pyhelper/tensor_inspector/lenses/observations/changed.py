"""Whether the source changes a value in place, by what it is called there."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ..flow.effects import PUTTING, TAKING
from ..step.expressions import text_of
from ..step.source import Source

#: The methods of lists, dicts and sets that change them.
METHODS = frozenset((*PUTTING, *TAKING))


def is_changed(
    source: Source, names: Collection[str], items_of: Collection[str] = (), methods: Collection[str] = METHODS
) -> bool:
    """Whether what one of the ``names`` holds is changed, or an item of what one of ``items_of`` holds.

    By ``+=``, by an item, by ``out=``, by one of the ``methods``, or by a method whose name ends with ``_``.
    """
    loops = (node for node in source.nodes if isinstance(node, (ast.For, ast.AsyncFor)))
    held = {*names, *(text_of(loop.target) for loop in loops if text_of(loop.iter) in items_of)}
    for node in source.nodes:
        for changed in _changed_by(node, methods):
            if text_of(changed) in held or (isinstance(changed, ast.Subscript) and text_of(changed.value) in items_of):
                return True
    return False


def _changed_by(node: ast.AST, methods: Collection[str]) -> list[ast.expr]:
    if isinstance(node, ast.AugAssign):
        return [node.target]
    if isinstance(node, ast.Subscript):
        return [] if isinstance(node.ctx, ast.Load) else [node.value]
    if not isinstance(node, ast.Call):
        return []
    found = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
    if isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in methods or (name.endswith("_") and not name.endswith("__")):
            found.append(node.func.value)
    return found
