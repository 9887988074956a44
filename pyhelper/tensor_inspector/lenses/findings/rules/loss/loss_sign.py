"""The optimizer minimises the negative of an error, or a likelihood.

Why: The optimizer minimises: it makes this error larger.

Example:
    loss = -F.mse_loss(model(x), y)
    loss.backward()

Instead:
    loss = F.mse_loss(model(x), y)
    loss.backward()

Silent when:
    - the optimizer maximises
    - there are several optimizers, or several backwards, as in a game of two
    - hooks, or the source, may turn gradients round: they are read for more than their size
    - another function trains the model too: what that has learned may be unlearned here
    - nothing shows that the quantity should fall
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.metadata import grad_hooks_of, hooks_of
from .....measure.torch.optimizers import groups, has_step_hooks
from ....flow.lines import line_of_binding
from ....flow.reach.code_objects import codes_that_name, is_elsewhere
from ....step.functions import functions_called
from ....step.source import Source, source_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from ...signs import error_that_grows, line_of_minus

#: What is asked of a gradient that stays as it is, or is cleared.
_MEASURES = frozenset("norm abs square pow mean sum max min std isnan isfinite shape dtype zero_".split())


@rule(
    "warning",
    tier="likely",
    why="The optimizer minimises: it makes this error larger.",
    suggestion="drop the minus, or maximize=True",
    needs="loss optimizer source",
)
def loss_sign(step: Step) -> Iterator[Violation]:
    maximizes = any(group.flag("maximize") for variable in step.optimizers for group in groups(variable.value))
    if maximizes or len(step.optimizers) != 1 or len(step.source.backwards) != 1:
        return
    if any(hooks_of(one.tensor) or grad_hooks_of(one.tensor) for one in step.trained()) or _are_turned_by_hand(step):
        return
    if any(has_step_hooks(variable.value) for variable in step.optimizers) or _is_trained_elsewhere(step):
        return
    for loss in step.losses:
        line = line_of_minus(step, loss) or line_of_binding(step, loss.name)
        grows = error_that_grows(step, loss)
        if grows is not None:
            yield Violation(
                (f"{loss.name} is {grows.title}", ": ", grows.effect),
                (loss.name, f"grad ← {grows.path}"),
                line=line,
                suggestion=grows.suggestion,
            )
            return


def _is_trained_elsewhere(step: Step) -> bool:
    """Whether another function trains the model too: what that has learned may be unlearned here."""
    names = {variable.key.rpartition(".")[2] for variable in step.modules if variable.level == step.level}
    codes = [code for name in sorted(names) for code in codes_that_name(step, name, variables=True)]
    known = {(source.file, source.function) for source in step.sources}
    return any(is_elsewhere(code, known) and source_of(code).backwards for code in codes)


def _are_turned_by_hand(step: Step) -> bool:
    """Whether gradients may be negated before the step, in whatever spelling: ``p.grad.neg_()``, ``p.grad = -p.grad``."""
    called = (one.source for one in functions_called(step, (step.level,)))
    return any(map(_handles_gradients, (step.source, *called)))


def _handles_gradients(source: Source) -> bool:
    """Whether it does more with gradients than clear them, ask whether there are some, and measure them."""
    nodes = source.nodes
    harmless = {id(node) for one in nodes for node in _only_measured(one)}
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "grad" and id(node) not in harmless)
        or (isinstance(node, ast.Constant) and node.value == "grad")
        for node in nodes
    )


def _only_measured(node: ast.AST) -> list[ast.expr]:
    """The expressions that a node can't change, nor give another name."""
    if isinstance(node, ast.Attribute) and node.attr in _MEASURES:
        return [node.value]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    is_cleared = isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    return node.targets if is_cleared and isinstance(node, ast.Assign) else []
