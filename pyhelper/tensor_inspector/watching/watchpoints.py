"""The watchpoints that the user has set in the editor. They are kept there; here is what one of them is doing."""

from __future__ import annotations

import os
from threading import get_ident
from typing import TYPE_CHECKING, Any

from .. import debugger
from ..safe.guard import class_name, plain_message
from ..safe.untouched import Untouched
from ..session import session
from .active import ActiveWatch
from .before.shown import shown
from .expression import NamedThing
from .hits import NonFinite
from .threads import run_on
from .watch import check_what

if TYPE_CHECKING:
    from types import FrameType

    from ..protocol import Before, Watchpoint, WatchpointState

_LASTING = ("id", "what", "bound", "gear", "of", "function")  #: with another of these it begins anew
_UNREACHABLE = "it can't begin while this runs: pause the program in the thread that trains, and enable it again"


class ArmedWatchpoint:
    """A watchpoint that is on in this process, with its hits so far."""

    def __init__(self, wanted: Watchpoint) -> None:
        self.wanted = wanted
        self._thing = _thing(wanted)
        self._watch = ActiveWatch(
            _what(wanted),
            self._hit,
            gear=wanted["gear"],
            of=self._thing,
            repeat=True,
            is_wanted=self._is_wanted,
            failed=self._failed,
            unseen=lambda said: debugger.log(f"Tensor Inspector: a watchpoint {said}"),
        )
        self._process = os.getpid()
        self._was_attached = debugger.is_attached()
        self._hits = 0
        self._reason: str | None = None
        self._before: Before | None = None
        self._is_here = False  #: the program is stopped by it
        self._problem: str | None = None

    def begin(self, thread: int | None) -> None:
        """On that thread of the program; None stands for the main thread."""
        if not run_on(thread, self._begin):
            self._problem = _UNREACHABLE

    def end(self) -> None:
        self._watch.end_soon()

    def goes_on_as(self, wanted: Watchpoint) -> bool:
        """Takes over another condition, where it watches for the same still, and in this process."""
        is_same = all(self.wanted.get(name) == wanted.get(name) for name in _LASTING)
        if not (is_same and self._watch.is_on and self._process == os.getpid()):
            return False
        self.wanted = wanted
        return True

    def state(self, frame: FrameType | None) -> WatchpointState:
        """What it has met, and in a paused frame what of it is known there."""
        state: WatchpointState = {"id": self.wanted["id"], "hits": self._hits}
        if self._reason is not None:
            state["reason"] = self._reason
        if self._before is not None:
            state["before"] = self._before
        if self._is_here:
            state["here"] = True
        looks = self._watch.looks
        if looks is not None:
            state["looks"] = looks
        if self._watch.is_absent:
            state["absent"] = True
            if frame is not None and self._thing is not None and self._thing.is_gone(frame):
                state["gone"] = True
        measurement = None if frame is None or self._thing is None else self._thing.measurement(frame)
        if measurement is not None:
            state["measurement"] = measurement
        problem = self._problem or self._watch.lost
        if problem is not None:
            state["problem"] = problem
        return state

    def _begin(self) -> None:
        try:
            check_what(_what(self.wanted), self.wanted["gear"], self.wanted.get("of"))
            self._watch.begin()
        except Exception as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        self._problem = f"it can't begin: {class_name(type(error))}: {plain_message(error)}"

    def _is_wanted(self) -> bool:
        """A debugger that is not attached yet will be; once it is gone, the watch ends."""
        is_attached = debugger.is_attached()
        self._was_attached = self._was_attached or is_attached
        return is_attached or not self._was_attached

    def _hit(self, report: dict[str, Any], frame: FrameType | None) -> None:
        if report["step"] < self.wanted.get("after_step", 0) or not debugger.is_attached():
            return
        self._hits += 1
        self._reason = report["reason"]
        self._before = shown(report["before"])
        counted = self._hits - self.wanted.get("skip_hits", 0)
        if counted <= 0 or counted % self.wanted.get("every", 1):
            return
        if self.wanted.get("log") is True or frame is None:
            debugger.log(f"Tensor Inspector: {self._reason}")
            return
        self._is_here = True
        try:
            debugger.stop(frame, NonFinite(report), is_returning=self._watch.is_returning)
        finally:
            self._is_here = False


def arm(wanted: list[Watchpoint], thread: int | None = None) -> None:
    """Has these be on, and no others. Those that are on already stay as they are, with their hits.

    ``thread`` is the paused one that the user looks at, None where none is.
    """
    kept = [next((armed for armed in session.watchpoints if armed.goes_on_as(one)), None) for one in wanted]
    for armed in session.watchpoints:
        if armed not in kept:
            armed.end()
    session.watchpoints = [armed or _begun(one, thread) for armed, one in zip(kept, wanted)]


def states(frame: FrameType | None = None) -> list[WatchpointState]:
    """What each has met; ``frame`` is the paused one that is looked at."""
    with Untouched():
        return [armed.state(frame) for armed in session.watchpoints]


def _begun(wanted: Watchpoint, thread: int | None) -> ArmedWatchpoint:
    armed = ArmedWatchpoint(wanted)
    armed.begin(thread)
    return armed


def _what(wanted: Watchpoint) -> Any:
    return (wanted["what"], wanted["bound"]) if "bound" in wanted else wanted["what"]


def _thing(wanted: Watchpoint) -> NamedThing | None:
    return NamedThing(wanted["of"], wanted["function"]) if "of" in wanted else None


def this_thread() -> int | None:
    """The thread that an evaluate of a paused frame runs on; None for one that names no frame."""
    return None if debugger.user_frame() is None else get_ident()
