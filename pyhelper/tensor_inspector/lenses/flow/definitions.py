"""Def-use: follows a name to the expressions that it is computed from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Literal, TypeVar, Union

from ...measure.torch.metadata import is_exact_tensor
from ...safe.record import Record
from ..step.expressions import is_name, key_of, last_name, names_in, parent_of, text_of
from ..step.source import Source
from .ops import DETACHING, DETACHING_METHODS, METADATA, NON_DIFFERENTIABLE, SHAPE_ONLY

_COPIES = ("torch.tensor", "np.array", "np.asarray", "numpy.array", "numpy.asarray")
_MOST = 200

_Asked = Callable[[ast.AST], bool]
_Cut = TypeVar("_Cut")
#: How a value is made of another: cut off from it, with a way for a gradient back to it, not at all.
Flow = Union[_Cut, Literal["live"], None]


def joined_flow(flows: Iterable[Flow[_Cut]]) -> Flow[_Cut]:
    """Joins the flows of parts: live if one is live, else the first that is detached."""
    found = [flow for flow in flows if flow is not None]
    return "live" if "live" in found else next(iter(found), None)


class Definition(Record):
    """An expression that is bound to a name, and its line. ``adds``: it extends the previous value."""

    name: str
    lineno: int
    value: ast.expr
    adds: bool = False


def reaching_definitions(source: Source, name: str) -> Iterator[Definition]:
    """The definitions that reach a name, its own first, then those of the names in them."""
    return _reaching(source, name, lambda bound: bound, None)


def sure_definitions(source: Source, name: str, is_chosen: _Asked) -> Iterator[Definition]:
    """The definitions that reach a name whichever way conditions go.

    ``is_chosen``: whether an expression is one of several.
    """

    def sure_of(bound: list[Definition]) -> list[Definition] | None:
        sure = [one for one in bound if not source.is_conditional(one.lineno, seen_from=source.lineno)]
        is_other = any(not one.adds for one in bound if one not in sure)
        return None if is_other else sure  # in other iterations it is something else

    return _reaching(source, name, sure_of, is_chosen)


def _reaching(
    source: Source,
    name: str,
    kept_of: Callable[[list[Definition]], list[Definition] | None],
    is_chosen: _Asked | None,
) -> Iterator[Definition]:
    """``kept_of``: those of a name's definitions that count; None where the name is not followed."""
    seen, waiting = set[str](), [key_of(name)]
    while waiting and len(seen) < _MOST:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        bound = list(definitions_of(source, name))
        kept = kept_of(bound)
        if kept is None:
            continue
        parent = None if bound else parent_of(name)
        waiting += [parent] if parent is not None else []
        for one in kept:
            yield one
            waiting += names_in(one.value, is_chosen)


def definitions_of(source: Source, name: str) -> Iterator[Definition]:
    """The definitions that gave a name its value: the last one above, and those that it extends."""
    last = source.binding_of(name)
    lines = [one for one in source.bindings.get(name, ()) if last is not None and one[0] <= last[0]]
    for line, node in sorted(lines, key=lambda one: -one[0]):
        value = own_part(node, name)
        if isinstance(value, ast.expr):
            yield Definition(name, line, value, isinstance(node, ast.AugAssign) or _is_kept_in(value, name))
        if not isinstance(node, ast.AugAssign) and (value is None or name not in names_in(value)):
            return


def is_choice(node: ast.AST, value: Callable[[str], Any]) -> bool:
    """Whether an expression is one of several values: by a condition, or by a computed index.

    An index of a tensor is none. ``value``: looks a name up.
    """
    if isinstance(node, ast.Subscript):
        is_computed = not isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple, ast.UnaryOp))
        return is_computed and is_name(node.value) and not is_exact_tensor(value(text_of(node.value)))
    return isinstance(node, (ast.IfExp, ast.BoolOp)) or any(loop.ifs for loop in getattr(node, "generators", ()))


def _is_of_self(node: ast.AST) -> bool:
    """``self.le(x)``"""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and text_of(func.value) == "self"


def _is_kept_in(value: ast.expr, name: str) -> bool:
    paths = list(uses(value, name))
    return bool(paths) and all(detached_by(path, (*DETACHING, *NON_DIFFERENTIABLE)) is None for path in paths)


def own_part(node: ast.AST, name: str) -> ast.AST | None:
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
    """Each use of the elements of ``key``, as the path of nodes down to it."""
    waiting: list[list[ast.AST]] = [[value]]
    while waiting:
        path = waiting.pop()
        node = path[-1]
        if is_name(node) and text_of(node) == key:
            yield path
        elif (isinstance(node, ast.Attribute) and node.attr in METADATA) or (
            isinstance(node, ast.Call) and last_name(node.func) in SHAPE_ONLY
        ):
            continue
        else:
            waiting.extend([*path, below] for below in ast.iter_child_nodes(node))


def detached_by(path: list[ast.AST], names: Collection[str], is_module_call: _Asked = _is_of_self) -> str | None:
    """The name of the call or attribute on a path that detaches, such as ``item``; else None.

    ``is_module_call``: whether a call is one of a module, so that its name is no tensor operation's.
    """
    for node in reversed(path[:-1]):
        if isinstance(node, ast.Attribute) and node.attr in names:
            return node.attr
        if isinstance(node, ast.Call) and last_name(node.func) in names and not is_module_call(node):
            return last_name(node.func)
    return None


def detached_later(source: Source, path: list[ast.AST]) -> tuple[str, int] | None:
    """What detaches a variable at each of its uses, and the line of the first use."""
    bound = next((node for node in path if isinstance(node, ast.Assign)), None)
    if bound is None or len(bound.targets) != 1 or not isinstance(bound.targets[0], ast.Name):
        return None
    name = bound.targets[0].id
    last = _until_bound_again(source, bound, name)
    parents = {id(below): node for node in source.nodes for below in ast.iter_child_nodes(node)}
    nodes = [node for node in source.nodes if isinstance(node, ast.Name) and node.id == name]
    uses = [node for node in nodes if isinstance(node.ctx, ast.Load) and node.lineno <= last]
    cuts = [_detached_at(node, parents) for node in uses]
    return (cuts[0], uses[0].lineno) if cuts and cuts[0] is not None and None not in cuts else None


def _until_bound_again(source: Source, bound: ast.Assign, name: str) -> float:
    """The last line that can read what an assignment binds."""
    block = next((block for block in _blocks(source.body) if bound in block), [])
    if any(first <= bound.lineno <= last for first, last in source.loops) or name in map(
        text_of, ast.walk(bound.value)
    ):
        return float("inf")
    for part in block[block.index(bound) + 1 :] if block else ():
        if isinstance(part, ast.Assign) and [text_of(target) for target in part.targets] == [name]:
            return part.end_lineno or part.lineno
    return float("inf")


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for part in body:
        for below in ("body", "orelse", "finalbody"):
            inner = getattr(part, below, None)
            if type(inner) is list and not isinstance(part, (ast.FunctionDef, ast.ClassDef)):
                yield from _blocks(inner)


def _detached_at(node: ast.AST, parents: dict[int, ast.AST]) -> str | None:
    """What detaches a variable where it is used: its method, or a copying function."""
    above = parents.get(id(node))
    if isinstance(above, ast.Attribute):
        return above.attr if above.attr in DETACHING_METHODS else None
    is_copied = isinstance(above, ast.Call) and text_of(above.func) in _COPIES and node in above.args
    return text_of(above.func) if is_copied and isinstance(above, ast.Call) else None
