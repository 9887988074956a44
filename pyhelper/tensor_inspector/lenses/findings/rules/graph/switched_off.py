"""Rule about modules that should be trained, but run only under `no_grad`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch import optimizers
from ....step.backpropagated import Loss
from ....step.calls import Call
from ....step.expressions import text_of
from ....step.functions import functions_called
from ....step.grad_mode import off_at
from ....step.sight import VisibleVariable
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ..optimizer.parts.order import orders
from .cut import share_an_optimizer
from .learns_elsewhere import Held, may_learn_elsewhere


def run_without_gradients(step: Step, missing: set[int], reached: set[int]) -> Iterator[Violation]:
    """A whole module that is called, wherever it is, only where gradients are off."""
    for variable in step.modules:
        held = [one for one in step.trained() if one.root is variable]
        if not held or not missing.issuperset(id(one.tensor) for one in held):
            continue
        tensors = [one.tensor for one in held]
        is_shared = share_an_optimizer(step, tensors, reached)
        if not is_shared and not _have_their_turn(step, tensors):
            continue
        calls = _calling(step, variable)
        # An optimizer that has others to move may hold these for a later phase, in which nothing is detached.
        places = [off_at(source, call.lineno) if is_shared else _cut_off_at(source, call) for source, call in calls]
        if not places or None in places:
            continue
        module = Held(variable.key.rpartition(".")[2], variable.value, True)
        if may_learn_elsewhere(step, module, [source for source, _ in calls]):
            continue
        where, (source, call) = places[0], calls[0]
        how = "detaches what it gives" if _is_detached(source, call) else "calls it where gradients are off"
        by = "the script" if source.function.startswith("<") else source.function
        yield Violation(
            (f"{variable.name}.* got no gradient", ": ", f"{by} {how}"),
            *((one.name, "trainable, in the optimizer, grad None") for one in held[:4]),
            line=None if where is None else (source.file, where),
        )


def _have_their_turn(step: Step, tensors: list[Any]) -> bool:
    """Whether an optimizer of these clears their gradients, and steps after the very next backward."""
    wanted = set(map(id, tensors))
    own = [one.key for one in step.optimizers if wanted & set(map(id, optimizers.tensors(one.value)))]
    return any(
        (first.name, second.name, third.name) == ("zero_grad", "backward", "step")
        and first.subject == third.subject
        and third.subject in own
        for order in orders(step)
        for first, second, third in zip(order, order[1:], order[2:])
    )


def _cut_off_at(source: Source, call: Call) -> int | None:
    return call.lineno if _is_detached(source, call) else off_at(source, call.lineno)


def _is_detached(source: Source, call: Call) -> bool:
    return any(other.receiver is call.node for other in source.calls_of("detach"))


def _calling(step: Step, variable: VisibleVariable) -> list[tuple[Source, Call]]:
    """Where a module is called: in the frames in sight, and in the functions that these call."""
    frames = [
        (source, call)
        for level, source in enumerate(step.sources)
        for call in source.calls
        if step.value(call.callee, level) is variable.value
    ]
    return frames + [
        (one.source, call)
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
