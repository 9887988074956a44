"""The names of a program, and the program with other names for them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn

_Scopes = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_KEPT = ("self", "stop", "config", "tie_word_embeddings")
#: What a library may call, or what it has an attribute of: such names are no choice of the program's.
_LIBRARY = {
    name
    for cls in (
        nn.Module,
        nn.Linear,
        nn.RNNBase,
        torch.Tensor,
        torch.optim.Optimizer,
        torch.autograd.Function,
        torch.utils.data.Dataset,
        list,
        dict,
        str,
        object,
    )
    for name in dir(cls)
} | {
    "weight",
    "bias",
    "training",
    "training_step",
    "configure_optimizers",
    "param_groups",
    "last_epoch",
    "in_features",
    "out_features",
}


def bound_in(parts: Iterable[ast.AST]) -> Iterator[str]:
    """The variables that statements bind, not those of functions, classes and comprehensions in them."""
    waiting = list(parts)
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif not isinstance(node, _Scopes):
            waiting.extend(ast.iter_child_nodes(node))


def attributes_of(node: ast.AST) -> Iterator[str]:
    """The attributes of ``self`` that code in it assigns, each once."""
    found = [
        below.attr
        for below in ast.walk(node)
        if isinstance(below, ast.Attribute)
        and isinstance(below.ctx, ast.Store)
        and isinstance(below.value, ast.Name)
        and below.value.id == "self"
    ]
    yield from dict.fromkeys(found)


def _own(scope: ast.AST) -> set[str]:
    """The names that are a function's, a lambda's or a comprehension's own."""
    own: set[str] = set()
    if isinstance(scope, (ast.FunctionDef, ast.Lambda)):
        given = scope.args
        own |= {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        own |= {one.arg for one in (given.vararg, given.kwarg) if one is not None}
    if isinstance(scope, ast.FunctionDef):
        outer = {
            name for node in ast.walk(scope) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
        }
        return (own | set(bound_in(scope.body))) - outer
    for part in getattr(scope, "generators", ()):
        own |= set(bound_in([part.target]))
    return own


def uses_of(parts: Iterable[ast.AST], name: str) -> Iterator[ast.Name]:
    """The places that mean the variable with that name of the scope that the parts stand in."""
    waiting = list(parts)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.id == name:
            if not isinstance(node.ctx, ast.Store):
                yield node
        elif isinstance(node, (ast.Global, ast.Nonlocal)) and name in node.names:
            yield ast.Name(name)
        elif not isinstance(node, _Scopes) or name not in _own(node):
            waiting.extend(ast.iter_child_nodes(node))


class Renamed(ast.NodeTransformer):
    """Variables of one scope become other expressions, not what has the same name in a function."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names:
            return node
        made = ast.parse(self._names[node.id], mode="eval").body
        made.ctx = node.ctx  # type: ignore[attr-defined]
        return made

    def statement(self, part: ast.stmt) -> ast.stmt:
        made: Any = self.visit(part)
        return made  # type: ignore[no-any-return]

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, _Scopes):
            return super().visit(node)
        outer = self._names
        self._names = {name: to for name, to in outer.items() if name not in _own(node)}
        found = self.generic_visit(node)
        self._names = outer
        return found


def neutral(script: list[ast.stmt]) -> list[ast.stmt]:
    """With names that mean nothing for all that the program itself names."""
    module = ast.Module(script, [])
    names = _Names()
    names.find(module)
    return [names.visit(part) for part in script]


class _Names(ast.NodeTransformer):
    def __init__(self) -> None:
        self._variables: dict[str, str] = {}
        self._attributes: dict[str, str] = {}
        self._arguments: set[str] = set()
        self._imported: set[str] = set()
        self._methods: set[int] = set()

    def find(self, module: ast.Module) -> None:
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                self._methods |= set(map(id, _methods(node)))
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._imported |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                self._variable(node.name)
                for part in _methods(node):
                    self._attribute(part.name)
                for name in attributes_of(node):
                    self._attribute(name)
            elif isinstance(node, ast.FunctionDef) and id(node) not in self._methods:
                self._variable(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._variable(node.id)
            elif isinstance(node, ast.arg):
                self._arguments.add(node.arg)
                self._variable(node.arg)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                self._variable(node.name)

    def _variable(self, name: str) -> None:
        if name not in _KEPT and name not in self._imported and not hasattr(builtins, name):
            self._variables.setdefault(name, self._next("x"))

    def _attribute(self, name: str) -> None:
        if name not in _KEPT and not _is_called_by_library(name):
            self._attributes.setdefault(name, self._next("u"))

    def _next(self, letter: str) -> str:
        number = len(self._variables) + len(self._attributes) + 1
        return f"{'abcdghkmpqrstuvwz'[number % 17]}{number}"

    def visit_Name(self, node: ast.Name) -> ast.expr:
        node.id = self._variables.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = self._variables.get(node.arg, node.arg)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        node.attr = self._attributes.get(node.attr, node.attr)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        self.generic_visit(node)
        node.name = self._variables.get(node.name, node.name)
        for part in _methods(node):
            part.name = self._attributes.get(part.name, part.name)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        self.generic_visit(node)
        if id(node) not in self._methods:
            node.name = self._variables.get(node.name, node.name)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = self._variables.get(node.name or "", node.name)
        self.generic_visit(node)
        return node

    def visit_Global(self, node: ast.Global) -> ast.stmt:
        node.names = [self._variables.get(name, name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global  # type: ignore[assignment]

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        root = node.func
        while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(root, ast.Name) and (root.id in self._variables.values() or root.id == "self"):
            for keyword in node.keywords:
                if keyword.arg in self._arguments:
                    keyword.arg = self._variables.get(keyword.arg, keyword.arg)
        return node


def _methods(cls: ast.ClassDef) -> list[ast.FunctionDef]:
    return [part for part in cls.body if isinstance(part, ast.FunctionDef)]


def _is_called_by_library(name: str) -> bool:
    return name in _LIBRARY or name.startswith("__")
