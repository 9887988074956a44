"""What is recorded in this process: each expression with the numbers that it had after the latest steps."""

from __future__ import annotations

import os
from collections import deque
from itertools import islice
from time import time
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...kinds import NotFound
from ...safe.budget import Budget
from ...safe.guard import class_name, module, plain_message
from ...session import session
from ...stop.expression import parse, resolve
from ...stop.frame import function_name, resolved
from ...words.text import full_path
from .names import variable_of

if TYPE_CHECKING:
    from types import FrameType

    from ...protocol import FunctionName, PinAnswer, PinRequest, Recording

_STEPS = 10_000  #: of an expression, that are kept
_NUMBERS = 40_000  #: that one answer carries
_REACH = 10  #: milliseconds in which an expression is followed
_NOT_HERE = "not recorded: it is not in sight where the optimizer steps"


class Recorded:
    """An expression and its numbers. It is followed in the nearest frame of the function in which it was set."""

    def __init__(self, expression: str, frame: FrameType, value: object, after: int) -> None:
        self.expression = expression
        self.step = after
        self.problem: str | None = None
        self._name = parse(expression)[0][1]
        self._code = ref(frame.f_code)
        self._function: FunctionName = {
            "name": function_name(frame),
            "file": full_path(frame.f_code.co_filename),
        }
        self._held = _held(value)
        self._points: deque[tuple[int, dict[str, Any]]] = deque(maxlen=_STEPS)

    def value(self, frame: FrameType | None) -> object:
        """What it reaches now, seen from a frame; what it was when it was set, where that function has ended."""
        code = self._code()
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        if frame is not None:
            return resolve(self.expression, variable_of(frame, self._name), frame.f_globals, Budget(_REACH))
        held = self._held()
        if held is None:
            raise NotFound(_NOT_HERE)
        return held

    def note(self, numbers: dict[str, Any] | None) -> None:
        self._points.append((self.step, {"time": round(time(), 3), **(numbers or {})}))
        self.problem = None

    def failed(self, error: Exception) -> None:
        self.problem = str(error) if type(error) is NotFound else f"{class_name(type(error))}: {plain_message(error)}"

    def answer(self, after: int, most: int) -> Recording:
        """The numbers after a step; of many, the last."""
        points = [one for one in islice(reversed(self._points), most) if one[0] > after][::-1]
        names = dict.fromkeys(name for _, numbers in points for name in numbers)
        points = points[-max(1, most // max(1, len(names))) :]
        answer: Recording = {
            "steps": [step for step, _ in points],
            "columns": {name: [numbers.get(name) for _, numbers in points] for name in names},
            "function": self._function,
        }
        if self.problem is not None:
            answer["problem"] = self.problem
        return answer


def follow(pins: list[PinRequest], frame: FrameType) -> None:
    """Has these pins be recorded that want it, and no others. Those that are already go on."""
    wanted = {pin["expression"]: pin["record_after"] for pin in pins if "record_after" in pin}
    if not (wanted or session.recordings):
        return
    recordings = {name: one for name, one in session.recordings.items() if name in wanted}
    for expression, after in wanted.items():
        if expression not in recordings and module("torch") is not None:
            recorded = _begun(expression, frame, after)
            if recorded is not None:
                recordings[expression] = recorded
    session.recordings = recordings
    hook = session.recording_hook
    if hook is not None and (not recordings or hook.process != os.getpid()):
        hook.end()
        session.recording_hook = None
    if recordings and session.recording_hook is None:
        from .steps import StepHook  # which needs torch

        session.recording_hook = StepHook()


def add_to(answers: list[PinAnswer], pins: list[PinRequest]) -> None:
    """Adds what was recorded of each pin since the step that its request names."""
    for answer, pin in zip(answers, pins):
        recorded = session.recordings.get(pin["expression"])
        if recorded is not None:
            answer["recording"] = recorded.answer(pin["record_after"], _NUMBERS // len(session.recordings))


def _begun(expression: str, frame: FrameType, after: int) -> Recorded | None:
    """None where it can't be followed here: perhaps at a later stop."""
    try:
        return Recorded(expression, frame, resolved(frame, expression, Budget(_REACH)), after)
    except Exception:
        return None


def _held(value: object) -> Any:
    """What stays where the function has ended: another tensor or a number would be told again at each step."""
    from ...measure.torch.metadata import is_trainable_leaf  # which need torch
    from ...measure.torch.modules import is_module
    from ...measure.torch.optimizers import is_optimizer

    stays = is_module(value) or is_optimizer(value) or is_trainable_leaf(value)
    return ref(value) if stays else lambda: None
