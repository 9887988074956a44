"""Proves in which line an operation of the graph was called: source and graph are gone down together."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...lenses.graphs.lines import names_calling
from ...measure.torch.graph import VIEWS
from ...safe.guard import class_name, module, plain_str
from .scopes import InPlace, Scope, function_of

if TYPE_CHECKING:
    from ...measure.torch.graph import Graph
    from ...measure.torch.node import AutogradNode

torch: Any = module("torch")

_STEPS = 5000  #: pairs of an expression and a node that are looked at
_SIGNS: dict[type, tuple[str, frozenset[str]]] = {
    ast.Add: ("add", frozenset(("Add",))),
    ast.Sub: ("sub", frozenset(("Sub",))),
    ast.Mult: ("mul", frozenset(("Mul",))),
    ast.Div: ("div", frozenset(("Div",))),
    ast.Pow: ("pow", frozenset(("Pow",))),
    ast.MatMult: ("matmul", frozenset(("Mm", "Mv", "Bmm", "Dot", "UnsafeView"))),
    ast.Mod: ("remainder", frozenset(("Remainder",))),
    ast.USub: ("neg", frozenset(("Neg",))),
}
_QUOTIENTS = frozenset(("Mul", "Reciprocal"))  #: of a number by a tensor
#: Operations by other names that a program calls them by.
_NAMED: dict[str, frozenset[str]] = {
    "Div": frozenset(("divide", "true_divide")),
    "Mul": frozenset(("multiply",)),
    "Sub": frozenset(("subtract",)),
    "ToCopy": frozenset("to half float double bfloat16 type type_as cpu cuda".split()),
}
_MAYBE_NOTHING = _NAMED["ToCopy"].union(("contiguous", "requires_grad_", "expand_as", "clone"))
#: What an expression makes beside its operation, or by an index or an attribute of a tensor.
_PASSED = VIEWS.union("Select Slice Expand ViewAsReal Index Detach Narrow Transpose Permute".split())
_CHECKPOINT = "torch.utils.checkpoint"


class Derivation:
    """Follows expressions to the nodes that they made, until those of one are the node that is looked for.

    What it can't follow proves nothing. ``places`` are lines that may have made the node, each with the name of the
    operation there: where they are one, it is sure.
    """

    def __init__(self, graph: Graph, wanted: AutogradNode) -> None:
        self.places: set[tuple[str, int, str]] = set()
        self._graph = graph
        self._wanted = wanted
        self._scopes: dict[Any, Scope] = {}
        self._seen: set[tuple[int, int, int]] = set()
        self._waiting: list[tuple[ast.expr, AutogradNode, Scope]] = []

    def follow(self, expression: ast.expr, node: AutogradNode, scope: Scope) -> None:
        """From an expression whose result a node made."""
        self._wait(expression, node, scope)
        while self._waiting and len(self._seen) < _STEPS:
            self._visit(*self._waiting.pop())

    def follow_function(self, called: Any, node: AutogradNode) -> None:
        """From what a function, or the forward of a module, has returned."""
        function, owner = function_of(called)
        scope = None if function is None else Scope.of_function(function, owner)
        if scope is not None:
            for expression in scope.returned():
                self.follow(expression, node, scope)

    def place(self) -> tuple[str, int, str] | None:
        is_whole = len(self._seen) < _STEPS and not self._waiting
        return next(iter(self.places)) if is_whole and len(self.places) == 1 else None

    def _wait(self, expression: ast.expr, node: AutogradNode, scope: Scope) -> None:
        key = (id(expression), node.index, id(scope))
        if key not in self._seen:
            self._seen.add(key)
            self._waiting.append((expression, node, scope))

    def _visit(self, expression: ast.expr, node: AutogradNode, scope: Scope) -> None:
        if isinstance(expression, ast.Name):
            for value, where in self._meanings(expression.id, scope):
                self._wait(value, node, where)
            return
        if isinstance(expression, ast.IfExp):
            self._wait(expression.body, node, scope)
            self._wait(expression.orelse, node, scope)
            return
        if isinstance(expression, ast.Attribute):
            for value in scope.bound(ast.unparse(expression)):
                self._wait(value, node, scope)
        if isinstance(expression, ast.Call):
            self._enter(expression, node, scope)
        name = self._made_by(expression, node, scope)
        if name is not None:
            self._took(name, expression, node, scope)
        elif node.op in _PASSED and node.index != self._wanted.index:
            self._below(expression, node, scope)
            if isinstance(expression, (ast.Subscript, ast.Attribute)):
                self._below(expression.value, node, scope)

    def _enter(self, call: ast.Call, node: AutogradNode, scope: Scope) -> None:
        """A function of the user's, or what a conversion is of: where nothing is to be converted it makes no node."""
        for value, inner in self._entered(call, scope):
            self._wait(value, node, inner)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _MAYBE_NOTHING:
            self._wait(call.func.value, node, scope)

    def _took(self, name: str, expression: ast.expr, node: AutogradNode, scope: Scope) -> None:
        """An expression has made a node: its operands have made those that this one takes."""
        if node.index == self._wanted.index:
            if _is_one_line(expression):
                self.places.add((scope.code.co_filename, expression.lineno, name))
            return
        for operand in _operands(expression):
            self._below(operand, node, scope)
        if not _is_named(name, node.op):  # one of several operations that one call makes
            self._below(expression, node, scope)

    def _below(self, expression: ast.expr, node: AutogradNode, scope: Scope) -> None:
        for below in self._graph.inputs(node):
            self._wait(expression, below, scope)

    def _meanings(self, name: str, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
        for value in scope.bound(name):
            yield value, scope
        if name in scope.given:
            yield scope.given[name]

    def _made_by(self, expression: ast.expr, node: AutogradNode, scope: Scope) -> str | None:
        """The name of the operation by which an expression itself, not one in it, has made a node."""
        if isinstance(expression, (ast.BinOp, ast.UnaryOp)):
            return _sign(expression, node.op)
        if not isinstance(expression, ast.Call):
            return None
        callee = expression.func
        name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
        if node.is_custom:
            owner: Any = scope.value(callee.value) if isinstance(callee, ast.Attribute) else None
            is_it = name == "apply" and issubclass(type(owner), type) and class_name(owner) == node.op
            return node.op if is_it else None
        return name if _calls(name, node.op) and self._is_torchs(callee, scope) else None

    def _is_torchs(self, callee: ast.expr, scope: Scope) -> bool:
        """Whether what is called is a function of torch, or a method of what is no object of the user's."""
        if isinstance(callee, ast.Name):
            return _is_of_torch(scope.value(callee))
        value = callee.value  # type: ignore[attr-defined]
        held = scope.value(value)
        if type(held) is ModuleType:
            return plain_str(held.__name__).partition(".")[0] == "torch"
        return held is None or isinstance(held, torch.Tensor)

    def _entered(self, call: ast.Call, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
        """What the user's function that a call runs has returned."""
        called, args = scope.value(call.func), call.args
        if getattr(called, "__module__", "") == _CHECKPOINT and args:
            called, args = scope.value(args[0]), args[1:]
        function, owner = function_of(called)
        if function is None:
            return
        key = (id(call), id(function), id(owner), id(scope))
        inner = self._scopes.get(key)
        if inner is None:
            inner = self._scopes[key] = scope.inside(function, owner, args, call.keywords)
        for value in inner.returned():
            yield value, inner


def _sign(expression: ast.BinOp | ast.UnaryOp, op: str) -> str | None:
    """The name that torch gives a sign, if it makes a node of an operation."""
    name, ops = _SIGNS.get(type(expression.op), ("", frozenset()))
    is_number_first = isinstance(getattr(expression, "left", None), ast.Constant)
    if (name == "div" and op in _QUOTIENTS) or (name == "sub" and op == "Rsub") or (name == "pow" and is_number_first):
        return f"__r{name}__"
    if op not in ops:
        return None
    return f"{name}_" if isinstance(expression, InPlace) else name


def _calls(name: str, op: str) -> bool:
    """Whether a function or method of this name makes a node of an operation."""
    return _is_named(name, op) or name.rstrip("_") in names_calling(op)


def _is_named(name: str, op: str) -> bool:
    """Whether that is all that it makes."""
    plain = name.rstrip("_")
    return plain.replace("_", "") == op.lower() or plain in _NAMED.get(op, ())


def _is_of_torch(value: Any) -> bool:
    home = getattr(value, "__module__", None)
    if home is None:  # of those in C
        home = getattr(getattr(value, "__self__", None), "__name__", None) or class_name(type(value))
    return type(home) is str and (home.partition(".")[0] == "torch" or home == "_VariableFunctionsClass")


def _operands(expression: ast.expr) -> list[ast.expr]:
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if isinstance(expression, ast.UnaryOp):
        return [expression.operand]
    assert isinstance(expression, ast.Call)
    receiver = [expression.func.value] if isinstance(expression.func, ast.Attribute) else []
    given = [*receiver, *expression.args, *(one.value for one in expression.keywords)]
    return [one for each in given for one in (each.elts if isinstance(each, (ast.List, ast.Tuple)) else [each])]


def _is_one_line(expression: ast.expr) -> bool:
    """Whether there is no doubt about the line of the instruction."""
    if isinstance(expression, ast.Call):
        return expression.func.lineno == expression.func.end_lineno
    return True
