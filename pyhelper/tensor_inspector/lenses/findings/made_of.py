"""Follows a value in the source to the expressions that it is computed from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...safe.record import Record
from ..step.expressions import is_name, key_of, last_name, names_in, parent_of, text_of
from ..step.source import Source

#: Attributes and methods that describe a tensor without its elements.
ABOUT = frozenset(
    "device dim dtype element_size is_cuda is_floating_point ndim nelement numel requires_grad shape size type".split()
)
ALIKE = frozenset(
    "empty_like full_like isinstance len new_full new_ones new_zeros ones_like rand_like randn_like type"
    " zeros_like".split()
)
#: What leaves autograd.
CUTS = ("detach", "numpy", "item", "tolist", "data", "from_numpy", "as_tensor", "tensor", "array")
#: What has no gradient.
STEPS = tuple(
    "argmax argmin argsort round floor ceil sign long int bool eq ne gt lt ge le topk bincount one_hot"
    " multinomial sample trunc heaviside searchsorted".split()
)
_MOST = 200


class Made(Record):
    """An expression that a name is bound to, and the line of it."""

    name: str
    lineno: int
    value: ast.expr


def made_of(source: Source, name: str) -> Iterator[Made]:
    """The expressions that a name is made of, as far as they stand above in the source; its own first."""
    seen, waiting = set[str](), [key_of(name)]
    while waiting and len(seen) < _MOST:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        bound = list(bound_to(source, name))
        parent = None if bound else parent_of(name)
        waiting += [parent] if parent is not None else []
        for one in bound:
            yield one
            waiting += names_in(one.value)


def bound_to(source: Source, name: str) -> Iterator[Made]:
    """The bindings that gave a name its value: the last one above, and those that it builds on."""
    last = source.value_of(name)
    lines = [one for one in source.bindings.get(name, ()) if last is not None and one[0] <= last[0]]
    for line, node in sorted(lines, key=lambda one: -one[0]):
        value = _own_part(node, name)
        if isinstance(value, ast.expr):
            yield Made(name, line, value)
        if not isinstance(node, ast.AugAssign) and (value is None or name not in names_in(value)):
            return


def _own_part(node: ast.AST, name: str) -> ast.AST | None:
    """The expression that a statement assigns to a name: ``g(y)`` for ``b`` in ``a, b = f(x), g(y)``."""
    value: ast.AST | None = getattr(node, "value", None)
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        pairs = [(text_of(one), part) for one, part in zip(target.elts, value.elts)]
        is_plain = len(target.elts) == len(value.elts) and not any(
            isinstance(one, ast.Starred) for one in (*target.elts, *value.elts)
        )
        return next((part for text, part in pairs if text == name), value) if is_plain else value
    return value


def uses(value: ast.AST, key: str) -> Iterator[list[ast.AST]]:
    """Each use of the elements of ``key`` in an expression, as the path of nodes from the top to it."""
    waiting: list[list[ast.AST]] = [[value]]
    while waiting:
        path = waiting.pop()
        node = path[-1]
        if is_name(node) and text_of(node) == key:
            yield path
        elif (isinstance(node, ast.Attribute) and node.attr in ABOUT) or (
            isinstance(node, ast.Call) and last_name(node.func) in ALIKE
        ):
            continue
        else:
            waiting.extend([*path, below] for below in ast.iter_child_nodes(node))


def cut_on(path: list[ast.AST], cuts: tuple[str, ...]) -> str | None:
    """The name of the call or attribute on the path that leaves autograd, such as ``detach``; None if there is none."""
    for node in reversed(path[:-1]):
        if isinstance(node, ast.Attribute) and node.attr in cuts:
            return node.attr
        if isinstance(node, ast.Call) and last_name(node.func) in cuts:
            return last_name(node.func)
    return None
