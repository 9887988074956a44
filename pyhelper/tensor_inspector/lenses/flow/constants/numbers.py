"""Computes what a function of one number returns, by its source, without running it."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from ....safe.guard import NUMBERS, class_attribute, instance_dict
from ...step.classes import undecorated
from ...step.expressions import is_name, text_of
from ...step.functions import attribute_of, free_of
from ...step.parsed import lambda_of, tree_of
from .conditions import COMPARING

_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
    ast.FloorDiv: lambda one, other: one // other,
    ast.Mod: lambda one, other: one % other,
    ast.Pow: lambda one, other: one**other,
}
_BUILTINS: dict[str, Callable[..., float]] = {"abs": abs, "float": float, "int": int, "max": max, "min": min}
_FUNCTIONS: tuple[Callable[..., float], ...] = (
    *_BUILTINS.values(),
    *(math.ceil, math.cos, math.exp, math.floor, math.log, math.pow, math.sin, math.sqrt, math.tanh),
)


class NotComputed(Exception):
    """Why it is not known: the function does more than compute with numbers."""


def function_of_number(function: Any) -> Callable[[float], float] | None:
    """What computes the function of one number; None where its source is not known. It may raise `NotComputed`."""
    function, before, given = _plain(function)
    if function is None:
        return None
    code = function.__code__
    tree: Any = lambda_of(code) or tree_of(code)
    if not isinstance(tree, (ast.Lambda, ast.FunctionDef)):
        return None
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ())))
    known = {**defaults, **(function.__kwdefaults__ or {}), **given, **dict(zip(names, before))}
    subject = next(iter(names[len(before) :]), None)
    return None if subject is None else _Computing(function, tree, known, subject).at


def site_of_function(function: Any) -> tuple[str, int] | None:
    """The file and the line in which a function begins."""
    found = _plain(function)[0]
    return None if found is None else (found.__code__.co_filename, found.__code__.co_firstlineno)


def _plain(function: Any) -> tuple[FunctionType | None, list[Any], dict[str, Any]]:
    """The function behind a partial, a method or a callable object, with the arguments that these add."""
    given: dict[str, Any] = {}
    before: list[Any] = []
    if type(function) is partial:
        given, before, function = dict(function.keywords), list(function.args), function.func
    if type(function) is MethodType:
        before, function = [function.__self__, *before], function.__func__
    call = None if type(function) is FunctionType else class_attribute(type(function), "__call__")
    if type(call) is FunctionType:
        before, function = [function, *before], call
    return undecorated(function) if type(function) is FunctionType else None, before, given


class _Computing:
    def __init__(
        self, function: FunctionType, tree: ast.Lambda | ast.FunctionDef, known: dict[str, Any], subject: str
    ) -> None:
        self._function = function
        self._tree = tree
        self._known = known
        self._subject = subject
        self._names: dict[str, Any] = {}

    def at(self, number: float) -> float:
        self._names = {**self._known, self._subject: number}
        try:
            if isinstance(self._tree, ast.Lambda):
                return self._number(self._tree.body)
            returned = self._run(self._tree.body)
        except (ArithmeticError, ValueError, TypeError) as error:
            raise NotComputed from error
        if returned is None:
            raise NotComputed
        return returned

    def _run(self, body: list[ast.stmt]) -> float | None:
        """What is returned by some statements; None where they come to their end."""
        for statement in body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                return self._number(statement.value)
            if isinstance(statement, ast.If):
                returned = self._run(statement.body if self._number(statement.test) else statement.orelse)
                if returned is not None:
                    return returned
            elif (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
            ):
                self._names[statement.targets[0].id] = self._number(statement.value)
            elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                raise NotComputed
        return None

    def _number(self, node: ast.expr) -> float:
        """A number, of which all are floats: powers of whole numbers could take forever."""
        if isinstance(node, ast.Constant):
            return _plain_number(node.value)
        if is_name(node):
            return self._named(text_of(node))
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            found = _OPERATORS[type(node.op)](self._number(node.left), self._number(node.right))
            return found if type(found) is float else _refused()
        if isinstance(node, ast.UnaryOp):
            operand = self._number(node.operand)
            signs = {ast.USub: -operand, ast.UAdd: operand, ast.Not: float(not operand)}
            return signs[type(node.op)] if type(node.op) in signs else _refused()
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARING:
            compare = COMPARING[type(node.ops[0])]
            return float(compare(self._number(node.left), self._number(node.comparators[0])))
        if isinstance(node, ast.BoolOp):
            is_and = isinstance(node.op, ast.And)
            for part in node.values:
                value = self._number(part)
                if bool(value) is not is_and:
                    break
            return value
        if isinstance(node, ast.IfExp):
            return self._number(node.body if self._number(node.test) else node.orelse)
        if isinstance(node, ast.Call) and not node.keywords and is_name(node.func):
            return self._called(node)
        return _refused()

    def _called(self, node: ast.Call) -> float:
        function = self._value(text_of(node.func))
        known = next((one for one in _FUNCTIONS if one is function), None)
        return _refused() if known is None else float(known(*map(self._number, node.args)))

    def _named(self, name: str) -> float:
        return _plain_number(self._value(name))

    def _value(self, name: str) -> Any:
        root, *attributes = name.split(".")
        if root in self._names:
            value = self._names[root]
        else:
            value = free_of(self._function, root)
            value = _BUILTINS.get(root) if value is None else value
        for attribute in attributes:
            value = instance_dict(value).get(attribute) if value is math else attribute_of(value, attribute)
        return value


def _plain_number(value: Any) -> float:
    return float(value) if type(value) in NUMBERS or type(value) is bool else _refused()


def _refused() -> float:
    raise NotComputed
