"""The guards of the rules: what keeps a rule from speaking, each marked so that it can be left out while all run.

A guard is an operand of ``and``/``or`` in a condition, the test of an ``if`` that leaves with an empty answer, or that leads
to one that is not empty, and a filter of a comprehension. To leave it out is to take what changes nothing in its place: False
in an ``or`` and in an ``if`` that leaves, else True. What only asks whether a value is there, or of a type, is no guard:
without it a rule does not speak wrongly, it breaks.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections import Counter
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

RULES = "tensor_inspector.lenses.findings.rules"
_MARK = "_guard"
_TESTS = ("any", "all", "bool", "callable", "hasattr")


@dataclass(frozen=True)
class Guard:
    file: str  #: in the folder of the rules
    function: str
    text: str
    number: int  #: among those of the same text in the function
    line: int

    def __str__(self) -> str:
        again = f" ({self.number})" if self.number > 1 else ""
        return f"{self.file}:{self.line} {self.function}: {self.text}{again}"


class Marks:
    """What each marked guard calls: knows which one is left out, and which ones keep a rule from speaking."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []
        self.left_out: int | None = None
        self.spoke: set[int] = set()

    def __call__(self, number: int, value: Any, absent: bool) -> Any:
        if number == self.left_out:
            return absent
        if bool(value) != absent:
            self.spoke.add(number)
        return value

    def take(self) -> set[int]:
        spoke, self.spoke = self.spoke, set()
        return spoke


def install() -> Marks:
    """From here on the files of the rules are loaded with their guards marked."""
    marks = Marks()
    sys.meta_path.insert(0, _Finder(marks))
    return marks


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, marks: Marks) -> None:
        self._marks = marks

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith(f"{RULES}."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.origin is not None and spec.submodule_search_locations is None:
            spec.loader = _Loader(name, spec.origin, self._marks)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, marks: Marks) -> None:
        super().__init__(name, path)
        self._marks = marks

    def get_code(self, fullname: str) -> CodeType:
        tree = ast.parse(self.get_data(self.path))
        file = fullname.removeprefix(f"{RULES}.").replace(".", "/") + ".py"
        marked = _Marker(file, self._marks.guards).visit(tree)
        return compile(ast.fix_missing_locations(marked), self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)[_MARK] = self._marks
        super().exec_module(module)


class _Marker(ast.NodeTransformer):
    """Wraps each guard of a file in a call of the marks."""

    def __init__(self, file: str, guards: list[Guard]) -> None:
        self._file = file
        self._guards = guards
        self._function = ""
        self._alike = Counter[tuple[str, str]]()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        around, self._function = self._function, node.name
        node.body = [self.visit(statement) for statement in node.body]
        self._function = around
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        absent = None if node.orelse else not _leaves_empty(node.body)
        node.test = self._condition(node.test, absent)
        node.body = [self.visit(statement) for statement in node.body]
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._condition(node.test, None)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self._condition(test, True) for test in node.ifs]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        return self._condition(node, None) if _is_condition(node) else self.generic_visit(node)

    def _condition(self, node: ast.expr, absent: bool | None) -> ast.expr:
        """A condition with its guards marked; ``absent``: what the whole is where it is left out, if it is a guard."""
        text = ast.unparse(node)
        marked: ast.expr
        if isinstance(node, ast.BoolOp):
            node.values = [self._condition(value, isinstance(node.op, ast.And)) for value in node.values]
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self._condition(node.operand, None)
            marked = node
        else:
            marked = self.visit(node)
        return marked if absent is None or _asks_what_is_there(text) else self._marked(marked, text, absent)

    def _marked(self, node: ast.expr, text: str, absent: bool) -> ast.expr:
        self._alike[self._function, text] += 1
        number = self._alike[self._function, text]
        self._guards.append(Guard(self._file, self._function, text, number, node.lineno))
        arguments = [ast.Constant(len(self._guards) - 1), node, ast.Constant(absent)]
        return ast.copy_location(ast.Call(ast.Name(_MARK, ast.Load()), arguments, []), node)


def _leaves_empty(body: list[ast.stmt]) -> bool:
    """Whether it is only a way out, with an answer that says nothing."""
    only = body[0] if len(body) == 1 else None
    if isinstance(only, ast.Return):
        return only.value is None or _is_empty(only.value)
    return isinstance(only, (ast.Continue, ast.Break, ast.Raise))


def _is_empty(value: ast.expr) -> bool:
    if isinstance(value, (ast.Tuple, ast.List)):
        return all(map(_is_empty, value.elts))
    return (isinstance(value, ast.Constant) and not value.value) or (isinstance(value, ast.Dict) and not value.keys)


def _is_condition(node: ast.expr) -> bool:
    """Whether it is true or false, and not a value or what stands in its place, as ``name or "it"``."""
    if isinstance(node, ast.BoolOp):
        return any(map(_is_condition, node.values))
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func).rpartition(".")[2]
        return called in _TESTS or called.lstrip("_").startswith(("is_", "has_", "may_"))
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _asks_what_is_there(text: str) -> bool:
    node: Any = ast.parse(text, mode="eval").body
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in ("isinstance", "issubclass")
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    is_type = isinstance(node.left, ast.Call) and ast.unparse(node.left.func) == "type"
    return is_type or ast.unparse(node.comparators[0]) == "None"
