"""Finds the backwards through a gradient scaler, and the places of the source that may step or unscale after them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ......safe.guard import instance_dict
from ......safe.record import Record
from ......words.text import number
from .....flow.constants.loop_values import ValueOf
from .....step.calls import Backward, Call
from .....step.functions import functions_called, value_in
from .....step.source import Source
from .....step.step import Step

SCALES = ("get_scale", "_scale")


class ScalerPlace(Record):
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


class ScaledBackward(Record):
    """A backward through a scaler that is in use."""

    place: ScalerPlace
    backward: Backward
    scaler: Any


def scaler_places(step: Step) -> Iterator[ScalerPlace]:
    for level in step.levels:
        yield ScalerPlace(step.sources[level], level, None, None, lambda name, at=level: value_in(step, name, at), {})  # type: ignore[misc]
    for called in functions_called(step):
        given = called.given if called.caller is None else {}
        yield ScalerPlace(called.source, called.level, called.first.call.lineno, called.call, called.value, given)


def scaled_backwards(places: list[ScalerPlace]) -> list[ScaledBackward]:
    found = (
        ScaledBackward(place, backward, place.value_of(backward.scaler))
        for place in places
        for backward in place.source.backwards
        if backward.scaler
    )
    return [one for one in found if instance_dict(one.scaler).get("_enabled") is True]


def is_after_backward(step: Step, scaled: ScaledBackward, place: ScalerPlace, call: Call) -> bool:
    """Whether a call comes after a backward, in one pass through the source."""
    first, line = scaled.backward.lineno, call.lineno
    if place is scaled.place:
        return first < line and not place.source.are_alternatives(first, line)
    first, line = scaled.place.at(first), place.at(line)
    is_one = place.level == scaled.place.level
    return is_one and first < line and not step.sources[place.level].are_alternatives(first, line)


def scale_is_read(places: list[ScalerPlace]) -> bool:
    """Whether the program asks for the scale, so that it may divide by it."""
    return any(place.source.mentions(*SCALES) for place in places)


def backwards_in(places: list[ScalerPlace]) -> Iterator[tuple[ScalerPlace, Backward]]:
    """Those of all sources; not the calls of functions whose sources are among them."""
    through = {id(place.call.node) for place in places if place.call is not None}
    for place in places:
        yield from ((place, one) for one in place.source.backwards if id(one.call.node) not in through)


def scale_words(scaler: Any) -> str:
    known = instance_dict(scaler)
    start = known.get("_init_scale")
    return f"enabled, initial scale {number(start)}" if type(start) is float or type(start) is int else "enabled"
