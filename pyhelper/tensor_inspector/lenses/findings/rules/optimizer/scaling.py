"""Rules about a gradient scaler: clipping before `unscale_`, a step that passes it by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import is_exact_tensor
from .....measure.torch.modules import is_module, parameters_of
from .....measure.torch.optimizers import is_optimizer, tensors
from .....safe.guard import SEQUENCES, instance_dict
from .....safe.record import Record
from .....words.text import number
from ....step.calls import Backward, Call
from ....step.expressions import names_in, shown, text_of
from ....step.functions import functions_called, value_in
from ....step.meant import ValueOf, values_in_line
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_CLIPS = ("clip_grad_norm_", "clip_grad_value_")
_SCALES = ("get_scale", "_scale")
_MOST = 20


class _ScalerPlace(Record):
    """A frame's source, or that of a function and the call that runs it; ``lineno``: the line in the frame that leads there.

    ``value_of`` tells what names mean there, ``given`` what the function's arguments are, where the frame itself calls it.
    """

    source: Source
    level: int
    lineno: int | None
    call: Call | None
    value_of: ValueOf
    given: dict[str, ast.expr]

    def at(self, line: int) -> int:
        """The line in the frame in which a line of the source runs."""
        return line if self.lineno is None else self.lineno


class _ScaledBackward(Record):
    """A backward through a scaler that is in use."""

    place: _ScalerPlace
    backward: Backward
    scaler: Any


@rule(
    "error",
    why="Scaled gradients are thousands of times larger: all are clipped to almost nothing.",
    suggestion="call scaler.unscale_(optimizer) before clipping",
    needs="scaler source",
)
def clip_before_unscale(step: Step) -> Iterator[Violation]:
    """A scaled backward, clipping, and a step through that scaler, in the frame or in functions that it calls."""
    places = list(_places(step))
    for scaled in _scaled(places):
        for place in places:
            is_plain = place is scaled.place and place.lineno is None
            if not (is_plain or _is_scaled_throughout(places)):
                continue
            for clip in place.source.calls_of(*_CLIPS):
                if not _is_after(step, scaled, place, clip) or _is_unscaled(places, place, clip):
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
                    (name, _scale_words(scaled.scaler)),
                    line=(place.source.file, clip.lineno),
                )
                return


@rule(
    "error",
    why="The step is as many times too large as the scale.",
    suggestion="step through the scaler",
    needs="scaler source",
)
def scaler_bypassed(step: Step) -> Iterator[Violation]:
    """A scaled backward, and a step of an optimizer that gets its gradients, where nothing unscales them."""
    places = list(_places(step))
    for scaled in _scaled(places):
        if _is_used(places, scaled) or _scale_is_read(places):
            continue
        for place in places:
            for call in place.source.calls_of("step"):
                optimizer = place.value_of(text_of(call.receiver))
                if not any(variable.value is optimizer for variable in step.optimizers):
                    continue
                if not _is_after(step, scaled, place, call) or not _has_scaled_only(step, places, scaled, optimizer):
                    continue
                name = step.name_of(scaled.scaler) or shown(scaled.backward.scaler or "")
                yield Violation(
                    (f"{call.callee}() applies gradients that {name} has scaled", ", ", "and has not unscaled"),
                    (name, _scale_words(scaled.scaler)),
                    line=(place.source.file, call.lineno),
                    suggestion=f"{name}.step({text_of(call.receiver)}), then {name}.update()",
                )
                return


def _places(step: Step) -> Iterator[_ScalerPlace]:
    for level in step.levels:
        yield _ScalerPlace(step.sources[level], level, None, None, lambda name, at=level: value_in(step, name, at), {})  # type: ignore[misc]
    for called in functions_called(step):
        given = called.given if called.caller is None else {}
        yield _ScalerPlace(called.source, called.level, called.first.call.lineno, called.call, called.value, given)


def _scaled(places: list[_ScalerPlace]) -> list[_ScaledBackward]:
    found = (
        _ScaledBackward(place, backward, place.value_of(backward.scaler))
        for place in places
        for backward in place.source.backwards
        if backward.scaler
    )
    return [one for one in found if instance_dict(one.scaler).get("_enabled") is True]


def _is_after(step: Step, scaled: _ScaledBackward, place: _ScalerPlace, call: Call) -> bool:
    """Whether a call comes after a backward, in one pass through the source."""
    first, line = scaled.backward.lineno, call.lineno
    if place is scaled.place:
        return first < line and not place.source.are_alternatives(first, line)
    first, line = scaled.place.at(first), place.at(line)
    is_one = place.level == scaled.place.level
    return is_one and first < line and not step.sources[place.level].are_alternatives(first, line)


def _is_stepped(places: list[_ScalerPlace], scaler: Any, clipping: _ScalerPlace, clip: Call, clipped: set[int]) -> bool:
    """Whether the scaler steps for what is clipped: after the clipping, where that stands in the same source."""
    return any(
        not clipped.isdisjoint(map(id, tensors(optimizer)))
        for place in places
        for call in place.source.calls_of("step")
        if call.args and (place is not clipping or call.lineno > clip.lineno)
        if place.value_of(text_of(call.receiver)) is scaler
        for optimizer in values_in_line(place.source, text_of(call.args[0]), call.lineno, place.value_of)
    )


def _given_to(places: list[_ScalerPlace], place: _ScalerPlace, node: ast.expr | None) -> set[int]:
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


def _is_unscaled(places: list[_ScalerPlace], clipping: _ScalerPlace, clip: Call) -> bool:
    """Whether the scaler's ``unscale_`` comes first, or stands in another source, where it may; or it is done by hand."""
    by_scaler = any(
        place is not clipping or call.lineno <= clip.lineno
        for place in places
        for call in place.source.calls_of("unscale_")
    )
    return by_scaler or (_scale_is_read(places) and any(place.source.mentions("grad") for place in places))


