"""A property of a module that fails inside: torch then says that the module has no such attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

from .....measure.torch.modules import PARTS, is_module, registered
from .....safe.attributes import attribute
from .....safe.guard import class_dict, class_name, dict_attribute, each, instance_dict, mro
from ....findings.finding import Violation
from ....step.expressions import is_name, text_of
from ....step.source import Source, source_of
from ....step.statements import end_of
from ...error_context import ErrorContext
from ...values import nearest

_MISSING = object()
_DEEPEST = 6  #: properties that ask for others
#: Statements, and parts of expressions, that may leave out what stands in them.
_UNSURE = (ast.Try, ast.For, ast.While, ast.With, ast.FunctionDef, ast.ClassDef)
_UNSURE_PARTS = (
    ast.Call,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.Lambda,
    ast.BoolOp,
    ast.IfExp,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)


def hidden_property(context: ErrorContext, value: Any, text: str, wanted: str) -> Violation | None:
    """What a property of a module asks for and does not find; None where the class has no such property."""
    getter = _getter(type(value), wanted)
    if getter is None:
        return None
    holder, found = class_name(type(value)), _missing_in(value, getter, 0)
    fact = (text, f"{holder}, whose {wanted} is a property")
    if found is None:
        title = (f"the property {wanted} of {text} fails", ": ", "an AttributeError that it raised itself is hidden")
        fit = f"type({text}).{wanted}.{_function_of(type(value), wanted)}({text}) raises it as it is"
        violation = context.found(title, fact, suggestion=fit)
        violation.line = (getter.__code__.co_filename, getter.__code__.co_firstlineno)
        return violation
    source, node, owner = found
    name = f"{text_of(node.value)} ({class_name(type(owner))})"
    title = (f"the property {wanted} of {text} fails", ": ", f"{name} has no {node.attr}")
    near = nearest(node.attr, _names(owner))
    fit = "" if near is None else f"{text_of(node.value)}.{near}"
    violation = context.found(title, fact, (text_of(node), "is not there"), suggestion=fit)
    violation.line = (source.file, node.lineno)
    return violation


def _getter(cls: type, name: str) -> FunctionType | None:
    """The function behind a property of a class."""
    for base in mro(cls):
        found = class_dict(base).get(name, _MISSING)
        if found is not _MISSING:
            function = (
                found.fget if type(found) is property else getattr(found, "func", None) if _is_cached(found) else None
            )
            return function if type(function) is FunctionType else None
    return None


def _function_of(cls: type, name: str) -> str:
    """What the function behind a property is called."""
    found = next((class_dict(base)[name] for base in mro(cls) if name in class_dict(base)), None)
    return "func" if _is_cached(found) else "fget"


def _is_cached(found: Any) -> bool:
    return type(found) is cached_property


def _missing_in(value: Any, getter: FunctionType, depth: int) -> tuple[Source, ast.Attribute, Any] | None:
    """The first attribute that a getter surely asks for and that is not there: its source, the node, whose it would be."""
    source = source_of(getter.__code__)
    if depth > _DEEPEST:
        return None
    for node in _surely_read(source):
        owner = _read(value, node.value, source.self_name)
        if owner is _MISSING:
            continue
        inner = _getter(type(owner), node.attr)
        if inner is not None:
            found = _missing_in(owner, inner, depth + 1)
            if found is not None:
                return found
        elif not _is_there(owner, node.attr):
            return None if _is_computed(owner) else (source, node, owner)
    return None


def _surely_read(source: Source) -> list[ast.Attribute]:
    """The attributes that each call of the getter reads before it calls anything, in order: none behind a condition, and
    none that it assigns."""
    found: list[ast.Attribute] = []
    assigned: set[str] = set()
    for statement in source.body:
        # Of what has branches the condition comes first; what they do, or a call does, is not followed.
        part = statement.test if isinstance(statement, (ast.If, ast.Assert)) else statement
        if issubclass(type(part), _UNSURE) or type(part).__name__ == "Match":
            break
        found += _attributes(part, assigned)
        if isinstance(statement, ast.If) or any(issubclass(type(node), _UNSURE_PARTS) for node in ast.walk(part)):
            break
        assigned |= {text_of(node) for node in ast.walk(statement) if _is_assigned(node)}
    return found


def _attributes(part: ast.AST, assigned: set[str]) -> list[ast.Attribute]:
    nodes = list(ast.walk(part))
    if any(issubclass(type(node), _UNSURE_PARTS) and not isinstance(node, ast.Call) for node in nodes):
        return []
    called = [end_of(node.func) for node in nodes if isinstance(node, ast.Call)]
    until = min(called, default=(1 << 30, 0))
    read = [
        node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and is_name(node)
    ]
    return sorted((one for one in read if text_of(one) not in assigned and end_of(one) <= until), key=end_of)


def _is_assigned(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


def _read(value: Any, node: ast.AST, self_name: str) -> Any:
    """What an expression of names and attributes is, read without running code."""
    if isinstance(node, ast.Name):
        return value if node.id == self_name else _MISSING
    if not isinstance(node, ast.Attribute):
        return _MISSING
    owner = _read(value, node.value, self_name)
    return _MISSING if owner is _MISSING else _held(owner, node.attr)


def _held(owner: Any, name: str) -> Any:
    found = registered(owner, name, _MISSING) if is_module(owner) else _MISSING
    if found is not _MISSING:
        return found
    try:
        return attribute(owner, name)
    except AttributeError:
        return _MISSING


def _is_there(owner: Any, name: str) -> bool:
    """Whether an object has the attribute, or its class has something else of that name than a property."""
    if _held(owner, name) is not _MISSING:
        return True
    in_class = any(name in class_dict(base) for base in mro(type(owner)))
    return in_class and _getter(type(owner), name) is None


def _is_computed(owner: Any) -> bool:
    """Whether its class computes attributes that are not there; that of a module only looks into its parts."""
    bases = (base for base in mro(type(owner)) if not (is_module(owner) and class_name(base) == "Module"))
    return any(
        name in class_dict(base) for base in bases if base is not object for name in ("__getattr__", "__getattribute__")
    )


def _names(owner: Any) -> Iterator[str]:
    yield from (name for name in each(dict.keys, instance_dict(owner)) if type(name) is str)
    for part in PARTS if is_module(owner) else ():
        yield from (name for name in each(dict.keys, dict_attribute(owner, part)) if type(name) is str)
