"""Reads a piece of source once: its calls, bindings, loops, branches and returns, with their lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ...safe.guard import top_package
from .calls import Backward, Call, backwards_of, is_scaling
from .expressions import SCOPES, bound_in, text_of

LOOPS = (ast.For, ast.While, ast.AsyncFor)
#: What statements stand in or are.
_HOLDERS = (ast.stmt, ast.ExceptHandler, getattr(ast, "match_case", ast.ExceptHandler))
_KEPT = 128  #: pieces of source that stay read
_END = 1 << 30  #: a line below all others

Lines = tuple[int, int]  #: from a line to a line


def statements_in(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and those inside of them, in their order: a tenth of what ``ast.walk`` goes through."""
    waiting: list[Any] = body[::-1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        inner = [part for value in vars(node).values() if type(value) is list for part in value]
        waiting.extend(part for part in reversed(inner) if issubclass(type(part), _HOLDERS))


class Statements:
    """What a function, or a module outside of its functions, is written as. Empty where ``tree`` is None."""

    def __init__(self, tree: ast.AST | None) -> None:
        self.tree = tree
        self.calls: list[Call] = []
        self.bindings: dict[str, list[tuple[int, ast.AST]]] = {}
        self.changes_in_place: list[tuple[str, int]] = []  #: what is changed, with the last line of that
        self.blocks: list[ast.With | ast.AsyncWith] = []
        self.loops: list[tuple[int, int]] = []
        self.branches: list[tuple[int, int]] = []  #: of conditions: what one of them may run
        self.alternatives: list[tuple[Lines, Lines]] = []  #: of which one pass runs the first or the second
        self.exits: list[int] = []  #: lines that leave a function or a round of a loop
        self.returns: list[ast.Return] = []
        is_function = isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef))
        self.decorators = [text_of(item) for item in tree.decorator_list] if is_function else []  # type: ignore[union-attr]
        self.body: list[ast.stmt] = tree.body if is_function or isinstance(tree, ast.Module) else []  # type: ignore[union-attr]
        self.statements = list(statements_in(self.body))  #: also those in functions and classes inside
        self.nodes = [node for statement in self.body for node in ast.walk(statement)]  #: all of the body
        for statement in self.body:
            self._read(statement)
        self.calls.sort(key=lambda call: (call.lineno, call.node.col_offset))
        self.backwards = [self._scaled(found) for call in self.calls for found in backwards_of(call)]

    def _scaled(self, backward: Backward) -> Backward:
        """A backward of what a scaler has scaled a line before is one through that scaler."""
        for line, node in self.bindings.get(backward.names[0], ()) if len(backward.names) == 1 else ():
            made = getattr(node, "value", None)
            if line < backward.lineno and isinstance(made, ast.Call) and is_scaling(made) and not backward.scaler:
                return Backward(backward.call, made.args[0], text_of(made.func.value))  # type: ignore[attr-defined]
        return backward

    def _read(self, statement: ast.AST) -> None:
        waiting: list[tuple[ast.AST, str | None, bool]] = [(statement, None, False)]
        while waiting:
            node, target, is_statement = waiting.pop()
            if isinstance(node, SCOPES):
                if not isinstance(node, ast.Lambda):
                    self._bind(node.name, node.lineno, node)
                continue
            self._note(node)
            if isinstance(node, ast.Call):
                self.calls.append(Call(node, target, is_statement))
            changed = _changed_by(node)
            if changed is not None:
                self.changes_in_place.append((text_of(changed), last_line(node)))
            value: Any = getattr(node, "value", None)
            single = isinstance(node, ast.Assign) and len(node.targets) == 1
            name = text_of(node.targets[0]) if single and isinstance(node, ast.Assign) else None
            for below in ast.iter_child_nodes(node):
                is_value = below is value
                waiting.append((below, name if is_value else None, is_value and isinstance(node, ast.Expr)))

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, LOOPS):
            self.loops.append((node.lineno, last_line(node)))
        if isinstance(node, (ast.With, ast.AsyncWith)):
            self.blocks.append(node)
        if isinstance(node, ast.Return):
            self.returns.append(node)
        if isinstance(node, (ast.Return, ast.Continue, ast.Break)):
            self.exits.append(node.lineno)
        branches = [(branch[0].lineno, last_line(branch[-1])) for branch in _branches(node)]
        self.branches += branches
        if isinstance(node, ast.If) and branches[0][0] > node.lineno:  # in its own line nothing is decided yet
            self.alternatives += [(branches[0], branches[1])] if node.orelse else []
            for lines, branch in zip(branches, _branches(node)):
                left = self._left_by(branch[-1])
                self.alternatives += [] if left is None else [(lines, (last_line(node) + 1, left))]
        targets: list[ast.AST] = []
        if isinstance(node, ast.Assign):
            targets = list(node.targets)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.NamedExpr)):
            targets = [node.target]
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            targets = [node.optional_vars]
        elif isinstance(node, ast.Delete):
            targets = list(node.targets)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self._bind(node.name, node.lineno, node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                self._bind(top_package(alias.asname or alias.name), node.lineno, node)
        for target in targets:
            for name in bound_in(target):
                self._bind(name, getattr(target, "lineno", 0), node)

    def _left_by(self, statement: ast.stmt) -> int | None:
        """The last line of what a statement leaves: the function, or the innermost loop around it."""
        around = [last for first, last in self.loops if first <= statement.lineno <= last]
        if isinstance(statement, (ast.Continue, ast.Break)):
            return min(around, default=None)
        return _END if isinstance(statement, (ast.Return, ast.Raise)) else None

    def _bind(self, name: str, line: int, node: ast.AST) -> None:
        self.bindings.setdefault(name, []).append((line, node))


_read: dict[int, Statements] = {}  #: by the ids of their trees


def statements_of(tree: ast.AST | None) -> Statements:
    """What a tree is read as: once, for as long as it is among the latest. Nobody changes it."""
    known = _read.get(id(tree))
    if known is None:
        if len(_read) >= _KEPT:
            _read.clear()
        known = _read[id(tree)] = Statements(tree)
    return known


def _changed_by(node: ast.AST) -> ast.expr | None:
    """What a node changes in place: by an item of it, by ``out=``, or by a method whose name ends with ``_``."""
    if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return node.value
    written = (keyword.value for keyword in node.keywords if keyword.arg == "out") if isinstance(node, ast.Call) else ()
    for out in written:
        return out
    method = node.func if isinstance(node, ast.Call) else None
    is_changing = isinstance(method, ast.Attribute) and method.attr.endswith("_") and not method.attr.endswith("__")
    return method.value if is_changing else None  # type: ignore[union-attr]


def _branches(node: ast.AST) -> list[list[ast.stmt]]:
    """The statements that run under a condition."""
    found: list[Any] = []
    if isinstance(node, ast.If):
        found = [node.body, node.orelse]
    elif isinstance(node, ast.ExceptHandler) or type(node).__name__ == "match_case":
        found = [getattr(node, "body", [])]
    return [branch for branch in found if branch]


def start_of(node: Any) -> tuple[int, int]:
    """The line and the column at which a node begins."""
    return int(node.lineno), int(node.col_offset)


def end_of(node: Any) -> tuple[int, int]:
    """The line and the column at which a node ends."""
    return last_line(node), int(node.end_col_offset or 0)


def last_line(node: Any) -> int:
    return int(node.end_lineno or node.lineno)
