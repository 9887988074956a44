"""The exact gear: every operation is tested, by a function mode forward and by hooks on nodes backward."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from threading import get_ident, main_thread
from typing import TYPE_CHECKING, Any

from ... import debugger
from ...safe.guard import class_name, module
from ..boundaries.subjects import parameters_of
from ..hits import FaultOrigin
from ..origins import Origins
from ..steps import StepHooks, is_inside
from ..threads import retry_in_main_thread
from ..verdict import Verdict
from .backward import BackwardWatch
from .bounds import BoundWatch
from .calls import FunctionCall
from .compiled import EagerStance
from .forward import UNHOOKED_VIEWS, ForwardWatch, look_at_parameters
from .functions import deed_and_name, known_deeds

if TYPE_CHECKING:
    from types import FrameType

torch: Any = module("torch")

#: The end of the file of torch's that scales a loss, and what it calls to scale no more until the next loss.
_SCALER, _SCALED = ("amp/grad_scaler.py", "amp\\grad_scaler.py"), "_amp_update_scale_"
_modes: Any = torch.overrides
_Mode: Any = _modes.TorchFunctionMode


class Exact:
    """Watches this thread with a mode and hooks, for as long as it is begun and not ended."""

    def __init__(
        self, what: Any, hit: Callable[[FaultOrigin, FrameType | None, str], None], stepped: Callable[[], None]
    ) -> None:
        self.verdict = Verdict(what if isinstance(what, str) else what[0], hit)
        self._stepped = stepped
        self._origins = Origins()
        self.called = self._origins.called
        self.has_origins = self._origins.__bool__
        self._mode = _Functions(self)
        enter, leave = partial(_put_on, self._mode), partial(_take_off, self._mode)
        self.bounds = None if isinstance(what, str) else BoundWatch(self.verdict, self._origins, what[1])
        self.forward = self.bounds or ForwardWatch(self.verdict, self._origins)
        self.backward = BackwardWatch(self.verdict, self._origins, enter, leave)
        self.backward.bounds = self.bounds
        self.eager = EagerStance()
        self._steps: Any = None
        self._is_off = False  #: the mode, for a step of an optimizer
        self.thread = 0
        self.is_ended = False
        self._is_leaving = False

    def begin(self) -> None:
        self.thread = get_ident()
        self._origins.called.hook(self._enter)  # a step that has raised left the mode off
        self.eager.take()
        self._steps = StepHooks(self._before_step, self._after_step)
        _put_on(self._mode)

    def end(self) -> None:
        """Takes the mode off, wherever it stands, and removes the hooks."""
        _take_off(self._mode)
        self.is_ended = self.verdict.is_over = True
        self._steps.remove()
        self._origins.called.remove()
        self.eager.leave()

    def leave(self) -> None:
        """Takes the mode off after the call that it is ended in: as that returns, torch puts it back."""
        is_here = get_ident() == self.thread == main_thread().ident  # in another thread it stays, and does nothing
        if is_here and not self._is_leaving:
            self._is_leaving = True
            retry_in_main_thread(self._is_gone)

    def _is_gone(self) -> bool:
        _take_off(self._mode)
        return not _is_called(sys._getframe(1))

    def _enter(self) -> None:
        if not (self.is_ended or self.verdict.is_telling or debugger.is_paused()):
            self._is_off = False
            _put_on(self._mode)

    def pending(self) -> list[FaultOrigin]:
        """What is still to be reported when the watch ends."""
        found: list[FaultOrigin] = []
        if not self.verdict.is_over and self.verdict.what != "inf":
            self.verdict.quietly(lambda: found.extend(self._origins.pending()))
        return found

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """What an optimizer computes is not looked at, but for its result; what its closure computes is."""
        if get_ident() != self.thread:
            return
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        if closure is None:
            self._is_off = True
            _take_off(self._mode)
        if self.verdict.skipped is not None:
            self.verdict.quietly(self.backward.look_at_gradients, parameters_of(optimizer), sys._getframe(1))

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        frame = sys._getframe(1)
        if get_ident() != self.thread or is_inside(frame):
            return
        name = f"{class_name(type(optimizer))}.step"
        try:
            if not self.verdict.is_over:
                at_faults: Any = partial(look_at_parameters, self.verdict, self._origins)
                look = at_faults if self.bounds is None else self.bounds.after_step
                parameters = parameters_of(optimizer)
                self.verdict.quietly(look, parameters, name, frame)
                self.verdict.quietly(self.verdict.before.step.stepped, optimizer, parameters)
        finally:
            self._stepped()
            self._enter()


class _Functions(_Mode):  # type: ignore[misc]
    """Sees each function of torch that this thread calls."""

    def __init__(self, exact: Exact) -> None:
        super().__init__()
        self._exact = exact

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        exact = self._exact
        try:
            try:  # here, since a call takes longer
                found = known_deeds.get(func)
            except Exception:
                found = None
            deed, name = found or deed_and_name(func)
            if deed == "asks":  # as half of a step's calls do
                return func(*args, **kwargs) if kwargs else func(*args)
            named, verdict = kwargs or {}, exact.verdict
            if verdict.is_over or debugger.is_paused():
                return func(*args, **named)
            if name in UNHOOKED_VIEWS and not exact.has_origins():  # which nobody asks about
                result = func(*args, **named)
                exact.backward.pass_over()
                return result
            exact.eager.take()
            call = FunctionCall(func, deed, name, args, named, sys._getframe(1), exact.called)
            if deed == "backward":
                return exact.backward.run(call)
            if deed in ("reads", "judges"):
                verdict.quietly(exact.forward.read if deed == "reads" else exact.forward.judge, call)
                return func(*args, **named)
            result = func(*args, **named)
            if _is_scaler(call.frame.f_code.co_filename):
                exact.backward.scale(name != _SCALED)
            exact.backward.record(call)
            verdict.quietly(exact.forward.computed, call, args[0] if result is None and args else result)
            return result
        finally:
            if exact.is_ended:
                exact.leave()


@cache
def _is_scaler(file: str) -> bool:
    return file.endswith(_SCALER)


_CALLED: Any = _Functions.__torch_function__.__code__


def _is_called(frame: FrameType | None) -> bool:
    """Whether a function mode of ours is in the midst of a call, in this frame or further out."""
    while frame is not None and frame.f_code is not _CALLED:
        frame = frame.f_back
    return frame is not None


def _is_on(mode: Any) -> bool:
    stack = torch._C
    return any(stack._get_function_stack_at(at) is mode for at in range(stack._len_torch_function_stack()))


def _put_on(mode: Any) -> None:
    """Puts a mode below all others: each of the program's own is then the one on top that it takes off.

    It stands above the default device alone, which torch looks for at the bottom.
    """
    if _is_on(mode):
        return
    others = [_modes._pop_mode() for _ in range(torch._C._len_torch_function_stack())][::-1]
    bottom = 1 if others and others[0] is _default_device() else 0
    for one in (*others[:bottom], mode, *others[bottom:]):
        _modes._push_mode(one)


def _default_device() -> Any:
    """The mode of `torch.set_default_device`; None where it was not called."""
    kept = getattr(torch, "_GLOBAL_DEVICE_CONTEXT", None)
    return getattr(kept, "device_context", None)


def _take_off(mode: Any) -> bool:
    """Takes a mode off, and leaves those above it; tells whether it was on."""
    above: list[Any] = []
    while _is_on(mode):
        above.append(_modes._pop_mode())
    for one in reversed(above):
        if one is not mode:
            _modes._push_mode(one)
    return bool(above)
