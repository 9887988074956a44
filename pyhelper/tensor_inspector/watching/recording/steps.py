"""The hook after steps of optimizers, which is there only while something is recorded; and what it measures."""

from __future__ import annotations

import os
import sys
from math import inf
from types import FrameType
from typing import Any

from ... import debugger
from ...kinds import as_kind
from ...kinds.measured import measurement_of, plain_number
from ...measure.torch.metadata import grads_of, is_exact_tensor, is_tensor
from ...measure.torch.norms import total_norm
from ...measure.torch.optimizers import highest_rate, is_optimizer
from ...measure.torch.readable import are_there
from ...safe.budget import Budget
from ...safe.guard import instance_dict, module
from ...safe.untouched import Untouched
from ...session import session
from ..before.gradient_norm import norm_of_common
from ..finite import are_common
from ..steps import StepHooks, is_inside

torch: Any = module("torch")
_TINY = 1e-15  #: a norm below which squares of elements may have vanished
_READING = 5  #: milliseconds for the statistics of one tensor
_KEPT = ("value", "mean", "std", "min", "max", "nan", "inf")
_is_compiling: Any = getattr(module("torch.compiler"), "is_compiling", bool)


class StepHook:
    """Records all that is to be recorded after each step, in any thread, until no debugger is attached any more."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._was_attached = debugger.is_attached()
        self._steps = StepHooks(None, self._stepped)

    def end(self) -> None:
        self._steps.remove()

    def _stepped(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if _is_compiling() or debugger.is_paused():  # what the user runs at a stop is no step of the training
            return
        frame = sys._getframe(1)
        if is_inside(frame):
            return
        is_attached = debugger.is_attached()
        self._was_attached = self._was_attached or is_attached
        if self._was_attached and not is_attached:
            session.recordings, session.recording_hook = {}, None
            self.end()
            return
        try:
            with Untouched():
                _record(frame)
        except Exception:  # the program's step goes on
            return


def _record(frame: FrameType) -> None:
    for recorded in list(session.recordings.values()):
        recorded.step += 1
        try:
            recorded.note(numbers_of(recorded.value(frame)))
        except Exception as error:
            recorded.failed(error)


def numbers_of(value: Any) -> dict[str, Any]:
    """What is recorded of a value; empty of what has no numbers."""
    number = plain_number(value)
    if number is not None:
        return {"value": number}
    if issubclass(type(value), torch.nn.Module):
        return _norms_of(_parameters(value))
    if not is_tensor(value) and is_optimizer(value):
        rate = highest_rate(value)
        return {} if rate is None else {"lr": rate}
    found = measurement_of(as_kind(value, Budget(_READING))) or {}
    return {name: number for name, number in found.items() if name in _KEPT}


def _norms_of(parameters: list[Any]) -> dict[str, Any]:
    gradients = [grad for grad in grads_of(parameters) if grad is not None and is_exact_tensor(grad)]
    both = parameters + gradients
    of_each = _norm_of if are_common(both) and are_there(both) else total_norm
    norms = {"norm": of_each(parameters), "gradient_norm": of_each(gradients)}
    return {name: norm for name, norm in norms.items() if norm is not None}


def _norm_of(tensors: list[Any]) -> float | None:
    """The norm of all elements together, of tensors as most are: by the way that takes the least time."""
    norm = norm_of_common(tensors)
    return norm if _TINY < norm < inf else total_norm(tensors)


def _parameters(root: Any) -> list[Any]:
    """The parameters of a module and of those below it, each once, by what they hold and not by their own methods."""
    waiting, met = [root], {id(root)}
    found: dict[int, Any] = {}
    while waiting:
        held = instance_dict(waiting.pop())
        for parameter in list((held.get("_parameters") or {}).values()):
            if is_exact_tensor(parameter):
                found[id(parameter)] = parameter
        for below in list((held.get("_modules") or {}).values()):
            if below is not None and id(below) not in met:
                met.add(id(below))
                waiting.append(below)
    return list(found.values())
