"""Rule about losses whose sign is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.metadata import grad_hooks_of, hooks_of
from .....measure.torch.optimizers import groups
from ....step.called import functions_called
from ....step.expressions import text_of
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...lines import bound
from ...rule import rule
from ...signs import error_that_grows, line_of_minus


@rule(
    "warning",
    why="The optimizer minimises: it makes this error larger.",
    suggestion="drop the minus, or maximize=True",
    needs="loss optimizer source",
)
def loss_sign(step: Step) -> Iterator[Violation]:
    """What is minimised is the negative of an error, a likelihood, or an error whose weights are negative."""
    maximizes = any(group.flag("maximize") for variable in step.optimizers for group in groups(variable.value))
    if maximizes or len(step.optimizers) != 1 or len(step.source.backwards) != 1:
        return
    if any(hooks_of(one.tensor) or grad_hooks_of(one.tensor) for one in step.trained()) or _are_turned_by_hand(step):
        return
    for loss in step.losses:
        line = line_of_minus(step, loss) or bound(step, loss.name)
        grows = error_that_grows(step, loss)
        if grows is not None:
            yield Violation(
                (f"{loss.name} is {grows.title}", ": ", grows.effect),
                (loss.name, f"grad ← {grows.path}"),
                line=line,
                certain=False,
                suggestion=grows.suggestion,
            )
            return


def _are_turned_by_hand(step: Step) -> bool:
    """Whether gradients are negated before the step: ``p.grad.neg_()``, ``p.grad = -p.grad``."""
    called = (one.source for one in functions_called(step, (step.at,)))
    return any(map(_turns_gradients, (step.source, *called)))


def _turns_gradients(source: Source) -> bool:
    calls = [call for call in source.calls_of("mul_", "neg_") if text_of(call.receiver).endswith(".grad")]
    bound = [node for key, found in source.bindings.items() if key.endswith(".grad") for _, node in found]
    values = [value for call in calls for value in call.args] + [getattr(node, "value", None) for node in bound]
    nodes = [node for value in values if isinstance(value, ast.AST) for node in ast.walk(value)]
    return any(call.name == "neg_" for call in calls) or any(
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) for node in nodes
    )
