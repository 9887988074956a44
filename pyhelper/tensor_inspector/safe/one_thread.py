"""Has torch work with one thread, where several would wait for each other."""

from __future__ import annotations

from functools import partial
from typing import Any

from .guard import module
from .restoring import RestoringContext

try:
    from ctypes import pythonapi
except ImportError:  # a Python without it
    pythonapi = None  # type: ignore[assignment]


class OneThread(RestoringContext):
    """A context in which torch works with one thread on a CPU, where that is ``wanted``.

    Entering it returns whether torch could not be told, so that what it works on has to be small: it splits 32,768
    elements among threads. OpenMP keeps for each thread of the program how many it may use (OpenMP 5.2, 3.2.1), so for
    the others nothing changes meanwhile. ``torch.set_num_threads`` would change more, and for good: also
    the number that MKL keeps, which stays as it is here.
    """

    __slots__ = ("_wanted",)

    def __init__(self, wanted: bool) -> None:
        super().__init__()
        self._wanted = wanted

    def __enter__(self) -> bool:
        if not self._wanted:
            return False
        try:
            return self._enter(module("torch"))
        except BaseException:
            self.__exit__()
            raise

    def _enter(self, torch: Any) -> bool:
        torch_threads, openmp = getattr(torch, "get_num_threads", None), _openmp()
        if torch_threads is None or not openmp:
            return True
        torch_threads()  # where a thread asks for the first time, torch sets it
        get_threads, set_threads = openmp
        self._undo.append(partial(set_threads, get_threads()))
        set_threads(1)
        return int(torch_threads()) > 1  # torch may use another one of several such libraries


_found: list[Any] = []  #: by `_openmp`, once: such a function refers to itself, so it never dies without the collector


def _openmp() -> list[Any]:
    """The functions of OpenMP that get and set the number of threads; none where the process has none that all its
    libraries share."""
    if not _found and pythonapi is not None:
        try:
            _found.extend([pythonapi["omp_get_max_threads"], pythonapi["omp_set_num_threads"]])
        except Exception:  # there are none, or an audit hook of the program refuses
            return []
    return _found
