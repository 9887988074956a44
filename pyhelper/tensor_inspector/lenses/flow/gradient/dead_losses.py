"""Finds the losses without a graph of which a backward is meant to be called."""

from __future__ import annotations

import ast

from ....measure.torch.metadata import requires_grad
from ...step.backpropagated import Loss
from ...step.expressions import names_in, root_of, text_of
from ...step.step import Step
from ..constants.conditions import will_surely_run


def dead_losses(step: Step) -> list[Loss]:
    """Losses without a graph of which a backward is meant to be called."""
    if not step.optimizers and not step.parameters:
        return []
    return [
        loss
        for loss in step.pending()
        if not requires_grad(loss.tensor) and not loss.backward.has_gradient and not _may_be_evaluated(step, loss)
    ]


def _may_be_evaluated(step: Step, loss: Loss) -> bool:
    """Whether a backward is still undecided, and gradients may be off on purpose."""
    source = step.source
    if _is_skipped_without_graph(step, loss) or _has_graph_in_other_iterations(step, loss):
        return True
    if will_surely_run(step, loss.backward.lineno, step.level) or _is_stepped_after(step) or is_cleared_for(step, loss):
        return False
    lines = [line for line, _ in source.bindings_behind(root_of(loss.name)).values()]
    blocks = [(block.lineno, block.end_lineno or block.lineno) for block in source.blocks]
    return not step.grad_mode or any(first <= line <= last for line in lines for first, last in blocks)


def _is_skipped_without_graph(step: Step, loss: Loss) -> bool:
    """Whether the iteration ends early for a loss without a graph: ``if not loss.requires_grad: continue``."""
    asked = (f"{loss.name}.requires_grad", f"{loss.name}.grad_fn")
    return any(
        isinstance(node, ast.If)
        and step.source.lineno <= node.lineno < loss.backward.lineno
        and isinstance(node.body[-1], (ast.Break, ast.Continue, ast.Return))
        and any(text_of(one) in asked for one in ast.walk(node.test))
        for node in step.source.nodes
    )


def _has_graph_in_other_iterations(step: Step, loss: Loss) -> bool:
    """Whether a condition decides about the backward, and another one about adding to the loss."""
    source, name = step.source, root_of(loss.name)
    lines = [line for line, node in source.bindings.get(name, ()) if _is_sum_with(node, name)]
    return any(
        line < source.lineno and source.is_conditional(line, seen_from=source.lineno) for line in lines
    ) and not will_surely_run(step, loss.backward.lineno, step.level)


def _is_sum_with(node: ast.AST, name: str) -> bool:
    value = getattr(node, "value", None)
    return isinstance(node, ast.AugAssign) or (value is not None and name in names_in(value))


def _is_stepped_after(step: Step) -> bool:
    """Whether an optimizer in sight surely steps further down: no evaluation does that."""
    keys = {variable.key for variable in step.optimizers if variable.level == step.level}
    calls = [call for call in step.source.calls_of("step") if text_of(call.receiver) in keys]
    return any(not step.source.is_done(call) and will_surely_run(step, call.lineno, step.level) for call in calls)


def line_of_loss(step: Step, loss: Loss) -> tuple[str, int] | None:
    return step.source.line_of(loss.name)


def is_cleared_for(step: Step, loss: Loss) -> bool:
    """Whether a branch that cleared gradients leads to a backward that asks ``loss.requires_grad``."""
    source, line = step.source, loss.backward.lineno
    asked = f"{loss.name}.requires_grad"
    keys = {variable.key for variable in step.optimizers if variable.level == step.level}
    cleared = [call for call in source.calls_of("zero_grad") if text_of(call.receiver) in keys and source.is_done(call)]
    conditions = [
        node
        for node in source.nodes
        if isinstance(node, ast.If) and node.body[0].lineno <= line <= (node.body[-1].end_lineno or line)
    ]
    around = [node for node in conditions if text_of(node.test) != asked]
    return len(around) < len(conditions) and any(
        around[-1].lineno < call.lineno < line and around[-1].lineno < source.lineno <= line
        for call in cleared
        if around
    )
