"""Rules about a gradient scaler: clipping before `unscale_`, a step that passes it by."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....safe.guard import instance_dict
from .....safe.record import Record
from .....words.text import number
from ....step.called import functions_called, value_in
from ....step.calls import Backward, Call
from ....step.expressions import shown, text_of
from ....step.meant import ValueOf
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_CLIPS = ("clip_grad_norm_", "clip_grad_value_")


class _Body(Record):
    """A frame's source, or that of a function and the call that runs it; ``lineno``: the line in the frame that leads there.

    ``value_of`` tells what names mean there.
    """

    source: Source
    view: int
    lineno: int | None
    call: Call | None
    value_of: ValueOf

    def at(self, line: int) -> int:
        """The line in the frame in which a line of the source runs."""
        return line if self.lineno is None else self.lineno


@rule(
    "error",
    why="Scaled gradients are thousands of times larger: all are clipped to almost nothing.",
    suggestion="call scaler.unscale_(optimizer) before clipping",
    needs="scaler source",
)
def clip_before_unscale(step: Step) -> Iterator[Violation]:
    """A scaled backward, clipping, and a step through that scaler, in the frame or in functions that it calls."""
    places = list(_places(step))
    for place, backward, scaler in _scaled(places):
        for other in places:
            is_plain = other is place and place.lineno is None
            if other.view != place.view or not (is_plain or _is_scaled_throughout(places)):
                continue
            for clip in other.source.calls_of(*_CLIPS):
                if not _is_after(place, backward, other, clip) or not _is_stepped(places, scaler, other, clip):
                    continue
                if _is_unscaled(places, other, clip):
                    continue
                name = step.name_of(scaler) or shown(backward.scaler or "")
                yield Violation(
                    (
                        f"{clip.name} clips gradients that {name} has not unscaled",
                        ": ",
                        "the limit holds for scaled ones",
                    ),
                    (name, _scale_words(scaler)),
                    line=(other.source.file, clip.lineno),
                )
                return


def _places(step: Step) -> Iterator[_Body]:
    for view in dict.fromkeys((0, step.at)):
        yield _Body(step.sources[view], view, None, None, lambda name, at=view: value_in(step, name, at))  # type: ignore[misc]
    for called in functions_called(step):
        yield _Body(called.source, called.view, called.first.call.lineno, called.call, called.value)


def _scaled(places: list[_Body]) -> Iterator[tuple[_Body, Backward, Any]]:
    """The backwards through a scaler that is in use, each with it."""
    for place in places:
        for backward in place.source.backwards:
            scaler = place.value_of(backward.scaler) if backward.scaler else None
            if scaler is not None and instance_dict(scaler).get("_enabled") is True:
                yield place, backward, scaler


def _is_after(place: _Body, backward: Backward, other: _Body, clip: Call) -> bool:
    if other is place:
        return backward.lineno < clip.lineno and not _are_alternatives(place.source, backward.lineno, clip.lineno)
    return place.at(backward.lineno) < other.at(clip.lineno)


def _is_stepped(places: list[_Body], scaler: Any, clipping: _Body, clip: Call) -> bool:
    """Whether the scaler makes a step: after the clipping, where that stands in the same source."""
    return any(
        place.value_of(text_of(call.receiver)) is scaler and (place is not clipping or call.lineno > clip.lineno)
        for place in places
        for call in place.source.calls_of("step")
    )


def _is_unscaled(places: list[_Body], clipping: _Body, clip: Call) -> bool:
    """Whether the scaler's ``unscale_`` comes first, or stands in another source, where it may."""
    return any(
        place is not clipping or call.lineno <= clip.lineno
        for place in places
        for call in place.source.calls_of("unscale_")
    )


def _is_scaled_throughout(places: list[_Body]) -> bool:
    """Whether each backward is scaled, as far as the sources tell, and none of them asks for the scale."""
    through = {id(place.call.node) for place in places if place.call is not None}
    backwards = [one for place in places for one in place.source.backwards if id(one.call.node) not in through]
    return all(one.scaler for one in backwards) and not any(place.source.mentions("get_scale") for place in places)


def _are_alternatives(source: Source, one: int, other: int) -> bool:
    """Whether two lines stand in the two branches of a condition."""
    for node in (node for statement in source.body for node in ast.walk(statement)):
        if isinstance(node, ast.If) and node.orelse:
            first, last = node.orelse[0].lineno, node.orelse[-1].end_lineno or 0
            inside = node.lineno <= min(one, other) and max(one, other) <= last
            if inside and (first <= one) != (first <= other):
                return True
    return False


@rule(
    "error",
    why="The step is as many times too large as the scale.",
    suggestion="step through the scaler",
    needs="scaler source",
)
def scaler_bypassed(step: Step) -> Iterator[Violation]:
    source = step.source
    for backward in source.backwards:
        scaler = step.value(backward.scaler or "")
        if scaler is None or instance_dict(scaler).get("_enabled") is not True:
            continue
        by_scaler = [call for call in source.calls_of("step", "unscale_") if text_of(call.receiver) == backward.scaler]
        direct = [
            call
            for call in source.calls_of("step")
            if any(variable.key == text_of(call.receiver) for variable in step.optimizers)
        ]
        if direct and not by_scaler:
            call = direct[0]
            yield Violation(
                (f"{call.callee}() applies gradients that {backward.scaler} has scaled", ", ", "and has not unscaled"),
                (backward.scaler, _scale_words(scaler)),
                line=(source.file, call.lineno),
                suggestion=f"{backward.scaler}.step({text_of(call.receiver)}), then {backward.scaler}.update()",
            )
            return


def _scale_words(scaler: Any) -> str:
    known = instance_dict(scaler)
    start = known.get("_init_scale")
    return f"enabled, initial scale {number(start)}" if type(start) is float or type(start) is int else "enabled"
