"""Finds which entries of a list or dict of modules a class uses."""

from __future__ import annotations

import ast
from typing import Any

from ...safe.guard import SEQUENCES
from ..step.classes import methods_of
from ..step.expressions import constant_of, text_of
from ..step.source import Source
from .effects import MODULES

_MAKING = ("__init__", "reset_parameters", "init_weights")
#: By these a method iterates over all parts, or reaches them by names that are not in the source.
ALL_PARTS = (*MODULES, "_modules", "getattr", "super")


def computing_methods(cls: type) -> list[Source]:
    """The methods of a class other than those that only build it."""
    return [source for name, source in methods_of(cls) if name not in _MAKING]


def entries_taken(cls: type, attribute: str, keys: list[str]) -> list[str] | None:
    """The entries of a list or dict of modules that methods use; None where not all are readable."""
    taken: list[str] = []
    for source in computing_methods(cls):
        if not source.is_known() or source.mentions(*ALL_PARTS):
            return None
        own, found = f"{source.self_name}.{attribute}", 0
        for node in source.nodes:
            if isinstance(node, ast.Subscript) and text_of(node.value) == own:
                some = _entries(source, node.slice, keys)
                if some is None:
                    return None
                taken, found = [*taken, *some], found + 1
            elif (
                isinstance(node, ast.Call)
                and text_of(node.func) == "len"
                and [text_of(given) for given in node.args] == [own]
            ):
                found += 1
        if found != _times_named(source, attribute):
            return None
    return [key for key in keys if key in taken]


def _times_named(source: Source, attribute: str) -> int:
    return sum(isinstance(node, ast.Attribute) and node.attr == attribute for node in source.nodes)


def _entries(source: Source, node: ast.expr, keys: list[str]) -> list[str] | None:
    """The entries that a constant subscript takes: ``["box"]``, ``[-1]``, ``[:3]``, ``[i]`` of a loop."""
    if isinstance(node, ast.Slice):
        bounds = [None if bound is None else constant_of(bound) for bound in (node.lower, node.upper, node.step)]
        given = [bound for bound in (node.lower, node.upper, node.step) if bound is not None]
        if not all(type(bound) is int for bound in bounds if bound is not None) or len(given) > len(
            [one for one in bounds if one is not None]
        ):
            return None
        return keys[slice(*bounds)]
    values = _constants(source, node)
    if values is None:
        return None
    at = [keys[value] if type(value) is int and -len(keys) <= value < len(keys) else value for value in values]
    return [key for key in at if type(key) is str]


def _constants(source: Source, node: ast.expr) -> list[Any] | None:
    """The values of a literal, or of a loop's variable over literals; else None."""
    value = constant_of(node)
    if value is not None:
        return [value]
    bound = source.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
    loop = bound[0][1] if len(bound) == 1 else None
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or not isinstance(node, ast.Name):
        return None
    if isinstance(loop.iter, ast.Call) and text_of(loop.iter.func) == "range" and not loop.iter.keywords:
        numbers = [constant_of(given) for given in loop.iter.args]
        return list(range(*numbers)[:1000]) if numbers and all(type(number) is int for number in numbers) else None
    found = constant_of(loop.iter)
    return list(found) if type(found) in SEQUENCES else None
