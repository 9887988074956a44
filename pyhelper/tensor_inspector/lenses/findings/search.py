"""The search for findings at a stop: reads the step in sight, asks the rules, and keeps numbers for later stops."""

from __future__ import annotations

from collections.abc import Collection
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget
from ...safe.guard import module
from ..step import frames
from ..step.moment import moment_of
from ..step.step import Step
from .finding import Findings
from .rules.registry import RULES
from .run import NO_TIME, Asking

if TYPE_CHECKING:
    from typing import Protocol

    from ..step.frames import VisibleFrame
    from ..step.moment import Moment

    class History(Protocol):
        """Remembers the numbers of stops: see `watching.history`."""

        def recall(self, owner: Any, file: str, function: str, stop: int | None) -> list[Moment]: ...

        def remember(self, owner: Any, file: str, function: str, stop: int | None, moment: Moment) -> None: ...


class Search:
    """Works in slices of its budget; only reading the step is not interrupted.

    ``stop`` is the number of the stop, by which two searches at one stop are known: the numbers of it are kept once.
    """

    def __init__(
        self,
        frame: FrameType | None,
        budget: Budget,
        history: History,
        *,
        thorough: bool,
        run: bool,
        ignore: Collection[str],
        grad_mode: bool,
        stop: int | None = None,
    ) -> None:
        self.frames: list[VisibleFrame] = []
        self.is_late = False  #: whether there was no time to look at the step
        self._budget = budget
        self._history = history
        self._stop = stop
        self._step: Step | None = None
        self._asking: Asking | None = None
        self._refused = self._begin(frame, ignore, thorough=thorough, grad_mode=grad_mode, run=run)

    def _begin(self, frame: FrameType | None, ignore: Collection[str], **wanted: bool) -> Findings | None:
        """Reads the step. Returns the answer where the rules can't be asked, else None."""
        torch = module("torch")
        if torch is None or not hasattr(torch, "_C"):
            return Findings(skipped=[("all", "torch is not loaded")])
        visible = frames.nearest(frame)
        if visible is None:
            return Findings(skipped=[("all", "no frame of the user in sight")])
        self.frames = frames.in_sight(visible)
        step = Step(self.frames, self._budget, **wanted)
        self.is_late = self._budget.spent()
        if self.is_late:  # what was not seen may speak against any finding
            return Findings(skipped=[(rule.id, NO_TIME) for rule in RULES], complete=False)
        owner = _owner(step)
        if owner is not None:
            step.moments = self._history.recall(owner, step.source.file, step.source.function, self._stop)
        self._step = step
        self._asking = Asking(step, ignore)
        return None

    def go_on(self) -> bool:
        """Works until all is done, or the time is over. Returns whether all is done."""
        if self._asking is None or self._step is None:
            return True
        if not self._asking.go_on():
            return False
        step, owner = self._step, _owner(self._step)
        if owner is not None:
            function = step.source.file, step.source.function
            self._history.remember(owner, *function, self._stop, moment_of(step))
        return True

    def progress(self) -> float:
        return 1.0 if self._asking is None else self._asking.progress()

    def findings(self) -> Findings:
        """What was found so far."""
        if self._asking is not None:
            return self._asking.findings()
        return Findings() if self._refused is None else self._refused


def _owner(step: Step) -> Any:
    """The object that the step's numbers are remembered for; None in an inner frame, where a stop is no step."""
    found = (variable.value for variable in (*step.optimizers, *step.modules))
    return None if step.level else next(found, None)
