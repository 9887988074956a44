"""Runs a function on a thread of the program: what a mode is put on, or taken off, must run there."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import cache
from threading import Thread, get_ident, main_thread
from time import sleep
from typing import Any, Callable

from .. import debugger

try:
    import ctypes
except ImportError:  # a Python without it: no other thread is reached
    ctypes = None  # type: ignore[assignment]

_PAUSE = 0.002  #: seconds between two attempts
_waiting: deque[Callable[[], None]] = deque()  #: what is still to be run in the main thread
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
    add = None if ctypes is None else getattr(ctypes.pythonapi, "Py_AddPendingCall", None)
    if add is None:
        return False
    _waiting.append(work)
    callback, kind = _callback()
    added = ctypes.PYFUNCTYPE(ctypes.c_int, kind, ctypes.c_void_p)(("Py_AddPendingCall", ctypes.pythonapi))
    if added(callback, None) != 0:  # too many wait
        with suppress(ValueError):
            _waiting.remove(work)
        return False
    return True


@cache
def _callback() -> tuple[Any, Any]:
    """What the interpreter calls, with its type: one, for ever, since none may be freed while it is being called."""
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    return kind(_run_next), kind


def _run_next(_: Any) -> int:
    while _waiting:  # also what a process waited for of which this is a fork
        with suppress(Exception):  # which would end the program, wherever that is just now
            _waiting.popleft()()
    return 0


def retry_in_main_thread(attempt: Callable[[], bool]) -> None:
    """Has the main thread try again and again, until it says that it is done."""
    done: list[bool] = []

    def once() -> None:
        if not done and attempt():
            done.append(True)

    def ask() -> None:
        while not done and main_thread().is_alive() and (once in _waiting or _soon_in_main_thread(once)):
            sleep(_PAUSE)

    _asking[:] = [thread for thread in _asking if thread.is_alive()]
    _asking.append(debugger.start_thread(ask, "tensor_inspector.watch"))
