"""Lifts the guard around a lens while code of the program runs as it would at the paused line."""

from __future__ import annotations

from ...safe.guard import module
from ...safe.untouched import PutsBack, Untouched
from .switched import switched_back


class Lifted(PutsBack):
    """Within it gradients, autocast and all other modes are as at the paused line; what is switched there is put back.

    ``guard`` is what keeps them off around it, None where nothing does.
    """

    def __init__(self, guard: Untouched | None) -> None:
        super().__init__()
        self._guard = guard

    def __enter__(self) -> None:
        if self._guard is not None:
            self._guard.__exit__()
        self._undo = list(switched_back())
        # What autocast casts of copies would stay in its cache.
        module("torch").set_autocast_cache_enabled(False)

    def __exit__(self, *error: object) -> None:
        try:
            super().__exit__(*error)
        finally:
            if self._guard is not None:
                self._guard.__enter__()
