"""Finds code objects of the program that name an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType

from ...step.classes import functions_defined_by, is_library, undecorated
from ...step.step import Step

_FUNCTIONS = 2000


def codes_that_name(step: Step, name: str, *, variables: bool = False) -> Iterator[CodeType]:
    """The code objects that name an attribute: of functions and classes in sight.

    In sight of the file with the backward, and of modules in sight. ``variables``: arguments and closure variables of
    this name count too.
    """
    file = step.source.file
    visible_frames = [visible for visible in step.frames if visible.frame.f_code.co_filename == file]
    found = [
        value
        for visible in visible_frames
        for value in (*visible.variables.values(), *dict.values(visible.frame.f_globals))
    ]
    functions = [value for value in found if type(value) is FunctionType]
    in_sight = [value for value in found if issubclass(type(value), type) and not is_library(value)]
    classes = {id(cls): cls for cls in (*in_sight, *(type(member.module) for _, member in step.members.values()))}
    functions += (function for cls in classes.values() for function in functions_defined_by(cls))
    codes = (undecorated(function).__code__ for function in functions[:_FUNCTIONS])
    return (code for code in codes if _names(code, name, variables))


def is_elsewhere(code: CodeType, known: set[tuple[str, str]]) -> bool:
    """Whether it is the code of another function than these, but no ``__init__``."""
    return code.co_name != "__init__" and (code.co_filename, code.co_name) not in known


def _names(code: CodeType, name: str, variables: bool) -> bool:
    """Whether a function names it, also in its comprehensions and lambdas."""
    inner = (item for item in code.co_consts if type(item) is CodeType and item.co_name.startswith("<"))
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    is_variable = variables and (name in code.co_freevars or name in arguments)
    return name in code.co_names or is_variable or any(_names(item, name, variables) for item in inner)
