"""Tells what a property gives without running it, where its source only looks up attributes: ``trainer.optimizers``."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import Any

from ....measure.torch.modules import Member, is_module
from ....safe.guard import class_attribute, instance_dict
from ..parsed import tree_of

_DEEP = 6  #: properties that lead to each other
_MOST = 200  #: attributes that are looked up for one
_UNKNOWN: Any = object()
_NO_RETURN: Any = object()
_CONSTANTS = (bool, type(None))


def kept(value: Any, name: str) -> Any:
    """What an attribute is: as it is kept, or as a property that only looks up attributes gives it; None where that is
    not known."""
    found = _Lookup().attribute(value, name, _DEEP)
    return None if found is _UNKNOWN else found


class _Lookup:
    """Looks up attributes for one question, so many at most: properties may ask each other again and again."""

    def __init__(self) -> None:
        self._left = _MOST

    def attribute(self, value: Any, name: str, deep: int) -> Any:
        self._left -= 1
        if self._left < 0:
            return _UNKNOWN
        defined = class_attribute(type(value), name)
        if type(defined) is property:
            return _given_by(defined.fget, value, self, deep - 1) if deep else _UNKNOWN
        return _kept(value, name, defined)


def _kept(value: Any, name: str, defined: Any) -> Any:
    own = instance_dict(value)
    if class_attribute(type(defined), "__set__") is not None:
        return _UNKNOWN  # it goes before what is in the dict
    if name in own:
        return own[name]
    if is_module(value):
        parts = dict(Member(value).items("_modules"))
        if name in parts:
            return parts[name]
    return defined if any(type(defined) is cls for cls in _CONSTANTS) and defined is not None else _UNKNOWN


def _given_by(getter: Any, value: Any, lookup: _Lookup, deep: int) -> Any:
    if type(getter) is not FunctionType or getter.__code__.co_argcount != 1:
        return _UNKNOWN
    tree = tree_of(getter.__code__)
    if not isinstance(tree, ast.FunctionDef):
        return _UNKNOWN
    found = _Getter(getter.__code__.co_varnames[0], value, lookup, deep).returned(tree.body)
    return _UNKNOWN if found is _NO_RETURN else found


class _Getter:
    """Goes through the statements of a getter, as long as these only ask attributes and test them for None."""

    def __init__(self, self_name: str, value: Any, lookup: _Lookup, deep: int) -> None:
        self._lookup = lookup
        self._self_name = self_name
        self._value = value
        self._deep = deep

    def returned(self, body: list[ast.stmt]) -> Any:
        for statement in body:
            if isinstance(statement, ast.Return):
                return self._of(statement.value)
            if isinstance(statement, ast.If):
                outcome = self._outcome(statement.test)
                if outcome is None:
                    return _UNKNOWN
                branch = statement.body if outcome else statement.orelse
                if branch:
                    found = self.returned(branch)
                    if found is not _NO_RETURN:
                        return found
            elif not isinstance(statement, (ast.Assert, ast.Pass)) and not _is_text(statement):
                return _UNKNOWN
        return _NO_RETURN

    def _of(self, node: ast.expr | None) -> Any:
        if isinstance(node, ast.Name) and node.id == self._self_name:
            return self._value
        if isinstance(node, ast.Attribute):
            owner = self._of(node.value)
            return (
                _UNKNOWN if owner is _UNKNOWN or owner is None else self._lookup.attribute(owner, node.attr, self._deep)
            )
        if isinstance(node, ast.Constant) and any(type(node.value) is cls for cls in _CONSTANTS):
            return node.value
        if isinstance(node, ast.IfExp):
            outcome = self._outcome(node.test)
            return _UNKNOWN if outcome is None else self._of(node.body if outcome else node.orelse)
        return _UNKNOWN

    def _outcome(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None where that is not known."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._outcome(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            each = [self._outcome(part) for part in test.values]
            decides = isinstance(test.op, ast.Or)
            if decides in each:
                return decides
            return None if None in each else not decides
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
            sides = [self._of(test.left), self._of(test.comparators[0])]
            if any(side is _UNKNOWN for side in sides):
                return None
            return (sides[0] is sides[1]) is isinstance(test.ops[0], ast.Is)
        value = self._of(test)
        return value if type(value) is bool else False if value is None else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