def _is_limit_scaled(place: _ScalerPlace, clip: Call) -> bool:
    """Whether the limit is made of the scale."""
    limit = clip.argument(1, "max_norm" if clip.name == "clip_grad_norm_" else "clip_value")
    made = [] if limit is None else [limit]
    for node in made:  # which grows
        names = names_in(node) if len(made) < _MOST else []
        made += [
            value
            for name in names
            for _, one in place.source.bindings_of(name)
            if (value := _value_of(one)) is not None
        ]
    return any(isinstance(one, ast.Attribute) and one.attr in _SCALES for node in made for one in ast.walk(node))


def _value_of(bound: ast.AST) -> ast.expr | None:
    return bound.value if isinstance(bound, (ast.Assign, ast.AugAssign, ast.AnnAssign)) else None


def _scale_is_read(places: list[_ScalerPlace]) -> bool:
    """Whether the program asks for the scale, so that it may divide by it."""
    return any(place.source.mentions(*_SCALES) for place in places)


def _is_scaled_throughout(places: list[_ScalerPlace]) -> bool:
    """Whether each backward is scaled, as far as the sources tell, and none of them asks for the scale."""
    return all(backward.scaler for _, backward in _backwards(places)) and not _scale_is_read(places)


def _backwards(places: list[_ScalerPlace]) -> Iterator[tuple[_ScalerPlace, Backward]]:
    """Those of all sources; not the calls of functions whose sources are among them."""
    through = {id(place.call.node) for place in places if place.call is not None}
    for place in places:
        yield from ((place, one) for one in place.source.backwards if id(one.call.node) not in through)


def _is_used(places: list[_ScalerPlace], scaled: _ScaledBackward) -> bool:
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


def _has_scaled_only(step: Step, places: list[_ScalerPlace], scaled: _ScaledBackward, optimizer: Any) -> bool:
    """Whether an optimizer gets gradients of a scaled backward, and surely of no other one."""
    held = set(map(id, tensors(optimizer)))
    reached = _leaves(step, scaled.place, scaled.backward)
    if reached is None and len(step.optimizers) > 1:
        return False
    if reached is not None and held.isdisjoint(reached):
        return False
    for place, backward in _backwards(places):
        others = None if backward.scaler else _leaves(step, place, backward)
        if not backward.scaler and (others is None or not held.isdisjoint(others)):
            return False
    return True


def _leaves(step: Step, place: _ScalerPlace, backward: Backward) -> set[int] | None:
    """The ids of the leaves that a backward gives gradients; None where what it begins from is not in sight."""
    values = [place.value_of(name) for name in backward.names]
    nodes = [step.node_of(value) if is_exact_tensor(value) else None for value in values]
    known = [node for node in nodes if node is not None]
    if not known or not backward.is_whole:
        return None
    return {id(leaf) for node in known for leaf in step.graph.leaves(node)}


def _scale_words(scaler: Any) -> str:
    known = instance_dict(scaler)
    start = known.get("_init_scale")
    return f"enabled, initial scale {number(start)}" if type(start) is float or type(start) is int else "enabled"
