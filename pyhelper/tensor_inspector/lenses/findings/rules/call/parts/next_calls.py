"""Finds the calls in the statement about to run whose arguments can't change before it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ......safe.guard import dict_get, instance_dict, module
from .....step.calls import Call
from .....step.frames import global_of
from .....step.statements import end_of, start_of
from .....step.step import Step

torch: Any = module("torch")
_EXPECTED = ("raises", "assertRaises", "assertRaisesRegex", "suppress")  #: blocks in which a failure is wanted


def next_calls(step: Step) -> Iterator[Call]:
    """The calls that will surely be run next. None where a failure is handled, or something else may be run in between."""
    source = step.here
    statement = None if source.tree is None else _statement(source.tree, source.lineno)
    if statement is None or source.with_block(source.lineno, *_EXPECTED) is not None or _modes():
        return
    all_of_it = {id(node) for node in ast.walk(statement)}
    surely = {id(node) for node in _run_surely(statement)}
    inside = [call for call in source.calls if id(call.node) in all_of_it]
    for call in inside:
        given = [*call.args, *call.keywords.values()]
        is_computed = any(isinstance(node, (ast.Call, ast.Await)) for one in given for node in ast.walk(one))
        before = [one for one in inside if end_of(one.node) <= start_of(call.node)]
        is_next = id(call.node) in surely and not source.is_done(call)
        if is_next and not is_computed and all(map(_gives_nothing, before)):
            yield call


def function_of(step: Step, call: Call) -> Any:
    """The function that a call in the active frame's source runs, where a name or names in packages reach it."""
    root, *names = call.callee.split(".")
    visible = step.frames[0]
    value = visible.variables.get(root, global_of(visible.frame, root))
    for name in names:
        value = dict_get(instance_dict(value), name) if type(value) is ModuleType else None
    return value


def _statement(tree: ast.AST, line: int) -> ast.stmt | None:
    """The simple statement at a line; None where its failure is handled."""
    found = None
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(
            node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
        ) and node.lineno <= line <= (node.end_lineno or node.lineno):
            found = node
        if type(node).__name__ in ("Try", "TryStar") and getattr(node, "handlers", None):
            body: list[ast.stmt] = getattr(node, "body", [])
            if body and body[0].lineno <= line <= (body[-1].end_lineno or 0):
                return None
        if node is tree or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            waiting.extend(below for below in ast.iter_child_nodes(node) if not isinstance(below, ast.expr))
    return found


def _run_surely(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that no condition in it keeps from being run."""
    yield node
    below: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.IfExp):
        below = [node.test]
    elif isinstance(node, ast.BoolOp):
        below = [node.values[0]]
    elif isinstance(node, ast.Compare):
        below = [node.left, node.comparators[0]]
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        below = [node.generators[0].iter]
    elif isinstance(node, (ast.Lambda, ast.Await)):
        below = []
    for part in below:
        yield from _run_surely(part)


def _gives_nothing(call: Call) -> bool:
    """``now()``: what is called by a name alone, and is given nothing that it could change."""
    return isinstance(call.node.func, ast.Name) and not call.args and not call.keywords


def _modes() -> bool:
    """Whether a mode of the program sees each operation, and may do something else in its place."""
    names = ("_len_torch_function_stack", "_len_torch_dispatch_stack")
    return any(getattr(torch._C, name, int)() for name in names)
