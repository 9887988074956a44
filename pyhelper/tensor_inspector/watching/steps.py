"""The hooks of an optimizer's steps, which torch goes through while it steps."""

from __future__ import annotations

import sys
from threading import get_ident, main_thread
from typing import TYPE_CHECKING, Any

from ..safe.guard import module
from .threads import retry_in_main_thread

if TYPE_CHECKING:
    from types import FrameType

_optimizer: Any = module("torch.optim.optimizer")


def hooks_of_steps(before: Any, after: Any) -> list[Any]:
    """Has torch call these before and after each step of an optimizer; returns the handles."""
    return [
        _optimizer.register_optimizer_step_pre_hook(before),
        _optimizer.register_optimizer_step_post_hook(after),
    ]


def remove_hooks(handles: list[Any]) -> None:
    """Removes hooks; in the midst of a step, after it: the loop over them fails where one of them goes meanwhile."""
    removed = [*handles]
    handles.clear()

    def remove() -> bool:
        if _is_stepping(sys._getframe(1)):
            return False
        for handle in removed:
            handle.remove()
        return True

    if not remove() and get_ident() == main_thread().ident:  # of another thread they stay, and do nothing
        retry_in_main_thread(remove)


def is_inside(frame: FrameType) -> bool:
    """Whether a step is one that another calls, as that of the class above. torch wraps each by the same code."""
    outer = frame.f_back
    while outer is not None and outer.f_code is not frame.f_code:
        outer = outer.f_back
    return outer is not None


def _is_stepping(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_globals is not _optimizer.__dict__:
        frame = frame.f_back
    return frame is not None
