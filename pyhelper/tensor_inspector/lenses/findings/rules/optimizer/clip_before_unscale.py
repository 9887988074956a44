"""Gradients are clipped while they are still scaled.

Why: Scaled gradients are thousands of times larger: all are clipped to almost nothing.

Example:
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)

Instead:
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)

Silent when:
    - the scaler is not enabled
    - `unscale_` comes first, or stands in another function; or the program reads the scale and the gradients itself
    - the limit is made of the scale
    - the scaler does not step for what is clipped, or not after it
    - the backward and the clipping are in two branches, or some backward in sight is not scaled
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import is_exact_tensor
from .....measure.torch.modules import is_module, parameters_of
from .....measure.torch.optimizers import is_optimizer, tensors
from .....safe.guard import SEQUENCES
from ....flow.constants.loop_values import values_in_line
from ....flow.effects import CLIPPING
from ....step.calls import Call
from ....step.expressions import names_in, shown, text_of
from ....step.functions import is_torchs
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.scaler_calls import (
    SCALES,
    ScalerPlace,
    backwards_in,
    is_after_backward,
    scale_is_read,
    scale_words,
    scaled_backwards,
    scaler_places,
)

_MOST = 20


@rule(
    "error",
    why="Scaled gradients are thousands of times larger: all are clipped to almost nothing.",
    suggestion="call scaler.unscale_(optimizer) before clipping",
    causes="scaler-bypassed",
    needs="scaler source",
)
def clip_before_unscale(step: Step) -> Iterator[Violation]:
    places = list(scaler_places(step))
    for scaled in scaled_backwards(places):
        for place in places:
            is_plain = place is scaled.place and place.lineno is None
            if not (is_plain or _is_scaled_throughout(places)):
                continue
            for clip in place.source.calls_of(*CLIPPING):
                if not is_torchs(place.value_of(clip.callee)):
                    continue
                if not is_after_backward(step, scaled, place, clip) or _is_unscaled(places, place, clip):
                    continue
                clipped = _given_to(places, place, clip.argument(0, "parameters"))
                if not _is_stepped(places, scaled.scaler, place, clip, clipped) or _is_limit_scaled(place, clip):
                    continue
                name = step.name_of(scaled.scaler) or shown(scaled.backward.scaler or "")
                yield Violation(
                    (
                        f"{clip.name} clips gradients that {name} has not unscaled",
                        ": ",
                        "the limit holds for scaled ones",
                    ),
                    (name, scale_words(scaled.scaler)),
                    line=(place.source.file, clip.lineno),
                )
                return


def _is_stepped(places: list[ScalerPlace], scaler: Any, clipping: ScalerPlace, clip: Call, clipped: set[int]) -> bool:
    """Whether the scaler steps for what is clipped: after the clipping, where that stands in the same source."""
    return any(
        not clipped.isdisjoint(map(id, tensors(optimizer)))
        for place in places
        for call in place.source.calls_of("step")
        if call.args and (place is not clipping or call.lineno > clip.lineno)
        if place.value_of(text_of(call.receiver)) is scaler
        for optimizer in values_in_line(place.source, text_of(call.args[0]), call.lineno, place.value_of)
    )


def _given_to(places: list[ScalerPlace], place: ScalerPlace, node: ast.expr | None) -> set[int]:
    """The ids of the parameters that an argument is made of, as far as they are known."""
    found, waiting = set[int](), [] if node is None else [(place, node)]
    for _ in range(_MOST):
        if not waiting:
            break
        at, node = waiting.pop()
        for name in names_in(node):
            value = at.value_of(name)
            owner = at.value_of(name.partition(".param_groups")[0])
            if is_optimizer(owner):
                found.update(map(id, tensors(owner)))
            elif is_module(value):
                found.update(map(id, parameters_of(value)))
            elif type(value) in SEQUENCES:
                found.update(id(one) for one in value if is_exact_tensor(one))
            elif name in at.given:
                waiting.append((next(one for one in places if one.level == at.level), at.given[name]))
            else:
                waiting += [
                    (at, made) for _, one in at.source.bindings_of(name) if (made := _value_of(one)) is not None
                ]
    return found


def _is_unscaled(places: list[ScalerPlace], clipping: ScalerPlace, clip: Call) -> bool:
    """Whether the scaler's ``unscale_`` comes first, or stands in another source, where it may; or it is done by hand."""
    by_scaler = any(
        place is not clipping or call.lineno <= clip.lineno
        for place in places
        for call in place.source.calls_of("unscale_")
    )
    return by_scaler or (scale_is_read(places) and any(place.source.mentions("grad") for place in places))


def _is_limit_scaled(place: ScalerPlace, clip: Call) -> bool:
    """Whether the limit is made of the scale."""
    limit = clip.argument(1, CLIPPING[clip.name])
    made = [] if limit is None else [limit]
    for node in made:  # which grows
        names = names_in(node) if len(made) < _MOST else []
        made += [
            value
            for name in names
            for _, one in place.source.bindings_of(name)
            if (value := _value_of(one)) is not None
        ]
    return any(isinstance(one, ast.Attribute) and one.attr in SCALES for node in made for one in ast.walk(node))


def _value_of(bound: ast.AST) -> ast.expr | None:
    return bound.value if isinstance(bound, (ast.Assign, ast.AugAssign, ast.AnnAssign)) else None


def _is_scaled_throughout(places: list[ScalerPlace]) -> bool:
    """Whether each backward is scaled, as far as the sources tell, and none of them asks for the scale."""
    return all(backward.scaler for _, backward in backwards_in(places)) and not scale_is_read(places)
