"""Rules about what is frozen, or was meant to be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from .....measure.torch.modules import is_of
from .....safe.guard import instance_dict
from .....words.text import plural
from ....step.classes import is_library, methods_of
from ....step.expressions import last_name, text_of
from ....step.functions import sources_in_reach
from ....step.roles import Parameter
from ....step.source import Source, source_of
from ....step.step import Step
from ...code_objects import codes_that_name
from ...finding import Violation
from ...lines import line_of_assignment, line_of_attribute, line_of_freezing
from ...rule import rule
from ..optimizer.parts.trainable_tags import TYPOS, is_read
from .dead import dead_losses

_NORMS = ("_NormBase", "LayerNorm", "GroupNorm", "RMSNorm")
_SETTING = ("requires_grad", "requires_grad_")
_NORM = re.compile(
    r"(^|[^a-z])(\w*norm\w*|bn|ln)([^a-z]|$)", re.IGNORECASE
)  #: what a norm, or its parameter, is called


@rule(
    "error",
    why="What is frozen can't learn.",
    suggestion="call requires_grad_(True) on what is to be trained",
    needs="loss optimizer source",
)
def frozen_params(step: Step) -> Iterator[Violation]:
    """All parameters of an optimizer are frozen."""
    held = [one for one in step.parameters.values() if id(one.tensor) in step.optimized]
    yield from _only_norms(step, held)
    if not dead_losses(step):
        return
    if held and not step.trained():
        root = held[0].root.name
        dead = dead_losses(step)[0]
        yield Violation(
            f"none of the {plural(len(held), 'parameter')} of {root} in the optimizer is trainable",
            (root, "requires_grad is False everywhere"),
            (dead.name, "without grad_fn"),
            *((variable.name, f"holds {plural(len(held), 'parameter')}") for variable in step.optimizers[:1]),
            line=line_of_freezing(step, root),
        )


def _only_norms(step: Step, held: list[Parameter]) -> Iterator[Violation]:
    """The optimizer was given a whole model, of which nothing but normalisation is trainable."""
    trainable = step.trained()
    if not trainable or not all(is_of(one.member.module, *_NORMS) for one in trainable):
        return
    still = [one for one in held if not is_of(one.member.module, *_NORMS)]
    if still and not _chooses_norms(step):
        yield Violation(
            (
                "only normalisation is trainable",
                ": ",
                f"{plural(len(trainable), 'parameter')} of {len(held)} in the optimizer, as {trainable[0].name}",
            ),
            (trainable[0].name, "trainable"),
            *((one.name, "requires_grad is False") for one in still[:3]),
            line=line_of_freezing(step, still[0].root.name),
            certain=False,
        )


def _chooses_norms(step: Step) -> bool:
    """Whether the program asks for norms, by their class or their names, where it says what is trained."""
    named = (source_of(code) for name in _SETTING for code in codes_that_name(step, name))
    for source in chain(sources_in_reach(step), named):
        if source.mentions(*_SETTING) and any(_asks_for_norms(node) for node in source.nodes):
            return True
    return False


def _asks_for_norms(node: ast.AST) -> bool:
    """``isinstance(m, nn.LayerNorm)``, ``"norm" in name``"""
    asked: list[ast.expr] = []
    if isinstance(node, ast.Call) and last_name(node.func) in ("isinstance", "issubclass", "endswith", "startswith"):
        asked = node.args
    elif isinstance(node, ast.Compare):
        asked = [node.left, *node.comparators]
    inside = [below for one in asked for below in ast.walk(one)]
    texts = [below.value for below in inside if isinstance(below, ast.Constant) and type(below.value) is str]
    names = [last_name(below) for below in inside if isinstance(below, (ast.Name, ast.Attribute))]
    return any(map(_NORM.search, (*texts, *names)))


_TYPOS_OF_MODULES = (*TYPOS, "requires_grad")


@rule(
    "warning",
    why="Nothing was frozen.",
    suggestion="set requires_grad",
    needs="module",
)
def freeze_typo(step: Step) -> Iterator[Violation]:
    """An attribute that torch does not know, and that nothing reads, was set to False in the place of ``requires_grad``."""
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
