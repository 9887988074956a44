"""Finds the user's frames: the nearest one, and its callers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import islice
from types import FrameType
from typing import Any

from ...safe.guard import copied_locals, instance_dict, plain_str, top_package

_WALKED = 400  #: frames that are gone through
_KEPT = 8  #: frames whose variables are in sight
#: `__channelexec__` is what execnet runs in another process, as pytest's workers.
TOOLS = frozenset(
    "IPython __channelexec__ _pydev_bundle _pydevd_bundle _pydevd_frame_eval _pytest _tensor_inspector"
    " asyncio bdb code codeop cmd concurrent contextlib debugpy doctest functools ipykernel pdb pluggy"
    " pydevd pydevd_runpy pytest runpy tensor_inspector threading tornado traitlets unittest importlib"
    " xdist execnet torch numpy".split()
)

_PROMPTS = frozenset("IPython bdb cmd code ipdb pdb".split())
_TYPED = ("<stdin>", "<string>")  #: the files that code has which was typed at a prompt
_DEBUGGERS = ("pdb", "bdb", "IPython.terminal.debugger", "IPython.core.debugger")


class VisibleFrame:
    """A frame with its variables, and the line that it stands in: without ``line``, the one that it is at now."""

    __slots__ = ("frame", "lineno", "variables")

    def __init__(self, frame: FrameType, variables: dict[str, Any], line: int | None = None) -> None:
        self.frame = frame
        self.variables = variables
        self.lineno = frame.f_lineno if line is None else line

    def columns(self) -> tuple[int, tuple[int, int] | None]:
        """Where in its line the instruction that runs begins, in bytes (0 where that is not known), and its end."""
        code: Any = self.frame.f_code
        if not hasattr(code, "co_positions"):  # before Python 3.11
            return 0, None
        position: Any = next(islice(code.co_positions(), self.frame.f_lasti // 2, None), (None,) * 4)
        line, last, column, end = position
        return (0, None) if line != self.lineno or None in position else (column, (last, end))


def global_of(frame: FrameType, name: str) -> Any:
    """A global of a frame, None where there is none. Its namespace may be a dict with methods of the program's own."""
    return dict.get(frame.f_globals, name)


def is_tools(frame: FrameType) -> bool:
    """Whether a frame is of a debugger, a test runner, a kernel, or of torch itself."""
    name = plain_str(global_of(frame, "__name__"))
    if name == "__main__":  # as debugpy is, where it was begun with the program as its argument
        folder, file = os.path.split(frame.f_code.co_filename)
        name = os.path.basename(folder) if file == "__main__.py" else name
    return top_package(name) in TOOLS


def nearest(frame: FrameType | None) -> VisibleFrame | None:
    """The nearest frame of the user, from this one outward. At a prompt of pdb its own namespace is asked.

    The ``f_locals`` of the frame that pdb shows are left alone: reading them again undoes what was assigned there.
    """
    prompt: FrameType | None = None
    for found in _outward(frame):
        if found.f_code.co_filename in _TYPED and prompt is None:
            prompt = found
        shown = None if prompt is None else _shown_by(found)
        if prompt is not None and shown is not None:
            return VisibleFrame(shown, copied_variables(prompt))
        if found is not prompt and not is_tools(found):
            return VisibleFrame(found, copied_variables(found))
    return VisibleFrame(prompt, copied_variables(prompt)) if prompt is not None else None


def paused(frame: FrameType) -> VisibleFrame:
    """A frame with its variables; at a prompt of pdb the frame that it shows, with what was assigned there."""
    is_typed = frame.f_code.co_filename in _TYPED
    shown = next(filter(None, map(_shown_by, _outward(frame))), None) if is_typed else None
    return VisibleFrame(shown or frame, copied_variables(frame))


def in_sight(visible: VisibleFrame) -> list[VisibleFrame]:
    """The frame and those that called it, by their level: nearest first. Frames of tools and of torch are left out."""
    found = [visible]
    for frame in _outward(visible.frame.f_back):
        if len(found) == _KEPT:
            break
        if not is_tools(frame):
            found.append(VisibleFrame(frame, copied_variables(frame)))
    return found


def copied_variables(frame: FrameType) -> dict[str, Any]:
    """A copy of a frame's variables by name; empty where they are kept in a mapping of the program's own.

    Before Python 3.13 a function's frame keeps the dict that it gives, and so what it names, until it ends. That dict
    is left as it is: names that ``exec`` or the debugger's console made stand nowhere else.
    """
    return copied_locals(frame.f_locals)


def caller() -> FrameType | None:
    """The frame that called into the helper."""
    helper = top_package(__name__)
    frame: FrameType | None = sys._getframe()
    while frame is not None and top_package(plain_str(global_of(frame, "__name__"))) == helper:
        frame = frame.f_back
    return frame


def handled() -> BaseException | None:
    """The exception of the program that is being handled; at a prompt where none is, the last that was not.

    At a prompt of pdb that is not the one of pdb itself, which looks every line up among its commands first.
    """
    error = sys.exc_info()[1]
    while error is not None and _is_of_a_prompt(error):
        error = error.__context__
    return getattr(sys, "last_value", None) if error is None and hasattr(sys, "ps1") else error


def _is_of_a_prompt(error: BaseException) -> bool:
    """Whether it came through frames of a debugger's prompt alone."""
    step = error.__traceback__
    while step is not None:
        if top_package(plain_str(global_of(step.tb_frame, "__name__"))) not in _PROMPTS:
            return False
        step = step.tb_next
    return error.__traceback__ is not None


def _outward(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(_WALKED):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def _shown_by(frame: FrameType) -> FrameType | None:
    """The frame that the debugger of this frame's ``self`` shows, if this is one of a debugger."""
    if plain_str(global_of(frame, "__name__")) not in _DEBUGGERS:
        return None
    shown: Any = instance_dict(frame.f_locals.get("self")).get("curframe")
    return shown if type(shown) is FrameType else None
