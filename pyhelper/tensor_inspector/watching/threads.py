"""Runs a function on a thread of the program: what a mode is put on, or taken off, must run there."""

from __future__ import annotations

import os
import sys
from _thread import interrupt_main
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


class PendingCalls:
    """How many calls of `_run_waiting` were asked for in a process, and how many of them are over."""

    def __init__(self) -> None:
        self.adding = Lock()
        self.added = 0
        self.over = 0

    @staticmethod
    def here() -> PendingCalls:
        return _pending.setdefault(os.getpid(), PendingCalls())


_PAUSE = 0.002  #: seconds between two attempts
_waiting: deque[Callable[[], None]] = deque()  #: what is still to be run in the main thread
_pending: dict[int, PendingCalls] = {}  #: by process: a fork has none of its parent's threads, which may hold a lock
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
    add, calls = _adder(), PendingCalls.here()
    with calls.adding:
        if add is None or _is_running():
            return False
        if calls.added == calls.over:
            calls.added += 1
            if add() != 0:  # too many wait
                calls.added -= 1
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
    calls = PendingCalls.here()
    for _ in range(len(_waiting)):  # also what a process waited for of which this is a fork
        try:
            _waiting.popleft()()
        except Exception:  # which would end the program, wherever that is just now
            continue
        except BaseException:  # the user interrupts the program
            _asking.append(debugger.start_thread(_interrupt, "tensor_inspector.watch"))
    calls.over = calls.added
    return 0


def _interrupt() -> None:
    """Interrupts the program once the pending call is over: an exception that left it would make a `SystemError`."""
    sleep(_PAUSE)
    while _is_running():
        sleep(_PAUSE)
    interrupt_main()


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
        if done:
            with suppress(ValueError):
                _waiting.remove(once)
        elif once not in _waiting:
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
