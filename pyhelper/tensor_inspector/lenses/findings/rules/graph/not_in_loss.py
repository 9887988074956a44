"""Ways in which a value does not come into the loss: its items are detached one by one, or nothing ever reads it."""

from __future__ import annotations

import ast

from .....measure.torch.metadata import element_count
from ....step.expressions import parent_of, text_of
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...lines import Line
from ...made_of import CUTS, cut_on, uses

_READING_ALL = ("eval", "exec", "globals", "locals", "vars")


def cut_one_by_one(value: ast.expr, key: str) -> int | None:
    """The line in which an expression cuts off each item of a list: ``[f.detach() for f in features]``."""
    container = parent_of(key) if key.endswith("]") else None
    for node in ast.walk(value) if container is not None else ():
        if not isinstance(node, (ast.ListComp, ast.GeneratorExp)) or len(node.generators) != 1:
            continue
        over = node.generators[0]
        if text_of(over.iter) != container or not isinstance(over.target, ast.Name):
            continue
        paths = list(uses(node.elt, over.target.id))
        if paths and all(cut_on(path, CUTS) is not None for path in paths):
            return node.elt.lineno
    return None


def left_out(step: Step, variable: VisibleVariable) -> Line | None:
    """The line that computes a single number which nothing in its function reads: a loss that no sum has."""
    source = step.sources[variable.level]
    if not variable.key.isidentifier() or element_count(variable.value) != 1:
        return None
    if source.function == "<module>" and not dict.__contains__(step.frames[variable.level].frame.f_globals, "__file__"):
        return None  # a cell of a notebook: another one may read it
    made = source.binding_of(variable.key)
    nodes = source.nodes
    is_read = any(isinstance(node, ast.Name) and node.id == variable.key for node in nodes if not _is_bound(node))
    is_open = any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in nodes) or source.mentions(*_READING_ALL)
    if made is None or is_read or is_open or not _computes(made[1], variable.key):
        return None
    return source.file, made[0]


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _computes(node: ast.AST, key: str) -> bool:
    """Whether an assignment computes a value for a name alone: it is none of several that a call gives."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return any(text_of(one) == key for one in target.elts)
    return isinstance(target, ast.Name)
