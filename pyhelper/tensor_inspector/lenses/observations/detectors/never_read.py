"""Taken and never read: a mask, lengths or the ends of episodes that a function is given, and does not use."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...findings.finding import Violation
from ...flow.effects import REACHING_VARIABLES
from ...step.classes import is_library, methods_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_WORDS = ("mask", "length", "lens", "done", "terminated", "terminal", "truncated")


@detector(
    30,
    because="who takes apart a mask or lengths most often needs them; an interface that asks for more is seldom",
    why="Padding counts as data, or what comes after the end of an episode as its continuation.",
    suggestion="use it, or leave it out where it is taken",
)
def never_read(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``def forward(self, ids, lengths)`` that does not name ``lengths``; ``state, reward, done = batch``."""
    told: set[tuple[str, int]] = set()
    for source in reading.each(_functions(step)):
        for name, line in _taken(source):
            if (source.file, line) not in told and not _is_read(source, name):
                told.add((source.file, line))
                yield Violation(
                    (f"{name} is never read", ", ", f"though {source.function} takes it"),
                    (name, "a name that no line of the function reads"),
                    line=(source.file, line),
                )


def _functions(step: Step) -> Iterator[Source]:
    """The functions in sight, and those that the user's modules are called by."""
    yield from step.sources
    classes = {id(cls): cls for _, member in step.members.values() if not is_library(cls := type(member.module))}
    for cls in classes.values():
        yield from (source for name, source in methods_of(cls) if name == "forward")


def _taken(source: Source) -> Iterator[tuple[str, int]]:
    """The names that a function must be given, or takes out of something beside others, with their lines."""
    tree = source.tree
    if not isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return  # other functions may read the names of a file
    given = [*tree.args.posonlyargs, *tree.args.args]
    required = given[: len(given) - len(tree.args.defaults)]
    yield from ((one.arg, one.lineno) for one in required if _is_meant(one.arg))
    for node in source.nodes:
        if isinstance(node, ast.For):
            yield from _named_in(node.target)
        elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Tuple):
            for target in node.targets:
                yield from _named_in(target)


def _named_in(target: ast.expr) -> Iterator[tuple[str, int]]:
    """The names among several that something is taken apart into."""
    names = [one for one in target.elts if isinstance(one, ast.Name)] if isinstance(target, ast.Tuple) else []
    return ((one.id, one.lineno) for one in names if _is_meant(one.id))


def _is_meant(name: str) -> bool:
    return not name.startswith("_") and any(word in name.lower() for word in _WORDS)


def _is_read(source: Source, name: str) -> bool:
    """Whether a line of the function, or of one in it, reads the name, or all names."""
    return any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in (name, *REACHING_VARIABLES)
        for statement in source.body
        for node in ast.walk(statement)
    )
