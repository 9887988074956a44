"""Computes what a function of one number returns, by its source, without running it."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Union

from ....safe.guard import NUMBERS, SEQUENCES, class_attribute, instance_dict
from ...step.classes import undecorated
from ...step.expressions import is_name, text_of
from ...step.functions import attribute_of, free_of
from ...step.parsed import lambda_of, tree_of
from ..interpret import Allowance, Domain, Interpreter, Names, TooMuch
from .conditions import COMPARING

_STEPS = 20_000  #: statements, expressions and calls that a function takes for one number
_ALL = 500_000  #: that functions take for all numbers that they are computed for
_DEPTH = 40
_GENERATOR = 0x20  #: of `inspect`, which a debugger may not have loaded
_OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
    ast.FloorDiv: lambda one, other: one // other,
    ast.Mod: lambda one, other: one % other,
    ast.Pow: lambda one, other: one**other,
}
#: Of several numbers, or of the items of one list.
_OF_ITEMS: dict[str, Callable[..., float]] = {"len": len, "max": max, "min": min, "sum": sum}
_BUILTINS: dict[str, Any] = {**_OF_ITEMS, "abs": abs, "float": float, "int": int, "range": range}
_FUNCTIONS: tuple[Callable[..., float], ...] = (
    *(abs, float, int, max, min),
    *(math.ceil, math.cos, math.exp, math.floor, math.log, math.pow, math.sin, math.sqrt, math.tanh),
)
_Tree = Union[ast.Lambda, ast.FunctionDef]


class NotComputed(Exception):
    """Why it is not known: the function does more than compute with numbers."""


def functions_of_number(functions: Iterable[Any]) -> list[Callable[[float], float]] | None:
    """What computes functions of one number, each once; None where the source of one is not known."""
    whole = Allowance(_ALL)
    found = [function_of_number(one, whole) for one in {id(one): one for one in functions}.values()]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def function_of_number(function: Any, whole: Allowance | None = None) -> Callable[[float], float] | None:
    """What computes the function of one number; None where its source is not known. It may raise `NotComputed`.

    ``whole``: what it may take for all numbers.
    """
    function, before, given = _plain(function)
    tree = None if function is None else _tree(function)
    if tree is None:
        return None
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    subject = next(iter(names[len(before) :]), None)
    if subject is None:
        return None
    known = {**_defaults(function), **given, **dict(zip(names, before))}
    together = Allowance(_ALL) if whole is None else whole

    def at(number: float) -> float:
        try:
            return _result(function, tree, {**known, subject: number}, Allowance(_STEPS, _DEPTH, together))
        except (ArithmeticError, ValueError, TypeError, IndexError, TooMuch) as error:
            raise NotComputed from error

    return at


def _tree(function: FunctionType) -> _Tree | None:
    tree: Any = lambda_of(function.__code__) or tree_of(function.__code__)
    is_plain = isinstance(tree, (ast.Lambda, ast.FunctionDef)) and not function.__code__.co_flags & _GENERATOR
    return tree if is_plain else None


def _defaults(function: FunctionType) -> dict[str, Any]:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    return {**dict(zip(reversed(names), reversed(function.__defaults__ or ()))), **(function.__kwdefaults__ or {})}


def _result(function: FunctionType, tree: _Tree, names: Names[Any], allowance: Allowance) -> float:
    numbers = _Arithmetic(function, allowance)
    if isinstance(tree, ast.Lambda):
        return numbers.number(tree.body, names)
    end = Interpreter(numbers, allowance).run(tree.body, names)
    return numbers.result if end is None and numbers.result is not None else _refused()


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


class _Arithmetic(Domain[Any]):
    """Computes with the numbers of one function: each condition goes one way, each loop comes to its end."""

    def __init__(self, function: FunctionType, allowance: Allowance) -> None:
        self._function = function
        self._allowance = allowance
        self.result: float | None = None

    # Statements

    def assigned(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign, names: Names[Any]) -> None:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or statement.value is None:
            raise NotComputed
        name = targets[0].id
        value = self.number(statement.value, names)
        if isinstance(statement, ast.AugAssign):
            value = _operated(statement.op, self._named(name, names), value)
        names[name] = value

    def evaluated(self, value: ast.expr, names: Names[Any]) -> None:
        if not isinstance(value, ast.Constant):
            raise NotComputed

    def returned(self, value: ast.expr | None, names: Names[Any]) -> None:
        self.result = _refused() if value is None else self.number(value, names)

    def other(self, statement: ast.stmt, names: Names[Any]) -> None:
        if not isinstance(statement, ast.Pass):
            raise NotComputed

    def join(self, one: Any, other: Any) -> Any:
        raise NotComputed

    def condition(self, test: ast.expr, names: Names[Any]) -> bool:
        return bool(self.number(test, names))

    def looped(self, target: ast.expr, values: ast.expr, item: Any, names: Names[Any]) -> None:
        if not isinstance(target, ast.Name) or item is None:
            raise NotComputed
        names[target.id] = item

    def entered(self, items: list[ast.withitem], line: int) -> object:
        raise NotComputed

    def items(self, values: ast.expr, names: Names[Any]) -> list[float]:
        """The numbers of a list, of a `range`, or of a comprehension."""
        if isinstance(values, (ast.Tuple, ast.List)):
            return [self.number(part, names) for part in values.elts]
        if isinstance(values, (ast.ListComp, ast.GeneratorExp)) and len(values.generators) == 1:
            return self._comprehended(values.elt, values.generators[0], names)
        found: Any = self._value(text_of(values), names) if is_name(values) else None
        called = self._value(text_of(values.func), names) if isinstance(values, ast.Call) else None
        if isinstance(values, ast.Call) and called is range and not values.keywords:
            found = range(*(int(self.number(part, names)) for part in values.args))
        if type(found) is not range and type(found) not in SEQUENCES:
            raise NotComputed
        numbers = []
        for item in found:
            self._allowance.count()
            numbers.append(_plain_number(item))
        return numbers

    def _comprehended(self, element: ast.expr, loop: ast.comprehension, names: Names[Any]) -> list[float]:
        found = []
        for item in self.items(loop.iter, names):
            inner = dict(names)
            self.looped(loop.target, loop.iter, item, inner)
            if all(self.number(test, inner) for test in loop.ifs):
                found.append(self.number(element, inner))
        return found

    # Expressions

    def number(self, node: ast.expr, names: Names[Any]) -> float:
        """A number, of which all are floats: powers of whole numbers could take forever."""
        self._allowance.count()
        if isinstance(node, ast.Constant):
            return _plain_number(node.value)
        if isinstance(node, ast.Name):
            return self._named(node.id, names)
        return self._allowance.nested(lambda: self._number(node, names))

    def _number(self, node: ast.expr, names: Names[Any]) -> float:
        if isinstance(node, ast.Attribute) and is_name(node):
            return self._named(text_of(node), names)
        if isinstance(node, ast.Subscript):
            at = self.number(node.slice, names)
            return self.items(node.value, names)[int(at)] if at.is_integer() else _refused()
        if isinstance(node, ast.BinOp):
            return _operated(node.op, self.number(node.left, names), self.number(node.right, names))
        if isinstance(node, ast.UnaryOp):
            operand = self.number(node.operand, names)
            signs = {ast.USub: -operand, ast.UAdd: operand, ast.Not: float(not operand)}
            return signs[type(node.op)] if type(node.op) in signs else _refused()
        if isinstance(node, ast.Compare):
            return self._compared(node, names)
        if isinstance(node, ast.BoolOp):
            return self._either(node, names)
        if isinstance(node, ast.IfExp):
            return self.number(node.body if self.condition(node.test, names) else node.orelse, names)
        return self._called(node, names) if isinstance(node, ast.Call) and is_name(node.func) else _refused()

    def _compared(self, node: ast.Compare, names: Names[Any]) -> float:
        left = self.number(node.left, names)
        for operator, side in zip(node.ops, node.comparators):
            right = self.number(side, names)
            compare = COMPARING.get(type(operator))
            if compare is None:
                raise NotComputed
            if not compare(left, right):
                return 0.0
            left = right
        return 1.0

    def _either(self, node: ast.BoolOp, names: Names[Any]) -> float:
        is_and, value = isinstance(node.op, ast.And), 0.0
        for part in node.values:
            value = self.number(part, names)
            if bool(value) is not is_and:
                break
        return value

    def _called(self, node: ast.Call, names: Names[Any]) -> float:
        function = self._value(text_of(node.func), names)
        of_items = next((one for one in _OF_ITEMS.values() if one is function), None)
        if of_items is not None and len(node.args) == 1 and not node.keywords:
            return float(of_items(self.items(node.args[0], names)))
        known = next((one for one in _FUNCTIONS if one is function), None)
        if known is not None:
            return _refused() if node.keywords else float(known(*(self.number(part, names) for part in node.args)))
        return self._entered_call(function, node, names)

    def _entered_call(self, function: Any, node: ast.Call, names: Names[Any]) -> float:
        """What another function of the program returns."""
        self._allowance.count()
        inner, before, given = _plain(function)
        tree = None if inner is None else _tree(inner)
        if inner is None or tree is None or any(isinstance(part, ast.Starred) for part in node.args):
            raise NotComputed
        code = inner.__code__
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        values = [*before, *(self._argument(part, names) for part in node.args)]
        by_name = {part.arg: self._argument(part.value, names) for part in node.keywords if part.arg}
        known = {**_defaults(inner), **given, **dict(zip(arguments[: code.co_argcount], values)), **by_name}
        if len(values) > code.co_argcount or known.keys() != set(arguments) or len(by_name) < len(node.keywords):
            raise NotComputed
        return _result(inner, tree, known, self._allowance)

    def _argument(self, node: ast.expr, names: Names[Any]) -> Any:
        """A number, or a list or an object by its name."""
        return self._value(text_of(node), names) if is_name(node) else self.number(node, names)

    def _named(self, name: str, names: Names[Any]) -> float:
        return _plain_number(self._value(name, names))

    def _value(self, name: str, names: Names[Any]) -> Any:
        root, *attributes = name.split(".")
        if root in names:
            value = names[root]
        else:
            value = free_of(self._function, root)
            value = _BUILTINS.get(root) if value is None else value
        for attribute in attributes:
            value = instance_dict(value).get(attribute) if value is math else attribute_of(value, attribute)
        return value


def _operated(operator: ast.operator, one: float, other: float) -> float:
    found = _OPERATORS[type(operator)](one, other) if type(operator) in _OPERATORS else None
    return found if type(found) is float else _refused()


def _plain_number(value: Any) -> float:
    return float(value) if type(value) in NUMBERS or type(value) is bool else _refused()


def _refused() -> float:
    raise NotComputed
