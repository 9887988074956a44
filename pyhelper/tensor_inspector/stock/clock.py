"""One budget for a burst of requests of the debugger's own views. Its clock runs only while we answer."""

from __future__ import annotations

from time import perf_counter

from .. import debugger
from ..safe.budget import Budget
from ..safe.untouched import Untouched
from ..session import session

_PAUSE = 0.05  #: seconds without being asked, after which it is another question


class RequestBurst:
    """A budget for one burst of requests. The debugger asks for many values in turn, and does not say when a burst
    begins.

    The clock runs only while we answer: what the debugger computes in between is not counted.
    """

    def __init__(self) -> None:
        self._worked = 0.0  #: seconds of this burst in which we answered
        self._stop: tuple[int, ...] = ()
        self._entered: float | None = None  #: when the answer under way was begun
        self._ended = -_PAUSE  #: when the latest answer was given
        self._budget = Budget(session.preferred.budget_ms)

    def begin(self) -> Budget:
        """Called for each value or its rows; starts a new budget if a new burst has begun."""
        now, stop = perf_counter(), debugger.stop_key()
        if now - self._ended >= _PAUSE or stop != self._stop:
            self._stop = stop
            self._worked, self._entered = 0.0, None
            self._budget = Budget(session.preferred.budget_ms, reads=session.preferred.reads, clock=self._clock)
        self._entered = now
        return self._budget

    def end(self) -> None:
        self._ended = perf_counter()
        self._worked += 0.0 if self._entered is None else self._ended - self._entered
        self._entered = None

    def _clock(self) -> float:
        return self._worked + (0.0 if self._entered is None else perf_counter() - self._entered)


def current_burst() -> RequestBurst:
    """The session's burst, which both providers share."""
    if session.burst is None:
        session.burst = RequestBurst()
    return session.burst  # type: ignore[no-any-return]


class Answering:
    """A context in which one value of a burst is read, with torch's state left as it was.

    Not made with `contextlib`, which would call built-in functions that the program may have replaced.
    """

    __slots__ = ("_burst", "_compiling", "_untouched")

    def __init__(self, burst: RequestBurst) -> None:
        self._burst = burst

    def __enter__(self) -> Budget:
        budget, self._untouched = self._burst.begin(), Untouched()
        self._compiling = debugger.stop_dynamo()
        try:
            self._untouched.__enter__()
        except BaseException:
            self._leave()
            raise
        return budget

    def __exit__(self, *error: object) -> None:
        try:
            self._untouched.__exit__(*error)
        finally:
            self._leave()

    def _leave(self) -> None:
        debugger.resume_dynamo(self._compiling)
        self._burst.end()
