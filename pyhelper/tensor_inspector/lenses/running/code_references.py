"""Finds what functions of the program name: models, random generators, compiled functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ...measure.torch.modules import is_module
from ...safe.guard import instance_dict, plain_str
from ..step.classes import functions_defined_by, is_library, is_library_module
from .generators import is_generator

_FUNCTIONS = 2000


class CodeReferences:
    """What functions, and those that they call by name, may use."""

    def __init__(self) -> None:
        self.generators: list[Any] = []
        self.modules: list[Any] = []
        self.compiled = False
        self._seen: dict[int, Any] = {}
        self._waiting: list[FunctionType] = []

    def read(self, functions: Iterable[FunctionType]) -> None:
        """Goes on with further functions."""
        self._waiting.extend(functions)
        while self._waiting and len(self._seen) < _FUNCTIONS:
            self._read(self._waiting.pop())

    def _read(self, function: FunctionType) -> None:
        if id(function) in self._seen:
            return
        self._seen[id(function)] = function
        self.compiled = self.compiled or "_torchdynamo_orig_callable" in instance_dict(function)
        names = set(names_in_code(function.__code__))
        for value in (*_globals_of(function, names), *_closed_over(function)):
            self._take(value, names)

    def _take(self, value: Any, names: set[str]) -> None:
        if type(value) is MethodType:
            value = value.__func__
        if is_generator(value):
            self.generators.append(value)
        elif type(value) is FunctionType:
            if not is_library_module(plain_str(value.__module__)):
                self._waiting.append(value)
        elif type(value) is ModuleType and id(value) not in self._seen and not is_library_module(value.__name__):
            self._seen[id(value)] = value
            for name in names & set(instance_dict(value)):
                self._take(instance_dict(value)[name], names)
        elif is_module(value):
            self.modules.append(value)
            self._waiting.extend(functions_defined_by(type(value)))
        elif issubclass(type(value), type) and not is_library(value):
            self._waiting.extend(functions_defined_by(value))


def names_in_code(code: CodeType) -> Iterator[str]:
    """The global variables and attributes that code names, and the functions inside it."""
    waiting = [code]
    while waiting:
        current = waiting.pop()
        yield from current.co_names
        waiting.extend(item for item in current.co_consts if type(item) is CodeType)


def _globals_of(function: FunctionType, names: set[str]) -> Iterator[Any]:
    known = function.__globals__
    return (known[name] for name in names if name in known)


def _closed_over(function: FunctionType) -> Iterator[Any]:
    """What its closure, its defaults, and what it wraps are."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # empty
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
