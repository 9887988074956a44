"""Ending the program's code that runs on our behalf: after its time, because it is asked for from outside, or because
the program is to continue, which it can't while its thread is busy with us.

Only such code is ever interrupted: never the program's own, and none of ours. No signal is sent.
"""

from __future__ import annotations

import sys
from ctypes import c_ulong, py_object, pythonapi
from threading import Event, Lock, get_ident
from time import monotonic
from typing import Callable, TypeVar

from . import debugger

Result = TypeVar("Result")
_STEP = 0.1  #: seconds between two looks, and two interruptions: code that swallows every exception is stopped too
_GRACE = 1.0  #: seconds for what is under way when the program is to continue


class Interrupted(BaseException):
    """Raised into the program's code that runs on our behalf."""


class _Run:
    __slots__ = ("fired", "over", "ready", "thread")

    def __init__(self) -> None:
        self.thread = get_ident()
        self.over = self.fired = False
        self.ready = False  #: nothing of ours that must not be struck is left to do before the code


_lock = Lock()
_running: dict[int, _Run] = {}  #: by the number of the request on whose behalf it runs


def run(code: Callable[[], Result], seconds: float | None = None, request: int | None = None) -> Result:
    """``code()``, ended by ``Interrupted`` after so many seconds, when `interrupt` names the request, or when the
    debugger has been told to let the program continue.

    That stops Python loops and the ends of sleeps, no native call. An interruption that is on its way when ``code``
    ends is awaited and swallowed here, so that it can't strike later; `_drain` is a function of its own because Python
    3.13 does not let a ``try`` of the same function catch it.
    """
    mine, done = _Run(), Event()
    try:
        _watch(mine, done, seconds)
        if request is not None:
            with _lock:
                _running[request] = mine
        mine.ready = True
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
    """Under the lock: what is over is not struck any more, nor what is about to begin."""
    if one.over or not one.ready:
        return False
    one.fired = True
    pythonapi.PyThreadState_SetAsyncExc(c_ulong(one.thread), py_object(Interrupted))
    return True


def _watch(one: _Run, done: Event, seconds: float | None) -> None:
    is_wanted = debugger.pause_of_this_thread()

    def watch() -> None:
        end = None if seconds is None else monotonic() + seconds
        while not done.wait(_STEP if end is None else max(0.0, min(_STEP, end - monotonic()))):
            now = monotonic()
            if end is None and not is_wanted():
                end = now + _GRACE
            elif end is not None and now >= end:
                end = now + _STEP
                with _lock:
                    _fire(one)

    debugger.start_thread(watch, "tensor-inspector deadline")


def _drain() -> None:
    for _ in range(1000):  # it strikes at once, unless the program's code has swallowed it
        pass
