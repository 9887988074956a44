"""The rule about gradients that are gone before their step: cleared, or clipped to 0."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.modules import parameters_of
from .....measure.torch.optimizers import tensors
from ....step.calls import Call
from ....step.decided import number_of, will_surely_run
from ....step.expressions import is_name, last_name, shown_text, text_of
from ....step.step import Step
from ...finding import Violation
from ...lines import Line, line_of_binding
from ...rule import rule
from .cleared_each_round import lost_between_steps
from .order import orders


@rule(
    "error",
    why="What a backward gave is gone before a step could use it.",
    suggestion="call zero_grad before backward, or after step",
    needs="optimizer source",
)
def step_without_grads(step: Step) -> Iterator[Violation]:
    """Gradients are cleared between their backward and the step that should use them."""
    reported = set[Line]()
    for order in orders(step):
        for first, second, third in zip(order, order[1:], order[2:]):
            if (first.name, second.name, third.name) != ("backward", "zero_grad", "step"):
                continue
            cleared, stepped = second.subject, third.subject
            optimizer = next((variable for variable in step.optimizers if variable.key == stepped), None)
            if optimizer is None or (cleared != stepped and not _clears(step, cleared, optimizer.value)):
                continue
            if second.at in reported:
                continue
            reported.add(second.at)
            yield Violation(
                (
                    f"{cleared}.zero_grad() comes after backward and before {stepped}.step()",
                    ": ",
                    "it steps without gradients",
                ),
                (cleared, f"cleared in line {second.at[1]}, just before its step"),
                line=second.at,
            )
    yield from lost_between_steps(step)
    yield from _clipped_to_nothing(step)


def _clipped_to_nothing(step: Step) -> Iterator[Violation]:
    """Between a backward and a step all gradients of that optimizer are clipped to 0: the limit is 0."""
    source = step.source
    for clip in source.calls_of("clip_grad_norm_", "clip_grad_value_"):
        limit = clip.argument(1, "max_norm" if clip.name == "clip_grad_norm_" else "clip_value")
        if number_of(step, limit, step.level) != 0 or not any(one.lineno < clip.lineno for one in source.backwards):
            continue
        later = {text_of(call.receiver) for call in source.calls_of("step") if call.lineno > clip.lineno}
        is_done = source.is_done(clip)
        is_sure = source.surely_ran(clip.node) if is_done else will_surely_run(step, clip.lineno, step.level)
        for variable in step.optimizers:
            if variable.key not in later or not (is_sure and _clips(step, clip, variable.value)):
                continue
            yield Violation(
                (f"{clip.name} makes every gradient of {variable.name} 0", ": ", f"its limit {shown_text(limit)} is 0"),
                (shown_text(limit) if is_name(limit) else None, "0"),
                (variable.name, f"steps with what is left, after line {clip.lineno}"),
                line=line_of_binding(step, text_of(limit)) or (source.file, clip.lineno),
                suggestion="a limit above 0, or no clipping",
            )
            return


def _clips(step: Step, clip: Call, optimizer: Any) -> bool:
    """Whether it is given the parameters of a module that has all that an optimizer holds."""
    given = clip.argument(0, "parameters")
    is_listed = isinstance(given, ast.Call) and last_name(given.func) == "parameters" and not given.args
    return is_listed and _clears(step, text_of(given.func).rpartition(".")[0], optimizer)  # type: ignore[union-attr]


def _clears(step: Step, cleared: str, optimizer: Any) -> bool:
    """Whether it is a module that has all that an optimizer holds."""
    found = step.module_of(cleared, step.level)
    ids = set() if found is None else set(map(id, parameters_of(found.value)))
    return bool(ids) and all(id(tensor) in ids for tensor in tensors(optimizer))
