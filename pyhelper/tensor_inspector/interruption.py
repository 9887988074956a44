"""Ending the program's code that runs on our behalf: after its time, or because it is asked for from outside.

Only such code is ever interrupted: never the program's own, and none of ours. No signal is sent.
"""

from __future__ import annotations

import sys
from ctypes import c_ulong, py_object, pythonapi
from threading import Event, Lock, Thread, get_ident
from typing import Any, Callable, TypeVar

Result = TypeVar("Result")
_AGAIN = 0.1  #: seconds between two interruptions: code that swallows every exception is stopped all the same


class Interrupted(BaseException):
    """Raised into the program's code that runs on our behalf."""


class _Run:
    __slots__ = ("fired", "over", "thread")

    def __init__(self) -> None:
        self.thread = get_ident()
        self.over = self.fired = False


_lock = Lock()
_running: dict[int, _Run] = {}  #: by the number of the request on whose behalf it runs


def run(code: Callable[[], Result], seconds: float | None = None, request: int | None = None) -> Result:
    """``code()``, ended by ``Interrupted`` after so many seconds, or when `interrupt` names the request.

    That stops Python loops and the ends of sleeps, no native call. An interruption that is on its way when ``code``
    ends is awaited and swallowed here, so that it can't strike later; `_drain` is a function of its own because Python
    3.13 does not let a ``try`` of the same function catch it.
    """
    mine, done = _Run(), Event()
    try:
        if seconds is not None:  # first: until a new thread runs it bears our number, and would be struck in our place
            _watch(mine, done, seconds)
        if request is not None:
            with _lock:
                _running[request] = mine
        return code()
    finally:
        try:
            _end(mine, request)
        except Interrupted:  # it was on its way while the lock was waited for
            _end(mine, request)
        done.set()
        try:
            if mine.fired and not isinstance(sys.exc_info()[1], Interrupted):
                _drain()
        except Interrupted:
            pass


def _end(mine: _Run, request: int | None) -> None:
    with _lock:
        mine.over = True
        if request is not None:
            _running.pop(request, None)


def interrupt(request: int) -> bool:
    """End what runs on behalf of a request, if it still does. To be called from another thread."""
    with _lock:
        found = _running.get(request)
        return found is not None and _fire(found)


def _fire(one: _Run) -> bool:
    """Under the lock: what is over is not struck any more."""
    if one.over:
        return False
    one.fired = True
    pythonapi.PyThreadState_SetAsyncExc(c_ulong(one.thread), py_object(Interrupted))
    return True


def _watch(one: _Run, done: Event, seconds: float) -> None:
    """A timer, never traced by the debugger nor shown among its threads."""

    def watch() -> None:
        wait = seconds
        while not done.wait(wait) and not one.over:
            wait = _AGAIN
            with _lock:
                _fire(one)

    watcher: Any = Thread(target=watch, name="tensor-inspector deadline", daemon=True)
    watcher.pydev_do_not_trace = watcher.is_pydev_daemon_thread = True
    watcher.start()


def _drain() -> None:
    for _ in range(1000):  # it strikes at once, unless the program's code has swallowed it
        pass
