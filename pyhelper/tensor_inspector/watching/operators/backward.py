"""Backward: a hook on each node of the graph tests the gradients that it computes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...safe.guard import module
from ..boundaries.living import factors_of
from ..finite import Found, examine_all, found_in
from ..hits import FaultKind, FaultOrigin
from ..modules import dotted_name
from ..origins import Origins, is_given_mask, noticed, words
from ..places import CodePlace
from ..verdict import Verdict
from .calls import FunctionCall, tensors_in
from .nodes import Made, nodes_behind

if TYPE_CHECKING:
    from types import FrameType

    from ..finite import Seen
    from .bounds import BoundWatch

torch: Any = module("torch")

_NOWHERE = CodePlace(None, None)
_RECORDED = 8192  #: operations forward that are remembered
_GIVEN = ("gradient", "grad_tensors")  #: the names of what a backward begins with
_ADDED = "Inf and −Inf were added"
_sequence: Any = getattr(torch.autograd, "_get_sequence_nr", None)


class BackwardWatch:
    """The graph of a loss is walked once; what its nodes compute is told by the line that made them forward."""

    def __init__(
        self, verdict: Verdict, origins: Origins, enter: Callable[[], None], leave: Callable[[], object]
    ) -> None:
        """``enter`` and ``leave`` let the function mode see what custom functions compute."""
        self.bounds: BoundWatch | None = None  #: where a bound is watched for, in place of NaN and Inf
        self._is_scaled = False  #: whether a GradScaler made the loss: it skips steps whose gradients are not finite
        self._verdict = verdict
        self._origins = origins
        self._enter = enter
        self._leave = leave
        #: By sequence numbers of nodes, rising: the names of operations, and their places.
        self._recorded: dict[int, Made] = {}
        self._last = 0
        self._running = False
        self._is_entered = False  #: the function mode, for a custom function
        self._is_seen = False  #: NaN, in the backward that runs
        self._infinite: FaultOrigin | None = None  #: the first in the backward that runs
        self._is_turned = False  #: to NaN, that Inf
        #: Whether there was NaN, and the first Inf, before the custom function that runs has run a backward of its own.
        self._before_inner: tuple[bool, FaultOrigin | None] | None = None
        self._thread = 0  #: that has asked for it
        self._handles: list[Any] = []  #: of the hooks that it has set
        self._leaves: list[Any] = []  #: nodes that are hooked once an Inf is on its way to them
        self._elsewhere: list[tuple[FaultOrigin, str]] = []  #: met in another thread, as that of a GPU

    def record(self, call: FunctionCall) -> None:
        """Remembers where an operation forward was called, if it has made nodes."""
        number = 0 if _sequence is None else _sequence()
        if number != self._last:
            self._last = number
            self._recorded[number] = call.name, call.place
            if len(self._recorded) > _RECORDED:
                del self._recorded[next(iter(self._recorded))]

    def pass_over(self) -> None:
        """Remembers nothing of the operation that has run, which has made no node that is looked at."""
        self._last = 0 if _sequence is None else _sequence()

    def run(self, call: FunctionCall) -> Any:
        """Runs the backward that the program asks for."""
        roots = tensors_in(call.args[:1]) or tensors_in(call.kwargs.values())
        self._verdict.quietly(self._look_at_loss, roots, call.frame)
        if self._running:
            return self._run_inner(call, roots)
        self._infinite, self._is_seen, self._is_turned = None, False, False
        self._before_inner = None
        self._verdict.quietly(self._begin_step, roots)
        self._verdict.quietly(self._look_at_given, call)
        self._verdict.quietly(self._hook_graphs, roots)
        self._running, self._thread = True, get_ident()
        try:
            result = call.function(*call.args, **call.kwargs)
            self._verdict.quietly(self._look_at_arrived, tensors_in((result,)))  # what `autograd.grad` returns
            return result
        finally:
            self._leave_custom()  # where a custom function has raised
            handles, self._handles, self._leaves = self._handles, [], []
            for handle in handles:
                handle.remove()
            self._running = False
            self._last = 0 if _sequence is None else _sequence()
            met, self._elsewhere = self._elsewhere, []
            for origin, where in met:
                self._verdict.quietly(self._verdict.report, origin, call.frame, where)

    def _run_inner(self, call: FunctionCall, roots: list[Any]) -> Any:
        """Runs a backward that a custom function asks for, as a checkpoint does, or a hook of the program."""
        is_entered, self._is_entered = self._is_entered, False  # torch has taken the mode off for this call
        outer = self._handles, self._leaves
        before = self._before_inner or (self._is_seen, self._infinite)
        self._handles, self._leaves, self._before_inner = [], [], None
        self._verdict.quietly(self._hook_graphs, roots)
        try:
            return call.function(*call.args, **call.kwargs)
        finally:
            self._leave_custom()
            for handle in self._handles:
                handle.remove()
            self._is_entered = is_entered
            self._handles, self._leaves = outer
            self._before_inner = before if is_entered else None
            if self._infinite is not None:
                self._hook_leaves()

    def look_at_gradients(self, parameters: list[Any], frame: FrameType) -> None:
        """A step is taken: were there gradients that a GradScaler would have skipped?"""
        skipped, self._verdict.skipped = self._verdict.skipped, None
        if skipped is not None and any(found_in(parameter.grad) is not None for parameter in parameters):
            self._verdict.report(skipped, frame, "in a gradient at the optimizer's step")

    def _begin_step(self, roots: list[Any]) -> None:
        factors = [one for root in roots for one in factors_of(root)] if self._is_scaled else []
        self._verdict.before.step.begun(roots, factors)

    def _look_at_loss(self, roots: list[Any], frame: FrameType) -> None:
        for root in roots:
            found = found_in(root)
            origin = None if found is None else self._origins.of(root)
            if found is None or (not found.nan and (self._is_scaled or is_given_mask(root, origin))):
                continue
            origin = origin or self._origins.new(None, found, frame, [])
            if self._verdict.wants_as_told(origin):
                self._verdict.report(origin, frame, noticed(origin, frame, "in the loss"))

    def _look_at_given(self, call: FunctionCall) -> None:
        """Tests the gradients that the program begins with."""
        given = tensors_in((*call.args[1:], *(call.kwargs.get(name) for name in _GIVEN)))
        for gradient in given if call.name == "backward" else ():
            found = found_in(gradient)
            if found is not None and found.nan:
                self._is_seen = True
                origin = self._origins.of(gradient)
                if origin is None or origin.is_given:
                    origin = self._origins.new(call.name, found, call.frame, [gradient])
                    origin.phase = "input"
                self._hit(origin)

    def _hook_graphs(self, roots: list[Any]) -> None:
        """One walk of all that led to them."""
        handles, leaves, are_here = self._handles, self._leaves, not torch.cuda.is_initialized()
        quietly, after = self._verdict.quietly, self._after
        for node, kind, name, operation in nodes_behind(roots, self._recorded):
            if kind == "leaf":
                variable = node.variable
                if variable._backward_hooks:
                    handles.append(node.register_hook(partial(quietly, self._at_leaf, name)))
                else:
                    leaves.append(node)
                    are_here = are_here and variable.is_cpu
                continue
            if kind == "custom":
                handles.append(node.register_prehook(self._enter_custom))
            handles.append(node.register_hook(partial(quietly, after, name, operation)))
        if not are_here:
            self._hook_leaves()  # in the thread of a GPU it would be too late: others run nodes meanwhile

    def _hook_leaves(self) -> None:
        """An Inf may arrive at those that have not had their gradients yet."""
        leaves, self._leaves = self._leaves, []
        self._handles.extend(one.register_hook(partial(self._verdict.quietly, self._arrived)) for one in leaves)

    def _enter_custom(self, gradients: Any) -> None:
        self._is_entered = True
        self._enter()

    def _leave_custom(self) -> None:
        if self._is_entered:
            self._is_entered = False
            self._leave()

    def _arrived(self, results: Any, gradients: Any) -> None:
        """Looks at what has arrived at a leaf, if that may matter."""
        if not self._verdict.is_over:
            self._leave_custom()
            self._look_at_arrived(gradients)

    def _at_leaf(self, name: str, results: Any, gradients: Any) -> None:
        """The same of a leaf with hooks of the program."""
        if not self._verdict.is_over:
            self._arrived(results, gradients)
            self._look_for_sum(name, [one for one in map(found_in, gradients) if one is not None], gradients)

    def _after(self, name: str, made: Made | None, results: Any, gradients: Any) -> None:
        """Looks at what a node has computed, or passes on: no node below may, as one that masks it."""
        if self._verdict.is_over:
            return
        self._leave_custom()
        before, self._before_inner = self._before_inner, None
        if self.bounds is not None:
            if not self._is_scaled:
                self.bounds.after_node(name, _NOWHERE if made is None else made[1], results, sys._getframe())
            return
        if results and len(results) > 1 and results[0] is results[1]:  # as of a sum
            results = results[1:]
        there, seen, are_finite = examine_all(results or ())
        if before is not None and are_finite:  # what it met in its own backward goes no further
            self._is_seen, self._infinite = before
        if not are_finite:
            is_inner = before is not None and before != (self._is_seen, self._infinite)
            self._look_at_faults(name, made, there, seen, gradients, is_inner)
        if there:
            self._verdict.before.add("gradient", name, _NOWHERE if made is None else made[1], there, seen)

    def _look_at_faults(
        self, name: str, made: Made | None, there: list[Any], seen: list[Seen], gradients: Any, is_inner: bool
    ) -> None:
        """Tells whether it has come in, or arisen here; ``is_inner``: or in a backward of the node's own."""
        for result, (found, _, _) in zip(there, seen):
            if found is None:
                continue
            given = [one for one in map(found_in, gradients) if one is not None]
            if any(one.nan for one in given):
                self._look_for_sum(name, given, gradients)
            elif not is_inner or self._origins.of(result) is not None:
                self._is_seen = self._is_seen or found.nan
                self._arisen(result, found, bool(given), name, made, gradients)
                if found.nan:  # the other results are NaN for the same reason
                    return

    def _look_for_sum(self, name: str, given: list[Found], gradients: Any) -> None:
        """NaN that no node has made is of Inf and −Inf that were added, or of a hook on a tensor."""
        if self._is_seen or not any(one.nan for one in given):
            return
        self._is_seen = True
        if self._infinite is not None:
            self._is_turned = True
            self._hit(self._infinite.turned_to_nan(), f"in what {name} was given: {_ADDED}")
            return
        origin = FaultOrigin("nan", "backward", None, _NOWHERE, None, words(gradients))
        self._hit(origin, f"in what {name} was given: a hook on a tensor has made it")

    def _look_at_arrived(self, gradients: Any) -> None:
        """An Inf that has arisen in a node matters where it arrives at a leaf, also as the NaN that it has become."""
        infinite = self._infinite
        if infinite is None:
            return
        found = [one for one in map(found_in, gradients) if one is not None]
        if any(one.inf for one in found):
            self._hit(infinite)
        if not any(one.nan for one in found):
            return
        if not self._is_seen:  # no node has made it, nor was given it
            self._is_seen = self._is_turned = True
            self._hit(infinite.turned_to_nan(), f"in a gradient: {_ADDED}")
        if self._is_turned and self._verdict.what == "inf":
            infinite.was_inf = True
            self._hit(infinite)

    def _arisen(
        self, result: Any, found: Found, was_infinite: bool, name: str, made: Made | None, gradients: Any
    ) -> None:
        origin = self._origins.of(result)  # of what a custom function has computed
        if found.nan and origin is None and was_infinite and self._infinite is not None:
            self._is_turned = True
            origin = self._infinite.turned_to_nan() if self._verdict.what == "nonfinite" else None
        kind: FaultKind = "nan" if found.nan else "inf"
        if found.nan:
            self._hit(origin or self._of_node(name, made, kind, gradients))
        elif not was_infinite and self._infinite is None:
            self._infinite = origin or self._of_node(name, made, kind, gradients)
            self._hook_leaves()

    def _of_node(self, name: str, made: Made | None, kind: FaultKind, gradients: Any) -> FaultOrigin:
        place = _NOWHERE if made is None else made[1]
        return FaultOrigin(kind, "backward", name, place, dotted_name(place.module), words(gradients))

    def _hit(self, origin: FaultOrigin, met: str = "in a gradient") -> None:
        if self._is_scaled:
            self._verdict.skipped = self._verdict.skipped or origin
        elif self._verdict.wants(origin.kind):
            if self._running and get_ident() != self._thread:
                self._elsewhere.append((origin, met))
            else:
                self._verdict.report(origin, sys._getframe(1), met)

    def scale(self, is_scaled: bool) -> None:
        """A GradScaler has scaled a loss, or has chosen its next scale."""
        self._is_scaled = is_scaled
        if not is_scaled:
            self._verdict.skipped = None
