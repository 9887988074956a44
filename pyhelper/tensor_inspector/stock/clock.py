"""One budget for each question of the debugger, whose clock runs only while we answer."""

from __future__ import annotations

from time import perf_counter

from .. import debugger
from ..safe.budget import Budget
from ..safe.untouched import Untouched
from ..session import session

_PAUSE = 0.05  #: seconds without being asked, after which it is another question


class Question:
    """A budget for one question of the debugger, which asks for many values in turn and does not say when it begins.

    Its clock runs only while we answer: what the debugger describes itself in between takes its own time.
    """

    def __init__(self) -> None:
        self._worked = 0.0
        self._stop: tuple[int, ...] = ()
        self._entered: float | None = None
        self._left = -_PAUSE
        self._budget = Budget(session.preferred.budget_ms)

    def begin(self) -> Budget:
        """One value is asked for, or the rows of one."""
        now, stop = perf_counter(), debugger.stop()
        if now - self._left >= _PAUSE or stop != self._stop:
            self._stop = stop
            self._worked, self._entered = 0.0, None
            self._budget = Budget(session.preferred.budget_ms, reads=session.preferred.reads, clock=self._clock)
        self._entered = now
        return self._budget

    def end(self) -> None:
        self._left = perf_counter()
        self._worked += 0.0 if self._entered is None else self._left - self._entered
        self._entered = None

    def _clock(self) -> float:
        return self._worked + (0.0 if self._entered is None else perf_counter() - self._entered)


def current_question() -> Question:
    """The session's: a burst of asking for many values is one question, whichever provider is asked."""
    if session.question is None:
        session.question = Question()
    return session.question  # type: ignore[no-any-return]


class Answering:
    """A context in which one value of a question is read, with torch left as it was.

    Not by `contextlib`, which would call built-in functions that the program may have replaced.
    """

    __slots__ = ("_compiling", "_question", "_untouched")

    def __init__(self, question: Question) -> None:
        self._question = question

    def __enter__(self) -> Budget:
        budget, self._untouched = self._question.begin(), Untouched()
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
        self._question.end()
