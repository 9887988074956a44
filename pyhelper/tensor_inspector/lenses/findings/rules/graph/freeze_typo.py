"""An attribute that torch does not know was set to freeze something.

Why: Nothing was frozen.

Example:
    for p in model.body.parameters():
        p.require_grad = False

Instead:
    for p in model.body.parameters():
        p.requires_grad = False

Silent when:
    - the program reads that attribute anywhere in reach, as a tag of its own
    - the class of the module itself sets it, as a setting
    - nothing below it is trainable any more
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....safe.guard import instance_dict
from ....flow.lines import line_of_assignment, line_of_attribute
from ....step.classes import is_library, methods_of
from ....step.expressions import text_of
from ....step.functions import sources_in_reach
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from ..optimizer.parts.trainable_tags import TYPOS, is_read

_TYPOS_OF_MODULES = (*TYPOS, "requires_grad")


@rule(
    "warning",
    why="Nothing was frozen.",
    suggestion="set requires_grad",
    needs="module",
)
def freeze_typo(step: Step) -> Iterator[Violation]:
    yield from _only_compared(step)
    for one in step.trainable():
        attributes = instance_dict(one.tensor)
        for name in (typo for typo in TYPOS if attributes.get(typo) is False):
            if is_read(step, name):
                continue
            yield Violation(
                (f"{one.name}.{name} was set", ", ", "which does nothing: requires_grad is still True"),
                (one.name, f"has an attribute {name}"),
                line=line_of_attribute(step, name),
            )
            return
    for name, member in step.members.values():
        for typo in (typo for typo in _TYPOS_OF_MODULES if typo in member.attributes):
            if member.attributes[typo] is not False or line_of_assignment(type(member.module), typo) is not None:
                continue  # what its own class sets is a setting that it may read
            if is_read(step, typo):
                continue
            if any(one.member.is_in(member.module) for one in step.trainable()):
                yield Violation(
                    (f"{name}.{typo} = False does nothing on a module", ": ", "its parameters are still trainable"),
                    (name, f"has an attribute {typo}"),
                    line=line_of_attribute(step, typo),
                    suggestion=f"{name}.requires_grad_(False)",
                )
                return


def _only_compared(step: Step) -> Iterator[Violation]:
    """``p.requires_grad == False`` as a statement of its own: it freezes nothing."""
    trainable = next(iter(step.trainable()), None)
    for source in _sources_of_program(step) if trainable is not None else ():
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


def _sources_of_program(step: Step) -> Iterator[Source]:
    """The sources in reach, and the methods of the program's own modules."""
    yield from sources_in_reach(step)
    classes = {id(cls): cls for cls in (type(member.module) for _, member in step.members.values())}
    for cls in classes.values():
        if not is_library(cls):
            yield from (source for _, source in methods_of(cls))
