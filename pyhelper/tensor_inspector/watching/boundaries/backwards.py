"""Wraps `torch.autograd.backward`, once in a process, for those who watch it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...safe.guard import module

torch: Any = module("torch")

#: Is given the function and what it is called with, and calls it.
Around = Callable[[Callable[..., Any], Any, Any], Any]


class BackwardWrapper:
    """Stands in the place of `torch.autograd.backward` while someone watches.

    Where someone else has wrapped it meanwhile, it stays below, and only calls what it has replaced. A call may then
    come to those who watch twice, once inside the other.
    """

    def __init__(self) -> None:
        self._watching: list[Around] = []
        self._replaced: Any = None
        self._ours: Any = None

    def add(self, around: Around) -> None:
        self._watching.append(around)
        if torch.autograd.backward is not self._ours:
            self._replaced = torch.autograd.backward
            self._ours = torch.autograd.backward = self._wrapper(self._replaced)

    def remove(self, around: Around) -> None:
        if around in self._watching:
            self._watching.remove(around)
        if not self._watching and torch.autograd.backward is self._ours:
            torch.autograd.backward = self._replaced
            self._replaced = self._ours = None

    def _wrapper(self, replaced: Any) -> Any:
        @functools.wraps(replaced)
        def backward(*args: Any, **kwargs: Any) -> Any:
            call = replaced
            for around in self._watching:
                call = functools.partial(_call, around, call)
            return call(*args, **kwargs)

        return backward


def _call(around: Around, function: Any, *args: Any, **kwargs: Any) -> Any:
    return around(function, args, kwargs)


wrapper = BackwardWrapper()
