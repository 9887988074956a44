"""Suspends the guard around a lens while code of the program runs as it would at the paused line."""

from __future__ import annotations

from ...safe.guard import module
from ...safe.restoring import RestoringContext
from ...safe.untouched import Untouched
from .torch_switches import switch_restorers


class Unguarded(RestoringContext):
    """A context in which gradients, autocast and all other modes are as at the paused line. Its end restores them.

    ``guard`` is the context around it that switches them off, None where there is none.
    """

    def __init__(self, guard: Untouched | None) -> None:
        super().__init__()
        self._guard = guard

    def __enter__(self) -> None:
        if self._guard is not None:
            self._guard.__exit__()
        self._undo = list(switch_restorers())
        # Else autocast would keep casts of the copies in its cache.
        module("torch").set_autocast_cache_enabled(False)

    def __exit__(self, *error: object) -> None:
        try:
            super().__exit__(*error)
        finally:
            if self._guard is not None:
                self._guard.__enter__()
