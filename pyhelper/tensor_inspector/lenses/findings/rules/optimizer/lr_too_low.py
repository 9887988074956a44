"""A schedule has let the rate fall to a millionth too soon.

Why: Steps of this size change nothing any more.

Example:
    scheduler = ExponentialLR(optimizer, gamma=0.5)
    for x, y in loader:
        scheduler.step()  # each batch

Instead:
    scheduler = ExponentialLR(optimizer, gamma=0.5)
    for epoch in range(10):
        for x, y in loader:
            optimizer.step()
        scheduler.step()

Silent when:
    - the rate is more than a millionth of the first one
    - the schedule has made more than 100 steps, and the first epoch is over
    - it is no ExponentialLR, StepLR, MultiStepLR or MultiplicativeLR
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .....measure.torch.optimizers import groups, turns_of
from .....safe.guard import class_name
from .....words.text import number
from ....flow.lines import line_of_last_binding
from ....step.expressions import text_of
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.schedules import schedulers_of

_SOON = 100  #: steps within which a rate that falls to almost nothing has fallen too fast


@rule(
    "warning",
    why="Steps of this size change nothing any more.",
    suggestion="step the scheduler once an epoch, or with a smaller decay",
    needs="optimizer",
)
def lr_too_low(step: Step) -> Iterator[Violation]:
    for variable in step.optimizers:
        for scheduler in schedulers_of(step, variable.value):
            kind, turns = class_name(type(scheduler.value)), turns_of(scheduler.value)
            is_soon = 0 <= turns <= _SOON or _is_in_first_epoch(step, scheduler)
            if kind not in ("ExponentialLR", "StepLR", "MultiStepLR", "MultiplicativeLR") or not is_soon:
                continue
            for at, group in enumerate(groups(variable.value)):
                now, first = group.number("lr"), group.number("initial_lr")
                if now and first and now <= 1e-6 * first:
                    yield Violation(
                        (
                            f"lr of {variable.name} fell to {number(now)}",
                            ", ",
                            f"from {number(first)}, in {turns} steps of {kind}",
                        ),
                        (f'{variable.name}.param_groups[{at}]["lr"]', number(now)),
                        (scheduler.name, f"last_epoch {turns}"),
                        line=line_of_last_binding(step, scheduler.key),
                    )
                    break


def _is_in_first_epoch(step: Step, scheduler: VisibleVariable) -> bool:
    """Whether a scheduler is stepped in an inner loop, and the outer one counts its first round: ``epoch`` is 0."""
    source = step.source
    for call in source.calls_of("step"):
        around = sorted(loop for loop in source.loops if loop[0] <= call.lineno <= loop[1])
        if text_of(call.receiver) != scheduler.key or len(around) < 2:
            continue
        for name, made_by in source.bindings.items():
            is_counter = any(isinstance(node, ast.For) and node.lineno == around[0][0] for _, node in made_by)
            value = step.value(name) if is_counter else None
            if type(value) is int and value == 0:
                return True
    return False
