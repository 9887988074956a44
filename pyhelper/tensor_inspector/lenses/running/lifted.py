"""The guard around a lens is lifted where code of the program is to run as it would at the paused line."""

from __future__ import annotations

from collections.abc import Callable

from ...safe.guard import module
from ...safe.untouched import Untouched, all_undone
from .switched import switched_back


class Lifted:
    """Within it gradients, autocast and all other modes are as at the paused line; what is switched there is put back.

    ``guard`` is what keeps them off around it, None where nothing does.
    """

    def __init__(self, guard: Untouched | None) -> None:
        self._guard = guard
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> None:
        if self._guard is not None:
            self._guard.__exit__()
        self._undo = list(switched_back())
        # What autocast casts of copies would stay in its cache.
        module("torch").set_autocast_cache_enabled(False)

    def __exit__(self, *error: object) -> None:
        failed = all_undone(self._undo)
        if failed is not None:
            all_undone(self._undo)  # it was interrupted
        if self._guard is not None:
            self._guard.__enter__()
        if failed is not None and not any(error):
            raise failed
