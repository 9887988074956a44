"""Decides whether some lines may clear gradients, by names alone.

An unknown call counts as one that may.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ....safe.guard import class_dict, class_module, instance_dict, mro, plain_str, top_package
from ...step.classes import is_library_module, underlying_function
from ...step.expressions import constant_of, text_of
from ...step.source import Source
from ...step.step import Step
from ..effects import CLEARING, LEAVING_SOMETHING
from .clears_of_others import Region, Site, clears_of_others, nodes_in, site_of

_WORDS = ("zero", "clear", "reset", "none")
#: what a loop, a ``with`` or a call runs of an object without naming it
_IMPLIED = ("__call__", "__iter__", "__next__", "__getitem__", "__enter__", "__exit__")
_MOST = 3000  #: functions


def may_clear_gradients(step: Step, region: Region, tensors: set[int]) -> bool:
    """Whether a region names anything that clears gradients, in functions that it calls too.

    A ``zero_grad`` that surely clears none of some tensors, by their ids, does not count: see `clears_of_others`.
    """
    functions = _functions(step, {level for level, _ in region})
    names, codes = set[str](_IMPLIED), list[CodeType]()
    others = clears_of_others(step, region, tensors)
    for level, lines in region:
        variables = step.frames[level].variables
        source = step.sources[level]
        found = set(_names_in(source, nodes_in(source.tree, lines), others.sites))
        names |= found
        codes += [code for name in found & set(variables) for code in _codes_of(variables[name])]
    files = {step.sources[level].file for level, _ in region}
    names.update(*(_names_in_lambdas(source) for source in step.sources if source.file in files))
    known, seen = set[str](), {visible.frame.f_code for visible in step.frames}
    while names or codes:
        if any(map(_is_of_clearing, names)):
            return True
        codes += [code for name in names for code in functions.get(name, ())]
        known |= names
        names = set()
        for code in codes:
            if code not in seen:
                seen.add(code)
                if others.may_be_called_by(code):
                    return True
                names.update(name for name in code.co_names if name != "zero_grad" or code not in others.codes)
                names.update(text for text in code.co_consts if type(text) is str)
                codes.extend(inner for inner in code.co_consts if type(inner) is CodeType)
        names -= known
        codes = []
    return len(functions) >= _MOST


def _is_of_clearing(name: str) -> bool:
    return name in CLEARING or (name.isidentifier() and "grad" in name and any(word in name for word in _WORDS))


def _names_in(source: Source, nodes: Iterable[ast.AST], others: Collection[Site] = ()) -> Iterator[str]:
    """The names in some nodes of a source, but those at the sites of others."""
    for node in nodes:
        if _may_be_of_zeros(node):
            yield "zero_"
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute) and (node.attr != "grad" or not isinstance(node.ctx, ast.Load)):
            if site_of(source, node) not in others:  # a gradient that is only read is not cleared
                yield node.attr
        elif isinstance(node, ast.Constant) and type(node.value) is str:
            yield node.value


def _may_be_of_zeros(node: ast.AST) -> bool:
    """Whether a node may make elements 0: ``g[:] = 0``, ``g *= 0``, ``g.mul_(0)``, ``p.grad.sub_(…)``."""
    if isinstance(node, ast.Assign):
        stored = [one for one in node.targets if isinstance(one, ast.Subscript)]
        are_zeros = constant_of(node.value) == 0 and any(map(_is_of_all, stored))
        return are_zeros or any(_is_gradient(one.value) for one in stored)
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, ast.Mult) and constant_of(node.value) == 0
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name, factors = node.func.attr, [constant_of(one) for one in node.args]
    if name.endswith("mul_"):
        return 0 in factors or (_is_gradient(node.func.value) and None in factors)
    return name.endswith("_") and name not in LEAVING_SOMETHING and _is_gradient(node.func.value)


def _is_of_all(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Slice) or constant_of(node.slice) is ...


def _is_gradient(node: ast.AST) -> bool:
    return text_of(node).removesuffix(".data").endswith(".grad")


def _names_in_lambdas(source: Source) -> Iterator[str]:
    """The names in lambdas: what is called out of a container has no name of its own."""
    for node in ast.walk(source.tree or ast.Pass()):
        if isinstance(node, ast.Lambda):
            yield from _names_in(source, ast.walk(node))


def _codes_of(value: Any) -> Iterator[CodeType]:
    if type(value) is MethodType:
        value = value.__func__
    elif type(value) is partial:
        value = value.func
    if type(value) is FunctionType:
        yield value.__code__


def _functions(step: Step, levels: set[int]) -> dict[str, list[CodeType]]:
    """The program's functions by name: of modules of frames, and of classes in sight."""
    found: dict[str, list[CodeType]] = {}
    seen = set[int]()
    waiting: list[Any] = [type(value) for (level, _), value in step.named_values() if level in levels]
    spaces: list[Any] = [step.frames[level].frame.f_globals for level in levels]
    while (waiting or spaces) and len(found) < _MOST:
        for space in spaces:
            waiting.extend(list(dict.values(space)) if id(space) not in seen else ())
            seen.add(id(space))
        spaces = []
        for value in waiting:
            if id(value) in seen:
                continue
            seen.add(id(value))
            if type(value) is FunctionType and _is_of_program(value.__module__):
                found.setdefault(value.__name__, []).append(value.__code__)
                spaces.append(value.__globals__)
            elif type(value) is ModuleType and _is_of_program(value.__name__):
                spaces.append(instance_dict(value))
            elif issubclass(type(value), type):
                spaces.extend(_methods(base) for base in mro(value) if _is_of_program(class_module(base)))
        waiting = []
    return found


def _methods(cls: type) -> dict[str, Any]:
    return {name: underlying_function(item) for name, item in class_dict(cls).items()}


def _is_of_program(name: Any) -> bool:
    """Whether a module of this name is neither a library's nor Python's own."""
    known = plain_str(name)
    is_tool = top_package(known) == top_package(__name__) or known in sys.builtin_module_names
    return not (is_tool or is_library_module(known))
