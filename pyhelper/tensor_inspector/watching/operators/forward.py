"""Forward: the result of each operation is tested, and NaN and Inf are followed to where they matter."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ..boundaries.looks import unsound
from ..finite import Found, examine, examine_all, find, found_in, is_readable
from ..hits import FaultOrigin
from ..origins import Origins, noticed
from ..places import CodePlace, place_of
from ..verdict import Verdict
from .calls import FunctionCall, tensors_in

if TYPE_CHECKING:
    from types import FrameType

    from ..finite import Seen

_ATTRIBUTE = "__get__"
#: Functions whose results hold what was there, bit by bit.
_VIEWS = frozenset(
    "__get__ __getitem__ chunk detach expand expand_as flatten movedim narrow permute reshape select split squeeze"
    " swapaxes t transpose unbind unflatten unsqueeze view view_as".split()
)
#: Those of them whose nodes only move gradients: `BackwardWatch` asks for none of their places.
UNHOOKED_VIEWS = frozenset(
    "chunk detach flatten movedim permute select split squeeze swapaxes t transpose unbind unflatten unsqueeze view"
    " view_as".split()
)
_FUNCTIONAL = "torch.nn.functional"
_RUNNING = ("running_mean", "running_var")


class ForwardWatch:
    """NaN matters where an operation computes with it and does not take it away, and where the program reads it."""

    def __init__(self, verdict: Verdict, origins: Origins) -> None:
        self._verdict = verdict
        self._origins = origins

    def computed(self, call: FunctionCall, result: Any) -> None:
        """Looks at the result of an operation."""
        if call.name in _VIEWS and not (self._origins and any(map(self._origins.of, call.tensors))):
            return  # what is there was made elsewhere: it is looked at where something is computed with it
        if is_readable(result):  # as nearly all are
            one = examine(result)
            results, seen, are_finite = [result], [one], one[0] is None
        else:
            results, seen, are_finite = examine_all(tensors_in((result,)))
        bad = () if are_finite and not self._origins else self._bad(call, results, seen)
        if results:
            self._verdict.before.add("result", call.name, call.place, results, seen)
        if call.deed == "fills":
            self._look_at_running(call)
        if results and not bad and self._origins:
            self._take_away(call)

    def read(self, call: FunctionCall) -> None:
        """The program reads a tensor's values."""
        origin = self._origins.of(call.args[0]) if call.args else None
        if origin is None or origin.kind != "nan" or (origin.is_given and not origin.is_used):
            return
        is_there = find(call.args[0]) is not None  # it may have been taken away in place
        if is_there and self._verdict.wants_as_told(origin):
            self._verdict.report(origin, call.frame, noticed(origin, call.frame))

    def judge(self, call: FunctionCall) -> None:
        """The program asks whether a tensor is finite: what it does about NaN is its own affair until a loss has it."""
        origin = self._origins.of(call.args[0]) if call.args else None
        if origin is not None and origin.kind == "nan":
            origin.is_given = True

    def _bad(self, call: FunctionCall, results: list[Any], seen: list[Seen]) -> list[Any]:
        """The results that are not finite; each has an origin from now on."""
        made = set(map(id, results))
        return [tensor for tensor, (found, _, _) in zip(results, seen) if self._look(call, tensor, found, made)]

    def _look(self, call: FunctionCall, result: Any, found: Found | None, made: set[int]) -> bool:
        """Whether a result is not finite; if so, it has an origin from now on.

        ``made`` are the ids of all results: what is changed in place with others of a list did not go into these.
        """
        if found is None:
            self._origins.forget(result)
            return False
        kind = "nan" if found.nan else "inf"
        given = [one for one in call.tensors if one is result or id(one) not in made]
        known = [] if call.deed == "makes" else list(filter(None, map(self._origins.of, given)))
        origin = next((one for one in known if one.kind == kind), None)
        if origin is not None:
            self._origins.hold(result, origin)
            if origin.kind == "nan" and call.deed != "moves":
                self._compute_with(origin, call)
            return True
        if call.name == _ATTRIBUTE:  # of a tensor, as `.grad`: what is there was made elsewhere
            return True
        origin = self._arisen(call, [one for one in given if one is not result], known, found)
        self._origins.hold(result, origin)
        if self._verdict.what == origin.kind and not origin.is_given:
            self._verdict.report(origin, call.frame)
        return True

    def _compute_with(self, origin: FaultOrigin, call: FunctionCall) -> None:
        """An operation has computed with NaN, and its result has it still."""
        if not origin.is_given:
            if self._verdict.what == "nonfinite":
                self._verdict.report(origin, call.frame, noticed(origin, call.frame))
        elif not origin.is_used:
            origin.is_used, origin.phase, origin.operation = True, "input", call.name
            origin.place, origin.module = self._origins.here(call.frame)
            if self._verdict.what == "nan":
                self._verdict.report(origin, call.frame)

    def _arisen(self, call: FunctionCall, inputs: list[Any], known: list[FaultOrigin], found: Found) -> FaultOrigin:
        """Where NaN or Inf arose that nothing which is known brought: here, in an earlier Inf, or before the watch."""
        infinite = next((one for one in known if one.kind == "inf" and not (one.is_meant or one.is_given)), None)
        if found.nan and infinite is not None and self._verdict.what == "nonfinite":
            return infinite.turned_to_nan()
        if found.nan and infinite is None and self._verdict.what == "inf":  # one that arose was told as it did
            came_in = next((one for one in known if one.kind == "inf" and one.is_given and not one.is_meant), None)
            if came_in is not None:
                return came_in.turned_to_nan()
        written = [one for one in call.floats() if not isfinite(one)]
        if (call.deed == "makes" or written) and not found.nan:
            return self._origins.written(call.name, call.place)
        if call.deed == "makes":
            origin = self._origins.new(call.name, found, call.frame, ())
            origin.is_given = True
            return origin
        origin = self._origins.new(call.name, found, call.frame, inputs)
        unknown = [find(one) for one in inputs if is_readable(one) and self._origins.of(one) is None]
        if found.nan:
            origin.is_given = any(one is not None and one.nan for one in unknown) or any(one != one for one in written)
            if self._verdict.what == "inf" and not origin.is_given:
                origin.was_inf = origin.is_given = any(one is not None for one in unknown)
        else:
            origin.is_given = any(one is not None for one in unknown)
        if origin.is_given and call.deed != "moves":
            origin.is_used, origin.phase = True, "input"
        if self._verdict.skipped is not None:  # what is made of gradients that a GradScaler is to skip
            origin.is_given = origin.is_meant = True
        return origin

    def _look_at_running(self, call: FunctionCall) -> None:
        """Tests the running statistics that an operation changes, whatever its schema says."""
        named = [(name, call.kwargs[name]) for name in _RUNNING if name in call.kwargs]
        first = 1 if getattr(call.function, "__module__", "") == _FUNCTIONAL else 3  # as in `torch.batch_norm`
        for name, tensor in named or zip(_RUNNING, call.args[first:]):
            found = found_in(tensor)
            if found is None or self._origins.of(tensor) is not None:
                continue
            origin = self._origins.new(call.name, found, call.frame, call.tensors[:1])
            origin.phase = "buffer"
            self._origins.hold(tensor, origin)
            if self._verdict.wants(origin.kind):
                self._verdict.report(origin, call.frame, f"in {name}")

    def _take_away(self, call: FunctionCall) -> None:
        """NaN that went in and did not come out is taken away: from now on it matters only in a loss."""
        for tensor in call.tensors:
            origin = self._origins.of(tensor)
            if origin is not None and origin.kind == "nan":
                origin.is_given = True


def look_at_parameters(verdict: Verdict, origins: Origins, parameters: list[Any], name: str, frame: FrameType) -> None:
    """Tests the parameters that an optimizer has changed."""
    for parameter in unsound(parameters):
        found = find(parameter)
        if found is None or origins.of(parameter) is not None:
            continue
        origin = origins.of(parameter.grad) if parameter.grad is not None else None
        if origin is None:
            origin = origins.new(name, found, frame, [parameter.grad])
            origin.phase = "step"
            if found_in(parameter.grad) is not None:  # the optimizer has only taken it over
                origin.phase, origin.operation, origin.place = "backward", None, CodePlace(None, None)
        origins.hold(parameter, origin)
        if verdict.wants(origin.kind):
            verdict.report(origin, frame, "in a parameter")
    there = [one for one in parameters if is_readable(one)]
    verdict.before.add("parameter", name, place_of(frame, None), there)
