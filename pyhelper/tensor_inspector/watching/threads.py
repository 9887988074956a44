"""Runs a function on a thread of the program: what a mode is put on, or taken off, must run there."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from functools import cache, partial
from threading import Lock, Thread, get_ident, main_thread
from time import perf_counter, sleep
from typing import Any, Callable

from .. import debugger

try:
    import ctypes
except ImportError:  # a Python without it: no other thread is reached
    ctypes = None  # type: ignore[assignment]

_PAUSE = 0.002  #: seconds between two attempts
_waiting: deque[Callable[[], None]] = deque()  #: what is still to be run in the main thread
_adding = Lock()
_added = _run = 0  #: pending calls that were asked for, and those of them that are over
_asking: list[Thread] = []  #: for what is tried again


def run_on(thread: int | None, work: Callable[[], None]) -> bool:
    """Runs it now if this is that thread, or as soon as the interpreter can if that is the main thread.

    None stands for the main thread. Returns False where the thread can't be reached.
    """
    main = main_thread().ident
    wanted = main if thread is None else thread
    if get_ident() == wanted:
        work()
        return True
    return wanted == main and _soon_in_main_thread(work)


def _soon_in_main_thread(work: Callable[[], None]) -> bool:
    """By a pending call, which the interpreter makes between two instructions of the main thread."""
    if _adder() is None:
        return False
    _waiting.append(work)
    if not _call_main_thread():
        _ask_while(lambda: work in _waiting)
    return True


def _call_main_thread() -> bool:
    """Asks for a call of `_run_waiting`, unless one waits. Returns False where that can't be done just now.

    None is added while one runs: CPython 3.11 never comes out of what it would run after it under a trace function.
    """
    global _added
    add = _adder()
    with _adding:
        if add is None or _is_running():
            return False
        if _added == _run:
            _added += 1
            if add() != 0:  # too many wait
                _added -= 1
                return False
        return True


def _is_running() -> bool:
    frame = sys._current_frames().get(main_thread().ident or 0)
    while frame is not None and frame.f_code is not _run_waiting.__code__:
        frame = frame.f_back
    return frame is not None


@cache
def _adder() -> Callable[[], int] | None:
    """Adds a pending call. It is kept for ever, since what is called may not be freed meanwhile."""
    function = None if ctypes is None else getattr(ctypes.pythonapi, "Py_AddPendingCall", None)
    if function is None:
        return None
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    add = ctypes.PYFUNCTYPE(ctypes.c_int, kind, ctypes.c_void_p)(("Py_AddPendingCall", ctypes.pythonapi))
    return partial(add, kind(_run_waiting), None)


def _run_waiting(_: Any) -> int:
    """Runs what waits now. What comes meanwhile has a call of its own, so that the program goes on before it."""
    global _run
    for _ in range(len(_waiting)):  # also what a process waited for of which this is a fork
        with suppress(Exception):  # which would end the program, wherever that is just now
            _waiting.popleft()()
    _run = _added
    return 0


def retry_in_main_thread(attempt: Callable[[], bool]) -> None:
    """Has the main thread try again and again, until it says that it is done."""
    done = False
    took = 0.0

    def once() -> None:
        nonlocal done, took
        if not done:
            begun = perf_counter()
            done = attempt()
            took = perf_counter() - begun

    def is_wanted() -> bool:
        if not done and once not in _waiting:
            _waiting.append(once)
        return not done

    _ask_while(is_wanted, lambda: took)


def _ask_while(is_wanted: Callable[[], bool], took: Callable[[], float] = lambda: 0) -> None:
    """Asks again and again, in a thread. ``took`` says how long the last attempt held the program, in seconds."""

    def ask() -> None:
        while is_wanted() and main_thread().is_alive() and _adder() is not None:
            _call_main_thread()
            sleep(max(_PAUSE, took()))

    _asking[:] = [thread for thread in _asking if thread.is_alive()]
    _asking.append(debugger.start_thread(ask, "tensor_inspector.watch"))
