"""What the helper keeps from one request to the next: all of it in one object.

It holds no value of the program: values of a stop belong to its snapshot, and die with it; what is ``kept`` are
copies. Elsewhere stand what can be worked out again, as the syntax trees of `lenses.step`, and the numbers of earlier
stops (`watching`).
"""

from __future__ import annotations

from typing import Any

from .preferences import Preferred


class Session:
    """The state of one debugged program."""

    __slots__ = (
        "burst",
        "busy_devices",
        "cold",
        "kept",
        "preferred",
        "recording_hook",
        "recordings",
        "running",
        "watchpoints",
    )

    def __init__(self) -> None:
        self.preferred = Preferred()  #: what the user prefers: the debugger's own views ask without saying
        self.cold = True  #: until the first frame is answered: it compiles modules, and torch starts threads
        self.burst: Any = None  #: the latest requests of the debugger's own views, a `stock.clock.RequestBurst`
        self.busy_devices: dict[Any, float] = {}  #: until when each is not waited for
        self.watchpoints: list[Any] = []  #: that are on, each a `watching.watchpoints.ArmedWatchpoint`
        self.recordings: dict[str, Any] = {}  #: by the expression, each a `watching.recording.recordings.Recorded`
        self.recording_hook: Any = None  #: a `watching.recording.steps.StepHook`, while something is recorded
        self.kept: dict[int, Any] = {}  #: copies that the user wants, by number, each a `lenses.keep.lens.Kept`
        self.running: dict[int, Any] = {}  #: what runs the program's code, by the number of its request

    def reset(self) -> None:
        """Makes it as it was before the first request."""
        self.__init__()  # type: ignore[misc]


session = Session()
