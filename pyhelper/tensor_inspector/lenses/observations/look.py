"""Asks every detector at a stop, and ranks what they see: by how rarely such a fact holds in healthy programs."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING

from ...safe.budget import Budget
from ...safe.guard import class_name, module, plain_message
from ...safe.modes import gradients_are_on
from ...safe.untouched import Untouched
from ..step import frames
from ..step.step import Step
from .detector import Detector, observation
from .observed import Observations
from .reading import BoundedReading
from .registry import DETECTORS, unknown_detectors

if TYPE_CHECKING:
    from ...protocol import Finding
    from ..step.frames import VisibleFrame

_MOST = 3  #: observations of one detector
_NO_TIME = "no time"


def observations(frame: FrameType | None, budget: Budget, ignore: Collection[str]) -> Observations:
    """All that is seen at a frame, of the caller where it is None; ``ValueError`` for a name that no detector has."""
    for id in unknown_detectors(ignore):
        raise ValueError(f"there is no detector {id!r} to ignore")
    asked, grad_mode = frames.caller() if frame is None else frame, gradients_are_on()
    with Untouched():
        look = Look(asked, budget, ignore, grad_mode=grad_mode)
        look.go_on()
        return look.observations()


class Look:
    """Works in slices of its budget; only reading the step is not interrupted.

    A detector whose slice ended before it did is asked again in the next one, and skipped where that is too short too.
    One that has left a value out is among the checked, and among the skipped with what that was.
    """

    def __init__(self, frame: FrameType | None, budget: Budget, ignore: Collection[str], *, grad_mode: bool) -> None:
        self.frames: list[VisibleFrame] = []
        self._budget = budget
        self._ignore = ignore
        self._waiting = deque(DETECTORS)
        self._seen: list[tuple[int, Finding]] = []
        self._checked: list[str] = []
        self._skipped: list[tuple[str, str]] = [(id, "there is no such detector") for id in unknown_detectors(ignore)]
        self._step = self._read(frame, grad_mode)

    def _read(self, frame: FrameType | None, grad_mode: bool) -> Step | None:
        torch = module("torch")
        visible = None if torch is None or not hasattr(torch, "_C") else frames.nearest(frame)
        if visible is None:
            reason = "torch is not loaded" if torch is None else "no frame of the user in sight"
            self._skipped.append(("all", reason))
            return None
        self.frames = frames.in_sight(visible)
        return Step(self.frames, self._budget, thorough=True, grad_mode=grad_mode)

    def go_on(self) -> bool:
        """Asks detectors until the time is over. Returns whether all have been asked."""
        asked = 0
        while self._step is not None and self._waiting and not (asked and self._budget.spent()):
            detector = self._waiting[0]
            reading = BoundedReading(self._budget)
            reason, seen = self._ask(detector, self._step, reading)
            if self._budget.spent() and reason is None:
                if asked:
                    break
                reason, seen = _NO_TIME, []
            asked += 1
            self._waiting.popleft()
            self._seen += ((detector.one_in, one) for one in seen)
            if reason is None:
                self._checked.append(detector.id)
                self._skipped += ((detector.id, left_out) for left_out in reading.left_out())
            else:
                self._skipped.append((detector.id, reason))
        return self._step is None or not self._waiting

    def progress(self) -> float:
        return 1 - len(self._waiting) / len(DETECTORS)

    def observations(self) -> Observations:
        """What was seen so far, the most unusual first. What was not asked yet is skipped."""
        waiting = [] if self._step is None else [(detector.id, _NO_TIME) for detector in self._waiting]
        skipped = [*self._skipped, *waiting]
        ranked = [one for _, one in sorted(self._seen, key=lambda seen: -seen[0])]
        return Observations(ranked, self._checked, skipped, complete=all(reason != _NO_TIME for _, reason in skipped))

    def _ask(self, detector: Detector, step: Step, reading: BoundedReading) -> tuple[str | None, list[Finding]]:
        """What a detector sees, and the reason where it is not asked or failed."""
        if detector.id in self._ignore:
            return "ignored", []
        try:
            return None, [observation(detector, one) for one in islice(detector.look(step, reading), _MOST)]
        except (Exception, SystemExit) as error:
            return f"{class_name(type(error))}: {plain_message(error)}".rstrip(": "), []
