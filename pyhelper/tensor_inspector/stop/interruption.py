"""Ends code of the program that runs for us: when its time is over, when it is asked to end, or when the program is to
continue, which it can't while its thread is busy with us.

Nothing else is interrupted: neither the program's own running, nor our code. No signal is sent.
"""

from __future__ import annotations

import threading
from threading import Event, Thread, get_ident
from time import monotonic, sleep
from typing import Callable, TypeVar

from .. import debugger
from ..session import session

try:
    import ctypes
except ImportError:  # a Python without it: nothing that runs can be ended
    ctypes = None  # type: ignore[assignment]

Result = TypeVar("Result")
_STEP = 0.1  #: seconds between two looks, and for which an interruption waits for its thread
_PAUSE = 0.05  #: seconds between two interruptions: code that swallows every exception is stopped too
_SOON = 0.001
_GRACE = 1.0  #: seconds for what is under way when the program is to continue


class Interrupted(BaseException):
    """Raised into the program's code that runs on our behalf."""


class _Run:
    """Written by the thread that runs the code, but for ``striking``, which its watcher writes.

    They share no lock: a thread that is struck while it takes one may leave it taken.
    """

    __slots__ = ("asked", "over", "ready", "striking", "thread", "wake")

    def __init__(self) -> None:
        self.thread = get_ident()
        self.wake = Event()  #: its watcher is to look at once
        self.asked = False  #: from outside, to end
        self.ready = False  #: nothing of ours that must not be struck is left to do before the code
        self.over = False  #: from here on nothing strikes
        self.striking = False  #: something may strike until this is over


def run(code: Callable[[], Result], seconds: float | None = None, request: int | None = None) -> Result:
    """``code()``, ended by ``Interrupted`` after so many seconds, when `interrupt` names the request, or when the
    debugger has been told to let the program continue.

    That stops Python loops and the ends of sleeps, no native call. An interruption that is on its way when ``code``
    ends is awaited and swallowed here, so that it can't strike later. What the debugger's own views show may have been
    changed: they are to ask again.
    """
    mine = _Run()
    watcher = _watch(mine, seconds, request)
    try:
        try:
            mine.ready = True
            return code()
        finally:
            mine.over = True
    finally:
        _settle(mine)
        mine.wake.set()
        watcher.join()
        debugger.views_changed()


def _settle(mine: _Run) -> None:
    try:
        _await(mine)
    except Interrupted:
        _await(mine)


def _await(mine: _Run) -> None:
    """A separate function: in Python 3.13 a ``try`` around its loop would not catch the exception."""
    mine.over = True  # also where it was struck before it could say so
    while mine.striking:
        sleep(0)


def interrupt(request: int) -> bool:
    """End what runs on behalf of a request, if it still does. To be called from another thread."""
    found = session.running.get(request)
    if found is None or found.over:
        return False
    found.asked = True
    found.wake.set()
    return True


def _watch(one: _Run, seconds: float | None, request: int | None) -> Thread:
    is_wanted = debugger.pause_of_this_thread()

    def watch() -> None:
        end = None if seconds is None else monotonic() + seconds
        struck = False
        while not one.over:
            if one.wake.wait(_STEP if end is None else max(0.0, min(_STEP, end - monotonic()))):
                one.wake.clear()
            now = monotonic()
            if one.asked and not struck:
                end = now
            elif end is None and not is_wanted():
                end = now + _GRACE
            if end is not None and now >= end:
                struck = True
                _strike(one)
                end = monotonic() + _PAUSE
        if request is not None and session.running.get(request) is one:  # two clients may give one number
            del session.running[request]

    if request is not None:
        session.running[request] = one
    return debugger.start_thread(watch, "tensor-inspector deadline")


def _strike(one: _Run) -> None:
    """Raise into the thread, if it still runs the code. What does not reach it in a while, as it waits for something,
    is withdrawn: under a tracer, threads of Python 3.11 stand still as long as another one is to be struck."""
    until = monotonic() + _STEP
    one.striking = True
    try:
        while _is_any_thread_unborn() and monotonic() < until:
            sleep(0)
        if one.over or not one.ready or _is_any_thread_unborn():
            return
        _set_async_exc(one.thread, Interrupted)
        while not one.over and monotonic() < until:
            sleep(_SOON)
        _set_async_exc(one.thread)
    finally:
        one.striking = False
    _forget()


def _set_async_exc(thread: int, *exception: type) -> None:
    if ctypes is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(*exception))


def _is_any_thread_unborn() -> bool:
    """Before Python 3.12 a new thread goes by its parent's number until it runs: it would be struck in its place, and
    the parent would wait for it forever."""
    starting = getattr(threading, "_limbo", {})
    return any(object.__getattribute__(one, "_ident") is None for one in list(starting))


def _forget() -> None:
    """Up to Python 3.12 that some thread is to be struck is forgotten only when one is: this one."""
    try:
        _be_struck()
    except Interrupted:
        return


def _be_struck() -> None:
    _set_async_exc(get_ident(), Interrupted)
    for _ in range(1000):
        pass
