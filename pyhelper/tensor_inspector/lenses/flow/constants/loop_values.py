"""Finds all values that a name has in a line: ``for opt in self.optimizers[1:]``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ....safe.guard import each
from ...step.expressions import constant_of, is_name, text_of
from ...step.source import Source
from ...step.statements import last_line

_MOST = 64

ValueOf = Callable[[str], Any]


def values_in_line(source: Source, name: str, line: int, value_of: ValueOf) -> list[Any]:
    """The values of a name in a line: one, or one for each iteration.

    ``value_of`` knows all that no loop binds. Empty where one of the values is not known.
    """
    bindings = [node for _, node in source.bindings.get(name, ())]
    loops = [
        node
        for node in bindings
        if isinstance(node, (ast.For, ast.AsyncFor)) and node.lineno <= line <= last_line(node)
    ]
    if not loops:
        found = value_of(name)
        return [] if found is None else [found]
    loop = max(loops, key=lambda node: node.lineno)
    inside = [at for at, node in source.bindings[name] if node is not loop and loop.lineno <= at <= last_line(loop)]
    if inside:
        return []
    if text_of(loop.target) == name:
        return _items(loop.iter, value_of)
    is_second = isinstance(loop.target, ast.Tuple) and [text_of(part) for part in loop.target.elts][1:] == [name]
    return _second_items(loop.iter, value_of) if is_second else []


def _second_items(node: ast.expr, value_of: ValueOf) -> list[Any]:
    """The second of each pair: ``for name, opt in opts.items()``, ``for i, opt in enumerate(opts)``."""
    if not isinstance(node, ast.Call):
        return []
    if isinstance(node.func, ast.Attribute) and node.func.attr == "items":
        return _held(value_of(text_of(node.func.value)), dict, dict.values)
    is_counted = text_of(node.func) == "enumerate" and len(node.args) > 0
    return _items(node.args[0], value_of) if is_counted else []


def _items(node: ast.expr, value_of: ValueOf) -> list[Any]:
    """The items of a plain iterable: a list, a slice of one, ``dict.values()``, a tuple of names."""
    if isinstance(node, (ast.Tuple, ast.List)):
        found = [value_of(text_of(part)) if is_name(part) else None for part in node.elts]
        return [] if any(value is None for value in found) else found
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "values":
        return _held(value_of(text_of(node.func.value)), dict, dict.values)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        bounds = [node.slice.lower, node.slice.upper, node.slice.step]
        numbers = [None if bound is None else constant_of(bound) for bound in bounds]
        are_known = all(bound is None or type(at) is int for bound, at in zip(bounds, numbers)) and numbers[2] != 0
        return _items(node.value, value_of)[slice(*numbers)] if are_known else []
    container = value_of(text_of(node)) if is_name(node) else None
    return _held(container, list, list.__iter__) or _held(container, tuple, tuple.__iter__)


def _held(container: Any, kind: type, iterate: Any) -> list[Any]:
    found = list(each(iterate, container)) if issubclass(type(container), kind) else []
    return found if len(found) <= _MOST else []
