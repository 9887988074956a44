"""Finds loop-carried state: names and attributes computed from their own old values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ...measure.torch.metadata import gradient_of, is_exact_tensor, requires_grad
from ...measure.torch.modules import Member
from ...safe.guard import SEQUENCES
from ..step.classes import is_library, methods_of
from ..step.expressions import names_in, shown
from ..step.source import Source
from ..step.step import Step
from .lines import Line
from .ops import METADATA

_PARTS = 8  #: tensors of one state


class State:
    """Loop-carried state: its expression, its tensors with a graph, the line that renews it."""

    __slots__ = ("line", "name", "tensors", "value")

    def __init__(self, name: str, value: Any, line: Line) -> None:
        self.name = shown(name)
        self.value = value
        self.tensors = tensors_with_graph(value)
        self.line = line

    @property
    def detaching(self) -> str:
        """The line of code that detaches it from its graph."""
        if is_exact_tensor(self.value):
            return f"{self.name} = {self.name}.detach()"
        return f"{self.name} = tuple(part.detach() for part in {self.name})"


def tensors_with_graph(value: Any) -> list[Any]:
    """The tensors of a state that were computed, with a gradient."""
    some = value[:_PARTS] if type(value) in SEQUENCES else [value]
    return [one for one in some if is_exact_tensor(one) and requires_grad(one) and not gradient_of(one).is_leaf]


def carried_states(step: Step) -> Iterator[State]:
    """State with a graph that a loop around a backward carries, or a module in sight."""
    source = step.source
    loops = [loop for backward in source.backwards if (loop := source.loop_of(backward.lineno)) is not None]
    for name in list(source.bindings) if loops or not source.function.startswith("<") else ():
        value = step.value(name)
        line = computed_from_itself(source, name, loops) if tensors_with_graph(value) else None
        if line is not None and (loops or "." in name):
            yield State(name, value, (source.file, line))
    for path, member in list(step.members.values()):
        if not is_library(type(member.module)):
            yield from _kept_in(path, member)


def _kept_in(path: str, member: Member) -> Iterator[State]:
    """The attributes that a method of a module computes from their own old values."""
    for key, value in (*member.attributes.items(), *member.items("_buffers")):
        methods = methods_of(type(member.module)) if tensors_with_graph(value) else ()
        for name, source in methods:
            line = None if name == "__init__" else computed_from_itself(source, f"{source.self_name}.{key}")
            if line is not None:
                yield State(f"{path}.{key}", value, (source.file, line))
                break


def computed_from_itself(source: Source, name: str, loops: Sequence[tuple[int, int]] = ()) -> int | None:
    """The line that computes a name from its own value in each iteration, or each call.

    Not where it is first bound to something else there.
    """
    inside = [
        (line, node)
        for line, node in sorted(source.bindings.get(name, ()), key=lambda one: one[0])
        if not loops or any(first <= line <= last for first, last in loops)
    ]
    made = _computed_from(source, name)
    for line, node in inside:
        if _uses(node, made):
            return line
        if not source.is_conditional(line, seen_from=None if not loops else min(first for first, _ in loops)):
            return None
    return None


def _computed_from(source: Source, name: str) -> set[str]:
    """The names that are computed from a name, directly or through others."""
    made, known = {name}, 0
    while len(made) > known:
        known = len(made)
        made |= {key for key, bound in source.bindings.items() if any(_uses(node, made) for _, node in bound)}
    return made


def _uses(node: ast.AST, made: set[str]) -> bool:
    """Whether an assignment computes with one of these names, or a part of it."""
    value: Any = getattr(node, "value", None)
    is_bound = isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and value is not None
    names = names_in(value) if is_bound else []
    names += names_in(node.target) if isinstance(node, ast.AugAssign) else []
    return any(name.rpartition(".")[2] not in METADATA and _prefixes(name) & made for name in names)


def _prefixes(name: str) -> set[str]:
    """The name and all its prefixes: ``self.h[0]``, ``self.h``, ``self``."""
    return {name} | {name[:at] for at, sign in enumerate(name) if sign in ".["}
