"""The guards of the rules: what keeps a rule from speaking, each marked so that it can be left out while all run.

A guard is a way out: the test of an ``if`` that leaves with an empty answer; of an ``or`` each operand, since each is a way out of
its own. Where a rule goes on under a condition, or filters, a guard is what must not be so: an operand that begins with ``not``.
To leave it out is to take what changes nothing in its place: False for a way out, True for what must not be so.

What must be so is no guard but what the rule looks for, and the rule's faulty program holds it. Nor is it a guard to ask whether a
value is there, of which kind or size it is, or if it can be read: without that a rule does not speak wrongly, it breaks. And a
function that answers yes or no is part of the guard that asks it. These conditions need no trap, but a program may be one for them:
they are marked too, and turned round where a guard is left out. A function that answers with words or a line keeps no rule from
speaking.
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

FINDINGS = "tensor_inspector.lenses.findings"
RULES = f"{FINDINGS}.rules"
LENSES = "tensor_inspector.lenses"
#: what reads the source for rules, and decides for one whether it speaks
_READING = (
    *("events.call_order", "events.clearing", "events.clears_of_others"),
    *("gradient.dead_losses", "gradient.detached_in_call", "gradient.detached_parts", "gradient.readers"),
    *("gradient.summands", "reach.growing_lists", "reach.trained_elsewhere"),
)
#: files beside the rules that decide for one whether it speaks
_DECIDING = (
    *(f"{FINDINGS}.{name}" for name in ("ascents", "signs")),
    *(f"{LENSES}.flow.{name}" for name in _READING),
)
_MARK = "_guard"
#: what asks whether a value is there, of which kind or size it is, or if it can be read
_THERE = (
    "isinstance",
    "issubclass",
    "type",
    "is_plain",
    "is_exact_tensor",
    "is_known",
    "is_readable",
    "is_library",
    "is_name",
)
_SIZES = (
    "len(",
    ".size_below(",
    ".shape",
    "element_count(",
    ".numel()",
    ".dim()",
    ".dtype",
    ".complete",
    "budget.",
    "steps.",
)
_WORDS = ("str", "tuple[str, int]", "Line")  #: what a function answers that keeps no rule from speaking


@dataclass(frozen=True)
class Guard:
    file: str  #: in the folder of the rules, or beside it
    function: str
    text: str
    number: int  #: among those of the same text in the function
    line: int
    needs_a_trap: bool

    @property
    def name(self) -> str:
        return f"{self.file} {self.function}: {self.text}"

    def __str__(self) -> str:
        again = f" ({self.number})" if self.number > 1 else ""
        return f"{self.file}:{self.line} {self.function}: {self.text}{again}"


class Marks:
    """What each marked guard calls: knows which ones are left out, and which ones keep a rule from speaking."""

    def __init__(self) -> None:
        self.guards: list[Guard] = []
        self.left_out: frozenset[int] = frozenset()
        self.spoke: set[int] = set()

    def __call__(self, number: int, value: Any, absent: bool) -> Any:
        is_guard = self.guards[number].needs_a_trap
        if number in self.left_out:
            return absent if is_guard else not value
        if not is_guard or bool(value) != absent:
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
        is_rule = name.startswith(f"{RULES}.") and name != f"{RULES}.registry"
        if not is_rule and name not in _DECIDING:
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
        parts = (RULES, FINDINGS, LENSES)
        inside = next(fullname[len(part) + 1 :] for part in parts if fullname.startswith(f"{part}."))
        file = inside.replace(".", "/") + ".py"
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
        self._is_predicate = False
        self._alike = Counter[tuple[str, str]]()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        answer = "" if node.returns is None else ast.unparse(node.returns).removesuffix(" | None")
        if answer not in _WORDS:
            self._function, self._is_predicate = node.name, answer == "bool"
            node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        is_way_out = not node.orelse and _leaves_empty(node.body)
        node.test = self._way_out(node.test) if is_way_out else self._condition(node.test)
        node.body = [self.visit(statement) for statement in node.body]
        node.orelse = [self.visit(statement) for statement in node.orelse]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self.visit(node.iter)
        node.ifs = [self._condition(test) for test in node.ifs]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        is_condition = any(isinstance(value, ast.Compare) or _positive(value) is not value for value in node.values)
        return self._condition(node) if is_condition else self.generic_visit(node)

    def _way_out(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            test.values = [self._way_out(value) for value in test.values]
            return test
        return self._marked(test, False, not isinstance(_positive(test), ast.Name))

    def _condition(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            test.values = [self._condition(value) for value in test.values]
            return test
        if isinstance(test, ast.BoolOp):
            return self.generic_visit(test)  # type: ignore[return-value]
        is_outside = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotIn)
        return self._marked(test, True, is_outside or _positive(test) is not test)

    def _marked(self, node: ast.expr, absent: bool, needs_a_trap: bool) -> ast.expr:
        text = ast.unparse(node)
        needs_a_trap = needs_a_trap and not self._is_predicate and not _asks_what_is_there(node)
        self._alike[self._function, text] += 1
        number = self._alike[self._function, text]
        self._guards.append(Guard(self._file, self._function, text, number, node.lineno, needs_a_trap))
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


def _positive(node: ast.expr) -> ast.expr:
    return node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else node


def _asks_what_is_there(node: ast.expr) -> bool:
    asked = _positive(node)
    if isinstance(asked, ast.Call) and ast.unparse(asked.func).rpartition(".")[2] in _THERE:
        return True
    if asked is not node and isinstance(asked, (ast.Attribute, ast.Subscript)):
        return True
    if any(size in ast.unparse(asked) for size in _SIZES):
        return True
    if not isinstance(asked, ast.Compare) or len(asked.ops) != 1:
        return False
    return isinstance(asked.ops[0], (ast.Is, ast.IsNot)) or _is_name_of_a_kind(asked.comparators[0])


def _is_name_of_a_kind(node: ast.expr) -> bool:
    """Whether it is written out: a name, or some, or the constant that lists them."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_name_of_a_kind, node.elts))
    text = ast.unparse(node).lstrip("*_")
    return (isinstance(node, ast.Constant) and type(node.value) is str) or text.isupper()
