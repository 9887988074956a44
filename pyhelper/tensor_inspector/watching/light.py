"""The light gear: looks at the boundaries of a training step, with no mode and no hook for each operation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from threading import get_ident
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, ref

from .. import debugger
from ..safe.guard import class_name, module
from .before.checks import version_of
from .boundaries import faults
from .boundaries.backwards import wrapper
from .boundaries.calls_of_modules import HARMLESS
from .boundaries.conditions import HoldsFault, Met, Remembering, condition_of, roles_of
from .boundaries.living import are_optimized, factors_of, is_scale
from .boundaries.looks import unsound, versions
from .boundaries.slopes import Slopes
from .boundaries.subjects import PHASES, Role, Subject, tensors_of
from .finite import examine, found_in, is_readable
from .hits import FaultOrigin
from .operators.calls import tensors_in
from .places import place_of, user_frame
from .steps import StepHooks, is_inside
from .verdict import Verdict

if TYPE_CHECKING:
    from types import FrameType

torch: Any = module("torch")

_modules: Any = module("torch.nn.modules.module")
_RUNNING = ("running_mean", "running_var")
_GIVEN = ("gradient", "grad_tensors")
_PLAIN = torch.Tensor
#: Dynamo takes it for True where it traces: compiled code is then as it is without a watch, but for what it returns.
_is_compiling: Any = getattr(module("torch.compiler"), "is_compiling", bool)


class Light:
    """Watches this thread by hooks of modules and optimizers and around `torch.autograd.backward`."""

    def __init__(
        self,
        what: Any,
        subject: Subject,
        hit: Callable[[FaultOrigin, FrameType | None, str], None],
        stepped: Callable[[], None],
    ) -> None:
        self.verdict = Verdict(what if type(what) is str else what[0], hit)
        self.thread = 0
        self._stepped = stepped
        self.subject = subject
        self._condition = condition_of(what)
        self._is_fault = isinstance(self._condition, HoldsFault)
        self._roles = roles_of(self._condition, self.subject)
        self._slopes = Slopes(self.verdict)
        self._handles: list[Any] = []  #: of hooks of modules
        self._steps: Any = None
        self._last: Any = lambda: None  #: what a module returned last, by weak reference, and its version
        self._version: int | None = 0
        self._sound: WeakSet[Any] = WeakSet()  #: modules whose running statistics were finite
        self._finite: dict[int, Any] = {}  #: the versions of parameters after a step, by the optimizer's id
        self._spoiled_before: set[int] = set()  #: ids of parameters that were not finite before the step
        self._spoiled: list[ref[Any]] = []  #: parameters that were told
        self._is_running = False  #: a backward
        self._has_stepped = False
        self._factors: list[Any] = []  #: of the losses of the last backward
        self._outermost = 0  #: the id of the frame of the step that is taken

    def begin(self) -> None:
        self.thread = get_ident()
        self.watch_subject()
        self._steps = StepHooks(self._before_step, self._after_step)
        if not self.subject.is_one and not self._roles.isdisjoint(("loss", "gradient")):
            wrapper.add(self._around)

    def watch_subject(self) -> None:
        """Hooks what the subject returns, and looks at what is to be compared."""
        thing = self.subject.thing()
        is_seen = self.subject.is_whole or self.subject.is_module
        if "output" in self._roles and is_seen and not self._handles:
            # Of one module too: a hook of its own would be pickled and copied with it.
            self._handles.append(_modules.register_module_forward_hook(self._left))
        if isinstance(self._condition, Remembering) and thing is not None and "parameter" in self._roles:
            held = self.subject.parts()
            self.verdict.quietly(self._look, held, "parameter", held, None, "")

    def end(self) -> None:
        lost = self.subject.lost()
        if lost is not None:
            self.verdict.failures.append(lost)
        self.verdict.is_over = True
        self._steps.remove()
        for handle in self._handles:
            handle.remove()
        wrapper.remove(self._around)

    def pending(self) -> list[FaultOrigin]:
        """Gradients that no optimizer has asked for."""
        found: list[FaultOrigin] = []
        self.verdict.quietly(self._look_at_unjudged, found.append)
        return found

    def _left(self, called: Any, args: Any, output: Any) -> None:
        if _is_compiling() or self.verdict.is_over or get_ident() != self.thread:
            return
        if self.subject.is_one and called is not self.subject.thing():
            return
        if not (type(called) in HARMLESS and self._is_fault and self.subject.is_whole):
            self.verdict.quietly(self._look_at_output, called, output)

    def _look_at_output(self, called: Any, output: Any) -> None:
        if type(output) is _PLAIN:
            version = version_of(output)
            if self._last() is output and self._version == version:  # as of the last module in another
                self.verdict.before.returned_too(called)
                return
            self._last, self._version = ref(output), version
            outputs = [output]
        else:
            outputs = list(tensors_of(output))
        there = [one for one in outputs if is_readable(one)]
        seen = [examine(one) for one in there] if self._is_fault else None
        if seen is None:
            keys = [(called, at) for at in range(len(outputs))]
            self._look(outputs, "output", keys, sys._getframe(), class_name(type(called)))
        else:
            for one, (found, _, _) in zip(there, seen):
                if found is not None and found.nan and self.verdict.wants("nan"):
                    self._tell(faults.of_output(called, one, "nan"), sys._getframe())
            if called._buffers and called.training:
                self._look_at_running(called, output)
        self.verdict.before.returned(called, there, seen, sys._getframe())

    def _look_at_running(self, called: Any, output: Any) -> None:
        """Tests the running statistics that a forward changes."""
        for name in _RUNNING:
            held = called._buffers.get(name)
            met = None if held is None else self._condition.met(held, "buffer", None)
            if met is not None:
                origin = faults.of_buffer(called, output, met.kind, called in self._sound)
                self._tell(origin, sys._getframe(), f"in {name}")
                return
        self._sound.add(called)

    def _around(self, function: Any, args: Any, kwargs: Any) -> Any:
        if _is_compiling() or self.verdict.is_over or self._is_running or get_ident() != self.thread:
            return function(*args, **kwargs)
        frame = sys._getframe(1)
        roots = [one for one in tensors_in(args[:1] or (kwargs.get("tensors"),)) if is_readable(one)]
        self.verdict.quietly(self._before_backward, roots, args, kwargs, frame)
        self.verdict.quietly(self.verdict.before.losing, roots, self._factors, "loss" in self._roles, frame)
        handles: list[Any] = []
        if self._is_fault and "gradient" in self._roles:
            self.verdict.quietly(lambda: handles.extend(self._slopes.hook(roots, not self._has_stepped)))
        self._is_running = True
        try:
            result = function(*args, **kwargs)
            self.verdict.quietly(self._after_backward, roots, frame)
            return result
        finally:
            self._is_running = False
            for handle in handles:
                handle.remove()

    def _before_backward(self, roots: list[Any], args: Any, kwargs: Any, frame: FrameType) -> None:
        self._look_at_unjudged(lambda origin: self._tell(origin, frame, "in a gradient, at the next backward"))
        self._factors = [factor for root in roots for factor in factors_of(root)]
        if "loss" not in self._roles:
            return
        if not self._is_fault:
            caller = user_frame(frame) or frame
            keys = [(self, (caller.f_code, caller.f_lasti, at)) for at in range(len(roots))]
            self._look(roots, "loss", keys, frame, "the loss")
            return
        for root in roots:
            met = self._condition.met(root, "loss", None)
            if met is not None and not (met.kind == "inf" and (root.numel() > 1 or is_scale(self._factors))):
                self._tell(faults.of_loss(root, met.kind, frame), frame, "in the loss")
        given = tensors_in((*args[1:2], *(kwargs.get(name) for name in _GIVEN)))
        for one in given if self.verdict.wants("nan") else ():
            found = found_in(one)
            if found is not None and found.nan:
                self._tell(faults.of_given_gradient(one, frame), frame)

    def _after_backward(self, roots: list[Any], frame: FrameType) -> None:
        """Gradients that an optimizer holds are judged as it steps; the others now."""
        origin = self._slopes.settle(roots, frame)
        if origin is None or not self.verdict.wants(origin.kind):
            return
        if not (are_optimized(self._slopes.living()) or is_scale(self._factors)):
            self._tell(faults.of_gradient(origin.kind, origin), frame, "in a gradient, after backward")

    def _look_at_unjudged(self, tell: Callable[[FaultOrigin], None]) -> None:
        """Looks at gradients of a backward after which no optimizer has stepped."""
        leaves, self._slopes.leaves = self._slopes.leaves, []
        if self.verdict.is_over or self._has_stepped or "gradient" not in self._roles or not self._is_fault:
            return
        living = [leaf for leaf in (one() for one in leaves) if leaf is not None and leaf.grad is not None]
        for _, met in self._condition.among([leaf.grad for leaf in living], "gradient", living):
            if not (are_optimized(living) or is_scale(self._factors)):
                tell(faults.of_gradient(met.kind, self._slopes.origin))
            return

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if _is_compiling() or self.verdict.is_over or get_ident() != self.thread:
            return
        frame = sys._getframe(1)
        if not is_inside(frame):
            self._outermost = id(frame)
            self._has_stepped = True
            closure = args[1] if len(args) > 1 else kwargs.get("closure")
            self.verdict.quietly(self._look_before, optimizer, closure is None, frame)

    def _look_before(self, optimizer: Any, are_there: bool, frame: FrameType) -> None:
        held = self.subject.held_by(optimizer)
        if "gradient" in self._roles and are_there and getattr(optimizer, "found_inf", None) is None:
            self._look_at_gradients(held, frame)
        if "parameter" not in self._roles:
            return
        values = [one for _, one in held]
        if isinstance(self._condition, Remembering):
            self._condition.begin(values, "parameter", values)
        elif self._is_fault and self._finite.get(id(optimizer)) != versions(values):  # changed since the last step
            self._spoiled_before = {id(one) for one in unsound(values)}

    def _look_at_gradients(self, held: list[tuple[str, Any]], frame: FrameType) -> None:
        asked = [(name, one) for name, one in held if one.is_leaf or one.retains_grad]
        having = [one for one in asked if self._condition.takes_none or one[1].grad is not None]
        gradients, owners = [one.grad for _, one in having], [one for _, one in having]
        are_sound = self._is_fault and self.verdict.before.step.proves_finite(gradients)
        for at, met in () if are_sound else self._condition.among(gradients, "gradient", owners):
            name = having[at][0] or faults.name_of_parameter(owners[at], frame)
            if self._is_fault:
                origin = faults.of_gradient(met.kind, self._slopes.origin)
                self._tell(origin, frame, f"in the gradient of {name}")
                return
            self._tell_condition(met, "gradient", self._condition.of_gradient.format(name), frame)
        self.verdict.before.stepping(gradients, frame)
        self._slopes.leaves.clear()

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if _is_compiling() or get_ident() != self.thread:
            return
        frame = sys._getframe(1)
        if id(frame) != self._outermost:
            return
        try:
            if not self.verdict.is_over:
                self.verdict.quietly(self._look_after, optimizer, frame)
        finally:
            self._stepped()

    def _look_after(self, optimizer: Any, frame: FrameType) -> None:
        held = self.subject.held_by(optimizer)
        values = [one for _, one in held]
        if "parameter" in self._roles:
            self._look_at_parameters(optimizer, held, values, frame)
        if values:
            self.verdict.before.step.stepped(optimizer, values)

    def _look_at_parameters(self, optimizer: Any, held: Any, values: list[Any], frame: FrameType) -> None:
        before, self._spoiled_before = self._spoiled_before, set()
        if self._is_fault:
            self._finite[id(optimizer)] = versions(values)
        for at, met in self._condition.among(values, "parameter", values):
            name = held[at][0] or faults.name_of_parameter(values[at], frame)
            if not self._is_fault:
                self._tell_condition(met, "parameter", name, frame)
                continue
            parameter = values[at]
            was_finite = id(parameter) not in before
            origin = faults.of_parameter(optimizer, met.kind, parameter, was_finite, self._slopes.origin, frame)
            self._tell(origin, frame, f"in {name}")
            self._spoiled.append(ref(values[at]))
            return
        name = f"{class_name(type(optimizer))}.step"
        self.verdict.before.add("parameter", name, place_of(frame, None), values)

    def _look(self, tensors: list[Any], role: Role, keys: Iterable[Any], frame: FrameType | None, name: str) -> None:
        """Asks a condition that is not about NaN and Inf."""
        for _, met in self._condition.among(tensors, role, keys):
            self._tell_condition(met, role, name, frame)

    def _tell_condition(self, met: Met, role: Role, name: str, frame: FrameType | None) -> None:
        found = ", ".join(filter(None, (name, met.text)))
        self._tell(FaultOrigin(met.kind, PHASES[role], None, place_of(frame, None), None, found=found), frame)

    def _tell(self, origin: FaultOrigin, frame: FrameType | None, met: str = "") -> None:
        if debugger.is_paused() or self._is_told_already():
            return
        self.verdict.report(origin, frame, met)

    def _is_told_already(self) -> bool:
        """Whether a parameter that was told is not finite still: then all that follows is of it."""
        self._spoiled = [one for one in self._spoiled if (held := one()) is not None and unsound([held])]
        return bool(self._spoiled)
