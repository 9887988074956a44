"""Expressions of the source: their text, and the names in them."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ...words.text import shorten

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def text_of(node: ast.AST | None) -> str:
    """An expression as text, in one way of writing it."""
    if node is None:
        return ""
    if isinstance(node, ast.Name):  # which need no unparser, as most do not
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
        return f"{text_of(node.value)}.{node.attr}"
    try:
        return ast.unparse(node)
    except Exception:  # too deep
        return ""


def shown_text(node: ast.AST | None) -> str:
    """An expression as it is shown, its names as tensors in sight have them: ``batch["x"]``."""
    return shown(text_of(node))


def short_text(node: ast.AST | None, limit: int) -> str:
    """An expression as it is shown, cut after so many characters."""
    return shorten(shown_text(node), limit)


def shown(key: str) -> str:
    """An expression as `ast.unparse` writes it, as it is shown; ``lists["it's"]`` as it is."""
    return key if '"' in key else key.replace("'", '"')


def key_of(name: str) -> str:
    """An expression as it is shown, as `ast.unparse` writes it."""
    return name if "'" in name else name.replace('"', "'")


def last_name(node: ast.AST | None) -> str:
    """The name that an expression ends with, most often of what is called: ``relu`` of ``torch.nn.functional.relu``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return text_of(node).rpartition(".")[2]


def own_name(node: ast.AST) -> str:
    """The name that a node itself is, of a variable or an attribute; empty where it is another expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def names_in(node: ast.AST, is_left_out: Callable[[ast.AST], bool] | None = None) -> list[str]:
    """The variables and attributes in an expression that are not called, the longest: ``self.loss``, ``batch['x']``."""
    found: list[str] = []
    waiting: list[ast.AST] = [node]  # the next one comes last
    while waiting:
        below = waiting.pop()
        if is_left_out is not None and is_left_out(below):
            continue
        if isinstance(below, ast.Call):
            inside = [below.func.value] if isinstance(below.func, ast.Attribute) else []
            values = [keyword.value for keyword in below.keywords]
            waiting.extend(reversed([*inside, *below.args, *values]))
        elif is_name(below):
            found.append(text_of(below))
        elif not isinstance(below, SCOPES):
            waiting.extend(reversed(list(ast.iter_child_nodes(below))))
    return list(dict.fromkeys(found))


def names_given(*arguments: ast.expr) -> list[str]:
    """The names in arguments as they are, or inside tuples and lists: what no call or condition has changed."""
    found: list[str] = []
    waiting: deque[ast.AST] = deque(arguments)
    while waiting:
        node = waiting.popleft()
        if is_name(node):
            found.append(text_of(node))
        elif isinstance(node, (ast.Tuple, ast.List, ast.Starred)):
            waiting.extend(ast.iter_child_nodes(node))
    return list(dict.fromkeys(found))


def operands_of(node: ast.expr) -> tuple[list[str], bool]:
    """The names that arithmetic, indexing and methods make an expression of, and whether it is made of nothing else."""
    names, is_whole = [], True
    waiting: list[ast.AST] = [node]  # the next one comes last
    while waiting:
        below = waiting.pop()
        if is_name(below):
            names.append(text_of(below))
        elif isinstance(below, (ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple)):
            waiting.extend(reversed(list(ast.iter_child_nodes(below))))
        elif isinstance(below, ast.Subscript):
            waiting.append(below.value)
        elif isinstance(below, ast.Call):
            is_sum = text_of(below.func) == "sum" and len(below.args) == 1
            is_method = isinstance(below.func, ast.Attribute)
            is_whole = is_whole and (is_sum or (is_method and not below.args))
            if is_sum or is_method:
                waiting.append(below.args[0] if is_sum else below.func.value)  # type: ignore[attr-defined]
        elif not isinstance(below, (ast.Constant, ast.operator, ast.unaryop, ast.expr_context)):
            is_whole = False
    return list(dict.fromkeys(names)), is_whole


def is_name(node: ast.AST | None) -> bool:
    """Whether an expression is a variable, or attributes and constant subscripts of one."""
    while True:
        if isinstance(node, ast.Name):
            return True
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
        ):
            node = node.value
        else:
            return False


_KEEPING = frozenset("bfloat16 clone contiguous cpu cuda detach double float half int long to type type_as".split())


def without_moves(node: ast.expr | None) -> ast.expr | None:
    """What is moved, copied or cast: ``y`` of ``y.to(device).float()``. Its shape is that of the whole."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING:
        node = node.func.value
    return node


def root_of(name: str) -> str:
    """The variable that a name begins with."""
    for at, sign in enumerate(name):
        if sign in ".[":
            return name[:at]
    return name


def parent_of(name: str) -> str | None:
    """What a name is an attribute or an item of: ``batch`` of ``batch['x']``; None of a variable."""
    at = max(name.rfind("."), name.rfind("["))
    return name[:at] if at > 0 else None


def bound_in(target: ast.AST) -> Iterator[str]:
    """The names that an assignment to this target binds, or changes a part of."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for item in target.elts:
            yield from bound_in(item)
    elif isinstance(target, ast.Starred):
        yield from bound_in(target.value)
    elif is_name(target):
        yield text_of(target)
    elif isinstance(target, ast.Subscript):  # `x[:, 0] = …` changes x
        yield from bound_in(target.value)


def constant_of(node: ast.expr) -> Any:
    """The value of a literal; None for what is none."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
