"""The hooks of an optimizer's steps, which torch goes through while it steps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..safe.guard import module
from .threads import retry_in_main_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_optimizer: Any = module("torch.optim.optimizer")


class StepHooks:
    """What torch calls before and after each step of an optimizer.

    They come and go while no thread takes a step: the loop over them fails where one comes or goes meanwhile.
    """

    def __init__(self, before: Callable[..., None] | None, after: Callable[..., None]) -> None:
        self._hooks = before, after
        self._handles: list[Any] = []
        self._is_wanted = True
        _while_none_steps(self._add)

    def remove(self) -> None:
        self._is_wanted = False
        _while_none_steps(self._drop)

    def _add(self) -> None:
        if self._is_wanted:
            before, after = self._hooks
            if before is not None:
                self._handles.append(_optimizer.register_optimizer_step_pre_hook(before))
            self._handles.append(_optimizer.register_optimizer_step_post_hook(after))

    def _drop(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()


def is_inside(frame: FrameType) -> bool:
    """Whether a step is one that another calls, as that of the class above. torch wraps each by the same code."""
    outer = frame.f_back
    while outer is not None and outer.f_code is not frame.f_code:
        outer = outer.f_back
    return outer is not None


def _while_none_steps(work: Callable[[], None]) -> None:
    """Does it now, or as soon as no thread takes a step."""

    def attempt() -> bool:
        if any(map(_is_stepping, sys._current_frames().values())):
            return False
        work()
        return True

    if not attempt():
        retry_in_main_thread(attempt)


def _is_stepping(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_globals is not _optimizer.__dict__:
        frame = frame.f_back
    return frame is not None
