"""One object where several are usual: a default argument that a function changes, and every call goes on with."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from ....safe.guard import Classes, class_dict, mro
from ....words.text import plural
from ...findings.finding import Violation
from ...step.expressions import text_of
from ...step.frames import VisibleFrame, global_of
from ...step.source import Source
from ...step.step import Step
from ..changed import is_changed
from ..detector import detector
from ..reading import BoundedReading

_CHANGING = Classes(list, dict, set)


@detector(
    100,
    because="a default that is changed on purpose is called a cache; any other was meant to begin anew in each call",
    why="A default is made once, with the function: what one call puts into it the next one finds.",
    suggestion="begin with None, and make it in the function",
)
def default_of_all_calls(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``def train(model, losses=[])`` that appends to it."""
    for level, visible in reading.each(enumerate(step.frames)):
        around = step.frames[level + 1 : level + 2]
        function = _function_of(visible, around)
        for name, value in [] if function is None else _defaults(function):
            is_held = visible.variables.get(name) is value
            if not is_held or type(value) not in _CHANGING or "cache" in name or "memo" in name:
                continue
            count, kind = type(value).__len__(value), type(value).__name__
            source = step.sources[level]
            if (
                not count
                or not source.is_known()
                or not (is_changed(source, (name,), (name,)) or _began_empty(source, name))
            ):
                continue
            yield Violation(
                (
                    f"{name} is the default of {source.function}",
                    ": ",
                    f"one {kind} for all calls, with {plural(count, 'item')} in it",
                ),
                (name, f"{kind} of {count}, the default argument itself"),
                line=(source.file, getattr(source.tree, "lineno", source.lineno)),
            )


def _function_of(visible: VisibleFrame, around: list[VisibleFrame]) -> FunctionType | None:
    """The function of a frame, by its name: of the caller, of the module, or of the class of its first argument."""
    code = visible.frame.f_code
    first = next(iter(code.co_varnames), None)
    owner = None if first is None else visible.variables.get(first)
    found: list[Any] = [one.variables.get(code.co_name) for one in around]
    found += [
        global_of(visible.frame, code.co_name),
        *(class_dict(base).get(code.co_name) for base in mro(type(owner))),
    ]
    return next((one for one in found if type(one) is FunctionType and one.__code__ is code), None)


def _defaults(function: FunctionType) -> list[tuple[str, Any]]:
    code, given = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(given) : code.co_argcount]
    return [*zip(names, given), *(function.__kwdefaults__ or {}).items()]


def _began_empty(source: Source, name: str) -> bool:
    """Whether the source writes a default as ``[]``, ``{}`` or ``set()``: what is in it now came later."""
    if not isinstance(source.tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    given = source.tree.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    written = dict(zip(reversed(names), reversed(given.defaults)))
    written |= {argument.arg: default for argument, default in zip(given.kwonlyargs, given.kw_defaults) if default}
    return text_of(written.get(name)) in ("[]", "{}", "list()", "dict()", "set()")
