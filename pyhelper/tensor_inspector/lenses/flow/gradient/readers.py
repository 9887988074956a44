"""Finds the functions that read the gradients of what a container holds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ...step.classes import function_called
from ...step.expressions import bound_in, text_of
from ...step.source import Source
from ...step.step import Step


def readers_of(step: Step, container: str) -> Iterator[tuple[Source, str]]:
    """The sources that work on a container, each with the name that it has there."""
    yield step.source, container
    yield from functions_given(step, lambda argument: text_of(argument) == container)


def functions_given(step: Step, is_it: Callable[[ast.expr], bool]) -> Iterator[tuple[Source, str]]:
    """The functions that the step gives an argument, each with its name there."""
    for call in step.source.calls:
        given = [*enumerate(call.args), *call.keywords.items()]
        positions = [at for at, argument in given if is_it(argument)]
        called = function_called(step, call, step.level) if positions else None
        if called is None:
            continue
        names = called.arguments if call.receiver is None else called.arguments[1:]
        by_position: dict[object, str] = dict(enumerate(names))
        for at in positions:
            name = at if type(at) is str else by_position.get(at)
            if name is not None:
                yield called, name


def reads_gradients(source: Source, container: str) -> bool:
    """Whether a source reads ``.grad`` of the items of a container."""
    names = {name for loop in loops_in(source) if container in _entries_of(loop.iter) for name in bound_in(loop.target)}
    read = [node.value for node in source.nodes if isinstance(node, ast.Attribute) and node.attr == "grad"]
    return any(
        text_of(node) in names or (isinstance(node, ast.Subscript) and text_of(node.value) == container)
        for node in read
    )


def _entries_of(values: ast.expr) -> set[str]:
    """What a loop goes through: ``weights.values()``, ``zip(weights, moments)``."""
    inside = values.args if isinstance(values, ast.Call) else []
    owner = values.func.value if isinstance(values, ast.Call) and isinstance(values.func, ast.Attribute) else values
    return {text_of(owner), *(name for one in inside for name in _entries_of(one))}


def loops_in(source: Source) -> list[ast.For | ast.comprehension]:
    return [node for node in source.nodes if isinstance(node, (ast.For, ast.comprehension))]
