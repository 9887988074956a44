"""A comparison that stands where an assignment was meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....step.classes import is_library, methods_of
from ....step.expressions import text_of
from ....step.functions import sources_in_reach
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation


def compared(step: Step) -> Iterator[Violation]:
    """``p.requires_grad == False`` as a statement of its own: it freezes nothing."""
    trainable = next(iter(step.trainable()), None)
    for source in _sources(step) if trainable is not None else ():
        for node in source.statements:
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Compare):
                continue
            left = node.value.left
            if isinstance(left, ast.Attribute) and left.attr == "requires_grad":
                yield Violation(
                    (f"{text_of(node)} only compares", ": ", "it sets nothing"),
                    (None if trainable is None else trainable.name, "requires_grad is True"),
                    line=(source.file, node.lineno),
                    suggestion=f"{text_of(left)} = …",
                )
                return


def _sources(step: Step) -> Iterator[Source]:
    yield from sources_in_reach(step)
    classes = {id(cls): cls for cls in (type(member.module) for _, member in step.members.values())}
    for cls in classes.values():
        if not is_library(cls):
            yield from (source for _, source in methods_of(cls))
