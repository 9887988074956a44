"""The items that an expression gives one after the other, each as the expression of that item alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ...safe.guard import KEYS, SEQUENCES, each
from .operand import UNKNOWN, Operand

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[..., Any]  #: gives the value of an expression; a second argument tells how deep it stands

_MOST = 200
_LISTS = ("list", "tuple")


def gives_items(node: ast.AST) -> bool:
    """Whether an expression is one that only makes a list of others, whose items are then known."""
    return (
        isinstance(node, (ast.ListComp, ast.GeneratorExp)) or _listed(node) is not None or _of_values(node) is not None
    )


def items_of(read: Read, node: Any, depth: int) -> list[ast.expr] | None:
    """``parts[0]``, ``parts[1]`` of ``parts``; ``d["a"] * 2`` of ``[one * 2 for one in d.values()]``; None where the
    items are not known."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return None if any(isinstance(item, ast.Starred) for item in node.elts) else node.elts
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return _of_comprehension(read, node, depth)
    inner = _listed(node)
    if inner is not None:
        return items_of(read, inner, depth)
    of_values = _of_values(node)
    if of_values is not None:
        return _keyed(of_values, read(of_values, depth))
    value = read(node, depth)
    return [_item(node, at) for at in range(min(len(value), _MOST))] if type(value) in SEQUENCES else None


def positional(read: Read, call: ast.Call, depth: int = 0) -> list[ast.expr]:
    """The positional arguments of a call, of ``*parts`` each part, up to those that are not known."""
    found: list[ast.expr] = []
    for node in call.args:
        items = items_of(read, node.value, depth) if isinstance(node, ast.Starred) else [node]
        if items is None:
            break
        found += items
    return found


def named_arguments(read: Read, call: ast.Call) -> dict[str, ast.expr]:
    """The named arguments of a call, of ``**options`` each entry."""
    found: dict[str, ast.expr] = {}
    for keyword in call.keywords:
        if keyword.arg is not None:
            found[keyword.arg] = keyword.value
            continue
        for item in _keyed(keyword.value, read(keyword.value)) or ():
            found[item.slice.value] = item  # type: ignore[attr-defined]
    return found


def _of_comprehension(read: Read, node: Any, depth: int) -> list[ast.expr] | None:
    """The expression of a comprehension, with each item in the place of its variable."""
    loop = node.generators[0]
    if len(node.generators) > 1 or loop.ifs or loop.is_async or not isinstance(loop.target, ast.Name):
        return None
    items = items_of(read, loop.iter, depth)
    return None if items is None else [_Replacing(loop.target.id, item).visit(_copied(node.elt)) for item in items]


class _Replacing(ast.NodeTransformer):
    def __init__(self, name: str, by: ast.expr) -> None:
        self._name = name
        self._by = by

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._by if node.id == self._name else node


def _copied(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _keyed(node: ast.expr, value: Any) -> list[ast.expr] | None:
    if value is UNKNOWN or type(value) is Operand or not issubclass(type(value), dict):
        return None
    keys = [key for key, _ in zip(each(dict.keys, value), range(_MOST))]
    return [_item(node, key) for key in keys] if all(type(key) in KEYS for key in keys) else None


def _item(node: ast.expr, key: Any) -> ast.expr:
    return ast.Subscript(node, ast.Constant(key), ast.Load())


def _listed(node: ast.AST) -> ast.expr | None:
    """What ``list`` or ``tuple`` is called with."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LISTS
    return node.args[0] if called and len(node.args) == 1 else None  # type: ignore[attr-defined]


def _of_values(node: ast.AST) -> ast.expr | None:
    """The dict whose ``values()`` are asked for."""
    called = isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Attribute)
    return node.func.value if called and node.func.attr == "values" else None  # type: ignore[attr-defined]
