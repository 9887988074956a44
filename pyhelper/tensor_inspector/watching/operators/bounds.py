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

    from ..places import CodePlace

_COMPUTING = ("computes", "fills")  #: what is only moved or written down was so large before


class BoundWatch:
    """Looks at results in the place of `ForwardWatch`, and at what nodes and steps compute."""

    def __init__(self, verdict: Verdict, origins: Origins, bound: float) -> None:
        self._verdict = verdict
        self._origins = origins
        self._condition = Above(bound)

    def computed(self, call: FunctionCall, result: Any) -> None:
        text = self._largest(tensors_in((result,))) if call.deed in _COMPUTING else None
        if text is not None:
            place, module = self._origins.here(call.frame)
            went_in = words(one for one in call.tensors if one is not result)
            origin = FaultOrigin("above", "forward", call.name, place, module, went_in, found=text)
            self._verdict.report(origin, call.frame)

    def read(self, call: FunctionCall) -> None:
        """Nothing matters here: a large value is told as it is made."""

    judge = read

    def after_node(self, name: str, place: CodePlace, results: Any, frame: FrameType) -> None:
        text = self._largest(results or ())
        if text is not None:
            self._verdict.report(FaultOrigin("above", "backward", name, place, None, found=text), frame)

    def after_step(self, parameters: list[Any], name: str, frame: FrameType) -> None:
        text = self._largest(parameters)
        if text is not None:
            place, module = self._origins.here(frame)
            self._verdict.report(FaultOrigin("above", "step", name, place, module, found=text), frame, "in a parameter")

    def _largest(self, tensors: Any) -> str | None:
        met = (self._condition.met(one, "output", None) for one in tensors if is_readable(one))
        return next((one.text for one in met if one is not None), None)
