"""Calls back as functions return in a thread: one profile function of ours serves all who wait for some."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from types import FrameType

#: Is told of a frame that returns, or, now and then, of None; and says whether it still wants to be.
Returned = Callable[[Optional["FrameType"]], bool]

_OFTEN = 4096  #: events after which those who wait are asked whether they still do


class Returns:
    """The functions whose returns are waited for, by thread. A profiler of the program's own comes first."""

    def __init__(self) -> None:
        self._waiting: dict[int, list[tuple[Callable[[FrameType], bool], Returned]]] = {}
        self._events = 0
        self._ours: Any = self._seen  # one object: each access makes another

    def add(self, is_its: Callable[[FrameType], bool], returned: Returned) -> None:
        """Of this thread."""
        self._waiting.setdefault(get_ident(), []).append((is_its, returned))
        self.take()

    def remove(self, returned: Returned) -> None:
        """Of whichever thread; its profile function goes with its next event, where that is another."""
        for thread, waiting in list(self._waiting.items()):
            self._waiting[thread] = [one for one in waiting if one[1] != returned]
            if not self._waiting[thread]:
                del self._waiting[thread]
        self._leave()

    def take(self) -> None:
        """Begins to see returns in this thread, unless the program has a profiler in it."""
        if get_ident() in self._waiting and sys.getprofile() is None:
            sys.setprofile(self._ours)

    def are_seen(self) -> bool:
        """Whether they are, in this thread."""
        return sys.getprofile() is self._ours

    def _leave(self) -> None:
        if get_ident() not in self._waiting and sys.getprofile() is self._ours:
            sys.setprofile(None)

    def _seen(self, frame: FrameType, event: str, value: Any) -> None:
        waiting = self._waiting.get(get_ident())
        if waiting is None:  # all have gone
            self._leave()
            return
        self._events += 1
        is_due = not self._events % _OFTEN
        if event != "return" and not is_due:
            return
        for is_its, returned in list(waiting):
            met = frame if event == "return" and is_its(frame) else None
            if (met is not None or is_due) and not returned(met):
                self.remove(returned)


returns = Returns()
