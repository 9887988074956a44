"""Rule about modules that should be trained, but run only under `no_grad`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....step.backpropagated import Loss
from ....step.expressions import text_of
from ....step.functions import functions_called
from ....step.grad_mode import off_at
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from .cut import share_an_optimizer
from .elsewhere import Held, may_learn_elsewhere


def run_without_gradients(step: Step, missing: set[int], reached: set[int]) -> Iterator[Violation]:
    """A whole module that is called, wherever it is, only where gradients are off."""
    for variable in step.modules:
        held = [one for one in step.trained() if one.root is variable]
        if not held or not missing.issuperset(id(one.tensor) for one in held):
            continue
        if not share_an_optimizer(step, [one.tensor for one in held], reached):
            continue
        sources = _calling(step, variable)
        blocks = [off_at(source, line) for source, line in sources]
        if not blocks or None in blocks:
            continue
        module = Held(variable.key.rpartition(".")[2], variable.value, True)
        if may_learn_elsewhere(step, module, [source for source, _ in sources]):
            continue
        where, (source, _) = blocks[0], sources[0]
        yield Violation(
            (f"{variable.name}.* got no gradient", ": ", f"{source.function} calls it where gradients are off"),
            *((one.name, "trainable, in the optimizer, grad None") for one in held[:4]),
            line=None if where is None else (source.file, where),
        )


def _calling(step: Step, variable: VisibleVariable) -> list[tuple[Source, int]]:
    """Where a module is called: in the frames in sight, and in the functions that these call."""
    frames = [
        (source, call.lineno)
        for level, source in enumerate(step.sources)
        for call in source.calls
        if step.value(call.callee, level) is variable.value
    ]
    return frames + [
        (one.source, call.lineno)
        for one in functions_called(step)
        for call in one.source.calls
        if one.value(call.callee) is variable.value
    ]


def is_cleared_for(step: Step, loss: Loss) -> bool:
    """Whether the branch that has surely cleared the gradients of an optimizer leads to a backward, which only asks if the
    loss has a graph: ``if training: optimizer.zero_grad(); if loss.requires_grad: loss.backward()``."""
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
