"""Decides what is reported, once, and keeps faults of our own away from the program."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..safe.guard import class_name, module
from .before.checks import Before
from .hits import FaultKind, FaultOrigin, NonFinite
from .places import user_frame

if TYPE_CHECKING:
    from types import FrameType

torch: Any = module("torch")

_FAILURES = 5  #: whose texts are kept
_traced: Any = torch._C._get_tracing_state
_dispatching: Any = getattr(torch._C, "_len_torch_dispatch_stack", int)
_modes: Any = torch._C._len_torch_function_stack


class Verdict:
    """What is watched for, and whether that has been found."""

    def __init__(self, what: str, hit: Callable[[FaultOrigin, FrameType | None, str], None]) -> None:
        self.what = what
        self.is_over = False  #: nothing is looked at any more
        self.is_telling = False  #: what runs now is a callback of the user, or asked for at a stop
        self.skipped: FaultOrigin | None = None  #: what a GradScaler is to skip the step for
        self.before = Before()
        self.failures: deque[str] = deque(maxlen=_FAILURES)  #: of our own
        self._hit = hit

    def wants(self, kind: FaultKind) -> bool:
        return self.what in ("nonfinite", kind)

    def wants_as_told(self, origin: FaultOrigin) -> bool:
        """Whether an origin is watched for. Of Inf alone, NaN that came of an Inf is told as that Inf."""
        if origin.was_inf and self.what == "inf":
            origin.kind = "inf"
        return self.wants(origin.kind)

    def report(self, origin: FaultOrigin, frame: FrameType | None, met: str = "") -> None:
        """Reports an origin the first time that it matters."""
        if not (self.is_over or origin.is_reported or origin.is_meant):
            origin.is_reported = True
            if origin.kind in ("nan", "inf"):
                self.before.step.is_spoiled = True
            self.is_telling = True
            try:
                self._hit(origin, user_frame(frame), met)
            finally:
                self.is_telling = False

    def went_before(self, frame: FrameType | None) -> dict[str, Any]:
        """What went before a hit; nothing, where that can't be told: the hit is told all the same."""
        try:
            return self.before.report(frame)
        except Exception as error:
            self.failures.append(f"{class_name(type(error))}: {error}")
            return {"checks": [], "step": None}

    def quietly(self, ask: Callable[..., None], *given: Any) -> None:
        """Looks without being seen by modes of the program. An error of ours is kept, and the program goes on."""
        if _traced() or _dispatching():  # it would go into a trace, or be seen by a dispatch mode of the program
            return
        try:
            if not _modes():
                ask(*given)
                return
            with torch._C.DisableTorchFunction():
                ask(*given)
        except NonFinite:
            raise
        except Exception as error:
            self.failures.append(f"{class_name(type(error))}: {error}")
