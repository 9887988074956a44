"""Follows a value in the source to the expressions that it is computed from."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar, Union

from ...measure.torch.metadata import is_exact_tensor
from ...safe.record import Record
from ..step.expressions import is_name, key_of, last_name, names_in, parent_of, text_of
from ..step.source import Source

#: Attributes and methods that describe a tensor without its elements.
ABOUT = frozenset(
    "device dim dtype element_size is_cuda is_floating_point ndim nelement numel requires_grad shape size type".split()
)
#: Functions and methods that take the shape, dtype or class of what they are given, not its elements.
ALIKE = frozenset(
    "empty_like full_like isinstance len new_full new_ones new_zeros ones_like rand_like randn_like type"
    " zeros_like".split()
)
#: What leaves autograd: methods and an attribute of a tensor, and functions that make another one of it.
CUTTING_METHODS = ("detach", "data", "item", "numpy", "tolist")
CUTTING_FUNCTIONS = ("array", "as_tensor", "asarray", "from_numpy", "tensor")
CUTS = (*CUTTING_METHODS, *CUTTING_FUNCTIONS)
#: Their results have no gradient, or one of 0.
STEP_FUNCTIONS = tuple(
    "argmax argmin argsort round floor ceil sign long int bool eq ne gt lt ge le topk bincount one_hot"
    " multinomial sample trunc heaviside searchsorted".split()
)
_COPIES = ("torch.tensor", "np.array", "np.asarray", "numpy.array", "numpy.asarray")
_MOST = 200

_Cut = TypeVar("_Cut")
#: How a value is made of another: cut off from it, with a way for a gradient back to it, not at all.
Flow = Union[_Cut, Literal["live"], None]


def joined_flow(flows: Iterable[Flow[_Cut]]) -> Flow[_Cut]:
    """The flow of a whole: a gradient comes back to it if it comes back to one of its parts."""
    found = [flow for flow in flows if flow is not None]
    return "live" if "live" in found else next(iter(found), None)


class Made(Record):
    """An expression that a name is bound to, and the line of it; ``adds``: to what the name was bound to before."""

    name: str
    lineno: int
    value: ast.expr
    adds: bool = False


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
    last = source.binding_of(name)
    lines = [one for one in source.bindings.get(name, ()) if last is not None and one[0] <= last[0]]
    for line, node in sorted(lines, key=lambda one: -one[0]):
        value = _own_part(node, name)
        if isinstance(value, ast.expr):
            yield Made(name, line, value, isinstance(node, ast.AugAssign) or _is_kept_in(value, name))
        if not isinstance(node, ast.AugAssign) and (value is None or name not in names_in(value)):
            return


def surely_made_of(source: Source, name: str, is_chosen: Callable[[ast.AST], bool]) -> Iterator[Made]:
    """The expressions that a name is made of, whichever way conditions go; ``is_chosen``: those that are one of several."""
    seen, waiting = set[str](), [key_of(name)]
    while waiting and len(seen) < _MOST:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        bound = list(bound_to(source, name))
        sure = [one for one in bound if not source.is_conditional(one.lineno, seen_from=source.lineno)]
        if any(not one.adds for one in bound if one not in sure):
            continue  # in other rounds it is something else
        parent = None if bound else parent_of(name)
        waiting += [parent] if parent is not None else []
        for one in sure:
            yield one
            waiting += names_in(one.value, is_chosen)


def is_choice(node: ast.AST, value: Callable[[str], Any]) -> bool:
    """Whether an expression is one of several things: by a condition, or by an index that is computed, but not of a tensor.

    ``value``: what a name means.
    """
    if isinstance(node, ast.Subscript):
        is_computed = not isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple, ast.UnaryOp))
        return is_computed and is_name(node.value) and not is_exact_tensor(value(text_of(node.value)))
    return isinstance(node, (ast.IfExp, ast.BoolOp)) or any(loop.ifs for loop in getattr(node, "generators", ()))


def _is_kept_in(value: ast.expr, name: str) -> bool:
    paths = list(uses(value, name))
    return bool(paths) and all(cut_on(path, (*CUTS, *STEP_FUNCTIONS)) is None for path in paths)


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


def cut_later(source: Source, path: list[ast.AST]) -> tuple[str, int] | None:
    """What cuts off the variable that a place is bound to, at each of its uses, and the line of the first."""
    bound = next((node for node in path if isinstance(node, ast.Assign)), None)
    if bound is None or len(bound.targets) != 1 or not isinstance(bound.targets[0], ast.Name):
        return None
    name = bound.targets[0].id
    last = _until_bound_again(source, bound, name)
    parents = {id(below): node for node in source.nodes for below in ast.iter_child_nodes(node)}
    nodes = [node for node in source.nodes if isinstance(node, ast.Name) and node.id == name]
    uses = [node for node in nodes if isinstance(node.ctx, ast.Load) and node.lineno <= last]
    cuts = [_cut_at(node, parents) for node in uses]
    return (cuts[0], uses[0].lineno) if cuts and cuts[0] is not None and None not in cuts else None


def _until_bound_again(source: Source, bound: ast.Assign, name: str) -> float:
    """The last line that can use what a statement binds, if nothing but the statements below it does."""
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


def _cut_at(node: ast.AST, parents: dict[int, ast.AST]) -> str | None:
    """What cuts off a variable where it is used: a method of it, or a new tensor that is made of it."""
    above = parents.get(id(node))
    if isinstance(above, ast.Attribute):
        return above.attr if above.attr in CUTTING_METHODS else None
    is_copied = isinstance(above, ast.Call) and text_of(above.func) in _COPIES and node in above.args
    return text_of(above.func) if is_copied and isinstance(above, ast.Call) else None
