"""An optimizer steps with gradients that a scaler has scaled.

Why: The step is as many times too large as the scale.

Example:
    scaler.scale(loss).backward()
    optimizer.step()

Instead:
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()

Silent when:
    - the scaler is not enabled, or it steps, unscales, or is given to what may do so out of sight
    - the program asks for the scale, so that it may divide by it
    - the step does not come after the backward, or stands in another branch
    - the optimizer may get gradients of an unscaled backward too, or none of this one
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import is_exact_tensor
from .....measure.torch.optimizers import tensors
from ....step.calls import Backward
from ....step.expressions import shown, text_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.scaler_calls import (
    ScaledBackward,
    ScalerPlace,
    backwards_in,
    is_after_backward,
    scale_is_read,
    scale_words,
    scaled_backwards,
    scaler_places,
)


@rule(
    "error",
    why="The step is as many times too large as the scale.",
    suggestion="step through the scaler",
    causes="lr-too-high exploding-grad nan-in-params",
    needs="scaler source",
)
def scaler_bypassed(step: Step) -> Iterator[Violation]:
    places = list(scaler_places(step))
    for scaled in scaled_backwards(places):
        if _is_used(places, scaled) or scale_is_read(places):
            continue
        for place in places:
            for call in place.source.calls_of("step"):
                optimizer = place.value_of(text_of(call.receiver))
                if not any(variable.value is optimizer for variable in step.optimizers):
                    continue
                if not is_after_backward(step, scaled, place, call) or not _has_scaled_only(
                    step, places, scaled, optimizer
                ):
                    continue
                name = step.name_of(scaled.scaler) or shown(scaled.backward.scaler or "")
                yield Violation(
                    (f"{call.callee}() applies gradients that {name} has scaled", ", ", "and has not unscaled"),
                    (name, scale_words(scaled.scaler)),
                    line=(place.source.file, call.lineno),
                    suggestion=f"{name}.step({text_of(call.receiver)}), then {name}.update()",
                )
                return


def _is_used(places: list[ScalerPlace], scaled: ScaledBackward) -> bool:
    """Whether the scaler steps or unscales somewhere, or is given to what may do so out of sight."""
    through = {id(place.call.node) for place in places if place.call is not None}
    for place in places:
        for call in place.source.calls:
            owner = text_of(call.receiver)
            is_it = place.value_of(owner) is scaled.scaler or (
                place is scaled.place and owner == scaled.backward.scaler
            )
            if is_it and call.name in ("step", "unscale_"):
                return True
            given = (*call.args, *call.keywords.values()) if id(call.node) not in through else ()
            if any(place.value_of(text_of(one)) is scaled.scaler for one in given):
                return True
    return False


def _has_scaled_only(step: Step, places: list[ScalerPlace], scaled: ScaledBackward, optimizer: Any) -> bool:
    """Whether an optimizer gets gradients of a scaled backward, and surely of no other one."""
    held = set(map(id, tensors(optimizer)))
    reached = _leaves(step, scaled.place, scaled.backward)
    if reached is None and len(step.optimizers) > 1:
        return False
    if reached is not None and held.isdisjoint(reached):
        return False
    for place, backward in backwards_in(places):
        others = None if backward.scaler else _leaves(step, place, backward)
        if not backward.scaler and (others is None or not held.isdisjoint(others)):
            return False
    return True


def _leaves(step: Step, place: ScalerPlace, backward: Backward) -> set[int] | None:
    """The ids of the leaves that a backward gives gradients; None where what it begins from is not in sight."""
    values = [place.value_of(name) for name in backward.names]
    nodes = [step.node_of(value) if is_exact_tensor(value) else None for value in values]
    known = [node for node in nodes if node is not None]
    if not known or not backward.is_whole:
        return None
    return {id(leaf) for node in known for leaf in step.graph.leaves(node)}
