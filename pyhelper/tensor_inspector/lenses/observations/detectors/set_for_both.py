"""Identity: an attribute of one object is set by two names, as if there were two objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...findings.finding import Violation
from ...step.expressions import is_name, text_of
from ...step.functions import value_in
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    300,
    because="who sets an attribute of two things to two values means two things",
    why="The second assignment replaces the first: both names have the second value.",
    suggestion="give each its own object: two datasets, each with its transform",
)
def set_for_both(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``train.dataset.transform = flip; val.dataset.transform = None``, where both are parts of one dataset."""
    for level, source in reading.each(list(enumerate(step.sources))):
        known: dict[tuple[int, str], tuple[str, str]] = {}
        for line, owner, attribute, value in _assigned(source):
            held = value_in(step, owner, level)
            if held is None or line >= source.lineno:
                continue
            before, set_to = known.setdefault((id(held), attribute), (owner, value))
            if before != owner and set_to != value:
                yield Violation(
                    (f"{before} and {owner} are one object", ": ", f"line {line} sets {attribute} of both"),
                    (before, "the same object"),
                    (owner, "the same object"),
                    line=(source.file, line),
                )


def _assigned(source: Source) -> Iterator[tuple[int, str, str, str]]:
    """The attributes that are set: the line, of what, which, and to what."""
    for node in source.nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and is_name(target.value):
                    yield node.lineno, text_of(target.value), target.attr, text_of(node.value)
