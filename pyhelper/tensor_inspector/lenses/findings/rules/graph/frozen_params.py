"""All parameters of an optimizer, or all but norms, are frozen.

Why: What is frozen can't learn.

Example:
    for p in model.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

Instead:
    for p in model.body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)

Silent when:
    - the loss has a graph, where all are frozen
    - of norms alone: the program asks for norms, by class or name, where it says what is trained
    - of norms alone: the optimizer was given nothing else
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from .....measure.torch.modules import is_of
from .....words.text import plural
from ....flow.gradient.dead_losses import dead_losses
from ....flow.lines import line_of_freezing
from ....flow.ops import NORMS
from ....flow.reach.code_objects import codes_that_name
from ....step.expressions import last_name
from ....step.functions import sources_in_reach
from ....step.roles import Parameter
from ....step.source import source_of
from ....step.step import Step
from ...consequences import NO_LEARNING
from ...finding import Violation
from ...rule import rule

_SETTING = ("requires_grad", "requires_grad_")
_NORM = re.compile(
    r"(^|[^a-z])(\w*norm\w*|bn|ln)([^a-z]|$)", re.IGNORECASE
)  #: what a norm, or its parameter, is called


@rule(
    "error",
    why="What is frozen can't learn.",
    suggestion="call requires_grad_(True) on what is to be trained",
    causes=f"loss-without-grad nondifferentiable grad-mode-off graph-cut {NO_LEARNING}",
    needs="loss optimizer source",
)
def frozen_params(step: Step) -> Iterator[Violation]:
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
    if not trainable or not all(is_of(one.member.module, *NORMS) for one in trainable):
        return
    still = [one for one in held if not is_of(one.member.module, *NORMS)]
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
