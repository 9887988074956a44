"""Keeps the garbage collector from beginning amid an answer with a time limit."""

from __future__ import annotations

import gc
from types import TracebackType


class Uncollected:
    """A context in which the garbage collector does not begin by itself.

    What we allocate may be what makes it due: it would then go through all objects of the program, of which no budget
    knows how many there are. Where the program has switched it off it stays so.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._was_on:
            gc.enable()
