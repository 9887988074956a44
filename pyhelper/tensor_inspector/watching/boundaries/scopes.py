"""What the names of a function or a frame mean: values that are known, and expressions that are bound to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from ...lenses.step.classes import undecorated
from ...lenses.step.expressions import SCOPES
from ...lenses.step.frames import copied_variables
from ...lenses.step.functions import attribute_of, free_of
from ...lenses.step.parsed import lambda_of, tree_of
from ...safe.guard import class_attribute, instance_dict, module
from ..places import is_users

_MISSING = object()
_COMPILED = "_torchdynamo_orig_callable"  #: what `torch.compile` keeps of what it was given


class InPlace(ast.BinOp):
    """What ``x += y`` computes."""


class Scope:
    """The code of a frame that runs, or of a function that has ended: of that only what is outside of it is known.

    ``given`` are the expressions of its arguments, each with the scope in which its caller wrote it.
    """

    def __init__(
        self, code: CodeType, outside: Any, variables: dict[str, Any], given: dict[str, tuple[ast.expr, Scope]]
    ) -> None:
        self.code = code
        self.given = given
        self.variables = variables
        self._outside = outside
        self.tree: Any = tree_of(code) or lambda_of(code)
        self._bound: dict[str, list[ast.expr]] | None = None

    @classmethod
    def of_frame(cls, frame: FrameType) -> Scope:
        return cls(frame.f_code, lambda name: dict.get(frame.f_globals, name), copied_variables(frame), {})

    @classmethod
    def of_function(cls, function: FunctionType, owner: Any) -> Scope:
        names = function.__code__.co_varnames[:1]
        known = {} if owner is None or not names else {names[0]: owner}
        return cls(function.__code__, lambda name: free_of(function, name), known, {})

    def inside(self, function: FunctionType, owner: Any, args: list[ast.expr], named: list[ast.keyword]) -> Scope:
        """The scope of a function that is called here."""
        inner = Scope.of_function(function, owner)
        names = function.__code__.co_varnames[len(inner.variables) : function.__code__.co_argcount]
        plain = [one for one in args if not isinstance(one, ast.Starred)]
        inner.given.update(zip(names, ((one, self) for one in plain)) if plain == args else ())
        inner.given.update({one.arg: (one.value, self) for one in named if one.arg is not None})
        return inner

    def bound(self, name: str) -> list[ast.expr]:
        """The expressions whose results a name is given, anywhere in it."""
        if self._bound is None:
            self._bound = {}
            for key, value in _bindings(self.tree):
                self._bound.setdefault(key, []).append(value)
        return self._bound.get(name, [])

    def returned(self) -> list[ast.expr]:
        """The expressions that it returns."""
        if isinstance(self.tree, ast.Lambda):
            return [self.tree.body]
        found = (node.value for node in _own_nodes(self.tree) if isinstance(node, ast.Return))
        return [value for value in found if value is not None]

    def value(self, expression: ast.expr) -> Any:
        """What a name, or an attribute of one, means; None where that is not known."""
        if isinstance(expression, ast.Attribute):
            held = self.value(expression.value)
            if type(held) is ModuleType or issubclass(type(held), type):
                return instance_dict(held).get(expression.attr) or getattr(held, "__dict__", {}).get(expression.attr)
            return attribute_of(held, expression.attr)
        if not isinstance(expression, ast.Name):
            return None
        name = expression.id
        found = self.variables.get(name, _MISSING)
        if found is not _MISSING:
            return found
        if name in self.given:
            value, scope = self.given[name]
            return scope.value(value)
        if self.bound(name) or name in self.code.co_varnames:
            return None
        return self._outside(name)


def function_of(value: Any) -> tuple[FunctionType | None, Any]:
    """The user's function that a call of a value runs, and what it is a method of."""
    owner = None
    value = instance_dict(value).get(_COMPILED, value)
    if type(value) is MethodType:
        value, owner = value.__func__, value.__self__
    elif isinstance(value, module("torch").nn.Module):
        value, owner = class_attribute(type(value), "forward"), value
    if type(value) is not FunctionType:
        return None, None
    value = undecorated(value)
    return (value, owner) if is_users(value.__code__) else (None, None)


def _bindings(tree: ast.AST | None) -> Iterator[tuple[str, ast.expr]]:
    for node in _own_nodes(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _pairs(target, node.value)
        elif isinstance(node, ast.AugAssign):
            yield from _pairs(node.target, ast.copy_location(InPlace(node.target, node.op, node.value), node))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            yield from _pairs(node.target, node.value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, (ast.Name, ast.Attribute)):
        yield ast.unparse(target), value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        for one, its in zip(target.elts, value.elts):
            yield from _pairs(one, its)


def _own_nodes(tree: ast.AST | None) -> Iterator[ast.AST]:
    """The nodes of a function or module, without those of functions and classes in it."""
    waiting = [] if tree is None else list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        if not isinstance(node, SCOPES):
            yield node
            waiting.extend(ast.iter_child_nodes(node))
