"""The source of a class's methods, and whether a class belongs to a library."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...safe.guard import class_dict, class_module, instance_dict, mro, top_package
from ...safe.installed import is_installed_file
from .frames import global_of
from .source import Source, source_of

if TYPE_CHECKING:
    from .calls import Call
    from .step import Step

_METHODS = 200
_STANDARD = os.path.dirname(ast.__file__) + os.sep
_DECORATORS = 32  #: around one function
#: what a function in a class may be wrapped in, by the id of its class: the attribute that gives it
_WRAPPED = {
    id(staticmethod): "__func__",
    id(classmethod): "__func__",
    id(property): "fget",
    id(cached_property): "func",
}


def is_library(cls: type) -> bool:
    """Whether a class stands in an installed package or the standard library, not in the user's own files."""
    return is_library_module(class_module(cls))


def is_library_module(name: str) -> bool:
    if top_package(name) in ("torch", "builtins", "transformers", "torchvision", "timm", "diffusers", "peft"):
        return True
    file: Any = getattr(sys.modules.get(name), "__file__", None)
    return type(file) is str and (is_standard(file) or is_installed_file(file))


def is_standard(file: str) -> bool:
    """Whether a file belongs to the standard library."""
    return file.startswith(_STANDARD) and not is_installed_file(file)


def underlying_function(item: Any) -> Any:
    """What stands in a class, or the function that it wraps, as a property does."""
    wrapped = _WRAPPED.get(id(type(item)))
    return item if wrapped is None else getattr(item, wrapped, None)


def functions_defined_by(cls: type) -> Iterator[FunctionType]:
    """The functions that the program's own classes define."""
    for base in mro(cls):
        if base is not object and not is_library(base):
            for item in list(class_dict(base).values()):
                inner = underlying_function(item)
                if type(inner) is FunctionType:
                    yield inner


def undecorated(function: FunctionType) -> FunctionType:
    """What a decorator, as that of ``no_grad``, was put around."""
    for _ in range(_DECORATORS):  # a function may be said to wrap itself
        inner = instance_dict(function).get("__wrapped__")
        if type(inner) is not FunctionType:
            break
        function = inner
    return function


def methods_of(cls: type) -> Iterator[tuple[str, Source]]:
    """The methods of a class and of those of its bases that are the user's, by name, with their source.

    A method of a base that the class replaces is left out, where nothing calls it by ``super()``.
    """
    count = 0
    replaced: set[str] = set()
    for base in mro(cls):
        if (base is not cls and is_library(base)) or base is object:
            continue
        methods = {
            name: undecorated(item) for name, item in list(class_dict(base).items()) if type(item) is FunctionType
        }
        for name, item in methods.items():
            if name not in replaced and count < _METHODS:
                count += 1
                yield name, source_of(item.__code__)
        replaced.update(name for name, item in methods.items() if "super" not in item.__code__.co_names)


def own_methods_of(value: object) -> list[tuple[str, Source]]:
    """The methods of what a function is given first, as ``self`` is, where its class is the user's: the hundreds that a
    table of pandas has tell nothing of the program."""
    return [] if is_library(type(value)) else list(methods_of(type(value)))


def forward_of(cls: type) -> Source | None:
    return next((source for name, source in methods_of(cls) if name == "forward"), None)


def function_called(step: Step, call: Call, level: int) -> Source | None:
    """The source of the user's function, or method, that a call in a frame's source runs."""
    owner, _, name = call.callee.rpartition(".")
    if not owner:
        seen = step.frames[level]
        value = seen.variables.get(name, global_of(seen.frame, name))
        return source_of(value.__code__) if type(value) is FunctionType else None
    cls = type(step.value(owner, level))
    return None if is_library(cls) else next((source for known, source in methods_of(cls) if known == name), None)
