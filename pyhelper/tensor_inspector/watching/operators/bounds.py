"""Exact, for a bound: which operation first makes a value whose magnitude is larger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..boundaries.conditions import Above
from ..finite import is_readable
from ..hits import FaultOrigin
from ..origins import Origins, words
from ..verdict import Verdict
from .calls import FunctionCall, tensors_in

if TYPE_CHECKING:
    from types import FrameType

    from ..finite import Seen
    from ..places import CodePlace

_COMPUTING = ("computes", "fills")  #: what is only moved or written down was so large before


class BoundWatch:
    """Looks at results in the place of `ForwardWatch`, and at what nodes and steps compute."""

    def __init__(self, verdict: Verdict, origins: Origins, bound: float) -> None:
        self._verdict = verdict
        self._origins = origins
        self._condition = Above(bound)

    def computed(self, call: FunctionCall, result: Any) -> None:
        if call.deed not in _COMPUTING:
            return
        there, seen = self._examine(tensors_in((result,)))
        text = self._beyond(seen)
        if text is not None:
            place, module = self._origins.here(call.frame)
            went_in = words(one for one in call.tensors if one is not result)
            origin = FaultOrigin("above", "forward", call.name, place, module, went_in, found=text)
            self._verdict.report(origin, call.frame)
        if there:
            self._verdict.before.add("result", call.name, call.place, there, seen)

    def read(self, call: FunctionCall) -> None:
        """Nothing matters here: a large value is told as it is made."""

    judge = read

    def after_node(self, name: str, place: CodePlace, results: Any, frame: FrameType) -> None:
        there, seen = self._examine(results or ())
        text = self._beyond(seen)
        if text is not None:
            self._verdict.report(FaultOrigin("above", "backward", name, place, None, found=text), frame)
        if there:
            self._verdict.before.add("gradient", name, place, there, seen)

    def after_step(self, parameters: list[Any], name: str, frame: FrameType) -> None:
        there, seen = self._examine(parameters)
        text = self._beyond(seen)
        place, module = self._origins.here(frame)
        if text is not None:
            self._verdict.report(FaultOrigin("above", "step", name, place, module, found=text), frame, "in a parameter")
        self._verdict.before.add("parameter", name, place, there, seen)

    def _examine(self, tensors: Any) -> tuple[list[Any], list[Seen]]:
        there = [one for one in tensors if is_readable(one) and one.numel()]
        return there, [(None, self._condition.largest(one), True) for one in there]

    def _beyond(self, seen: list[Seen]) -> str | None:
        return next((self._condition.text(number) for _, number, _ in seen if self._condition.is_beyond(number)), None)
