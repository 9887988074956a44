"""What the code of a model's forward names: generators of random numbers, and functions that are compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ...measure.torch.modules import is_module
from ...safe.guard import class_dict, instance_dict, mro, plain_str
from ..step.step import Step
from .classes import is_library, is_library_module, unwrapped
from .duplicates import is_generator

_FUNCTIONS = 2000


class Reached:
    """What functions, and those that they call by name, may use."""

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        self.generators: list[Any] = []
        self.compiled = False
        self._seen: dict[int, Any] = {}
        self._waiting = list(functions)
        while self._waiting and len(self._seen) < _FUNCTIONS:
            self._read(self._waiting.pop())

    def _read(self, function: FunctionType) -> None:
        if id(function) in self._seen:
            return
        self._seen[id(function)] = function
        self.compiled = self.compiled or "_torchdynamo_orig_callable" in instance_dict(function)
        names = set(_names_of(function.__code__))
        for value in (*_globals_of(function, names), *_held_by(function)):
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
            self._waiting.extend(methods(type(value)))
        elif issubclass(type(value), type) and not is_library(value):
            self._waiting.extend(methods(value))


def codes_that_name(step: Step, attribute: str) -> Iterator[CodeType]:
    """What names an attribute: the functions that the file with the backward has in sight, methods of the classes there
    and of the modules in sight."""
    file = step.source.file
    views = [view for view in step.views if view.frame.f_code.co_filename == file]
    found = [value for view in views for value in (*view.variables.values(), *dict.values(view.frame.f_globals))]
    functions = [value for value in found if type(value) is FunctionType]
    in_sight = [value for value in found if issubclass(type(value), type) and not is_library(value)]
    classes = {id(cls): cls for cls in (*in_sight, *(type(member.module) for _, member in step.members.values()))}
    functions += (function for cls in classes.values() for function in methods(cls))
    return (function.__code__ for function in functions[:_FUNCTIONS] if _names(function.__code__, attribute))


def methods(cls: type) -> Iterator[FunctionType]:
    """The functions that the program's own classes define."""
    for base in mro(cls):
        if base is not object and not is_library(base):
            for item in list(class_dict(base).values()):
                inner = unwrapped(item)
                if type(inner) is FunctionType:
                    yield inner


def _names(code: CodeType, attribute: str) -> bool:
    """Whether a function names it, also in its comprehensions and lambdas, which have a code of their own."""
    inner = (item for item in code.co_consts if type(item) is CodeType and item.co_name.startswith("<"))
    return attribute in code.co_names or any(_names(item, attribute) for item in inner)


def _names_of(code: CodeType) -> Iterator[str]:
    waiting = [code]
    while waiting:
        current = waiting.pop()
        yield from current.co_names
        waiting.extend(item for item in current.co_consts if type(item) is CodeType)


def _globals_of(function: FunctionType, names: set[str]) -> Iterator[Any]:
    known = function.__globals__
    return (known[name] for name in names if name in known)


def _held_by(function: FunctionType) -> Iterator[Any]:
    """What its closure, its defaults, and what it wraps are."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # empty
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
