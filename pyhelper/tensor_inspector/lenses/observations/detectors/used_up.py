"""Used up: a generator or an iterator that is finished, where the program will take values from it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import GeneratorType
from typing import Any

from ....safe.guard import Classes, plain_str
from ...findings.finding import Violation
from ...step.expressions import text_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

#: Iterators that tell how much is left, without giving any of it.
_EMPTY: tuple[Any, ...] = ([], (), range(0), {}, {}.values(), {}.items(), set())
_COUNTED = Classes(*(type(iter(made)) for made in _EMPTY))


@detector(
    300,
    because="who names a generator goes through it once; a finished one that is named again gives nothing",
    why="A loop over it does nothing, and a call that is given it gets nothing: no error says so.",
    suggestion="make a list of it where it is made: list(model.parameters())",
)
def used_up(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``weights = model.parameters()``, counted, and then given to ``clip_grad_norm_`` in each round."""
    for level in range(len(step.sources)):
        source = step.sources[level]
        for name, value in reading.each(step.frames[level].variables.items()):
            if not _is_finished(value):
                continue
            use = _next_use(source, name)
            if use is not None:
                yield Violation(
                    (f"{name} is used up", ": ", f"line {use} gets nothing from it"),
                    (name, f"{_what(value)}, finished"),
                    line=(source.file, use),
                )


def _is_finished(value: Any) -> bool:
    if type(value) is GeneratorType:
        return value.gi_frame is None
    return type(value) in _COUNTED and type(value).__length_hint__(value) == 0


def _what(value: Any) -> str:
    if type(value) is not GeneratorType:
        return "an iterator"
    return f"a generator of {plain_str(value.__qualname__)}"


def _next_use(source: Source, name: str) -> int | None:
    """The line in which the name is read next with what it means now: further down, or in the next round of a loop."""
    lines = sorted(
        node.lineno
        for node in source.nodes
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) and not _asks(source, node)
    )
    bound = [line for line, _ in source.bindings.get(name, ())]
    later = [line for line in lines if line > source.lineno]
    loops = [(first, last) for first, last in source.loops if first <= source.lineno <= last]
    again = [
        line
        for first, last in sorted(loops, key=lambda loop: loop[0] - loop[1], reverse=True)
        for line in lines
        if first < line <= source.lineno and not any(first <= at <= last for at in bound)
    ]
    return next((line for line in [*again, *later] if source.is_current(name, line) or line in again), None)


def _asks(source: Source, node: ast.Name) -> bool:
    """Whether it is read only to be asked about: ``next(it, None)`` knows what to do where nothing is left."""
    return any(
        isinstance(call.node, ast.Call) and text_of(call.node.func) == "next" and len(call.args) > 1
        for call in source.calls
        if any(argument is node for argument in call.args)
    )
