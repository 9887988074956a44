"""A context whose end restores what was there before."""

from __future__ import annotations

from typing import Callable


class RestoringContext:
    """A context whose end calls the functions in ``_undo``, the last first.

    It survives one exception that a signal raises inside ``__exit__``: it then calls all functions again, so each must
    bear that. An exception that strikes before the first line of ``__exit__`` can't be caught: nothing is restored.
    """

    __slots__ = ("_undo",)

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    def __exit__(self, *error: object) -> None:
        try:
            failed = all_undone(self._undo)
        except BaseException as interrupted:  # by a signal, between two of them
            failed = interrupted
        if failed is not None:
            all_undone(self._undo)  # once more: a signal may have come before one of them
        self._undo.clear()  # which keeps what was there before
        if failed is not None and not any(error):
            raise failed


def all_undone(steps: list[Callable[[], object]]) -> BaseException | None:
    """Takes each step, the last one first, and the others where one fails. What failed last."""
    failed: BaseException | None = None
    for undo in reversed(steps):
        try:
            undo()
        except BaseException as fault:
            failed = fault
    return failed
