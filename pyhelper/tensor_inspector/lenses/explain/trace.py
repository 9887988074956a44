"""The frames that an exception passed through, and the exceptions that caused it. No code of the program runs."""

from __future__ import annotations

from functools import cached_property
from types import FrameType, TracebackType
from typing import Any

from ...safe.guard import c_attribute, plain_str, top_package
from ...safe.installed import is_installed_file, is_standard_file
from ...safe.record import Record
from ..step.frames import VisibleFrame, copied_variables, global_of, is_tools

_FRAMES = 2000  #: frames of one traceback that are gone through
_ERRORS = 20  #: exceptions of one chain
_VISIBLE = 8  #: frames whose variables are in sight
_LIBRARIES = ("torch", "numpy")


class TraceEntry(Record):
    """A frame that an exception passed through: the line, and the instruction (-1 where that is not known)."""

    frame: FrameType
    lineno: int
    instruction: int

    @property
    def function(self) -> str:
        return self.frame.f_code.co_name

    @property
    def file(self) -> str:
        return self.frame.f_code.co_filename

    @cached_property
    def variables(self) -> dict[str, Any]:
        return copied_variables(self.frame)

    @property
    def module(self) -> str:
        """The name of the module that defines the function."""
        return plain_str(global_of(self.frame, "__name__"))

    def is_of_library(self) -> bool:
        """Whether the code is torch's or numpy's own."""
        return top_package(self.module) in _LIBRARIES

    def is_installed(self) -> bool:
        """Whether the file belongs to an installed package, or to Python's own library."""
        return self.is_of_library() or is_installed_file(self.file) or is_standard_file(self.file)

    def arguments(self) -> dict[str, Any]:
        """The present values of the function's parameters by name, without ``*args`` and ``**kwargs``."""
        code = self.frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return {name: self.variables[name] for name in names if name in self.variables}


def entries_of(error: BaseException, traceback: TracebackType | None = None) -> list[TraceEntry]:
    """The frames that an exception passed through, the one that it was raised in last.

    ``traceback`` is what an exception under way has come through: it gets its own only when it is caught.
    """
    found: list[TraceEntry] = []
    trace: Any = c_attribute(error, "__traceback__") or traceback
    while type(trace) is TracebackType and len(found) < _FRAMES:
        found.append(TraceEntry(trace.tb_frame, trace.tb_lineno, trace.tb_lasti))
        trace = trace.tb_next
    return found


def chain(error: BaseException) -> list[BaseException]:
    """The exception and its ``__cause__`` or ``__context__`` in turn, each once."""
    found: list[BaseException] = []
    current: Any = error
    while current is not None and len(found) < _ERRORS and not any(current is known for known in found):
        found.append(current)
        cause = c_attribute(current, "__cause__")
        hidden = c_attribute(current, "__suppress_context__")
        current = cause if cause is not None or hidden else c_attribute(current, "__context__")
    return found


def is_caused(errors: list[BaseException], index: int) -> bool:
    """Whether an exception of a chain is the ``__cause__`` of the one before it."""
    return index == 0 or c_attribute(errors[index - 1], "__cause__") is errors[index]


def message(error: BaseException) -> str:
    """The message of an exception."""
    arguments: Any = c_attribute(error, "args")
    first = arguments[0] if type(arguments) is tuple and arguments else None
    return plain_str(first) if issubclass(type(first), str) else ""


def visible_frames(trace: list[TraceEntry], at: int) -> list[VisibleFrame]:
    """The frame at that entry and those that called it, nearest first, without the libraries' own."""
    lines = {id(entry.frame): entry.lineno for entry in trace}
    frames = [entry.frame for entry in reversed(trace[: at + 1])]
    outer = frames[-1].f_back
    for _ in range(_FRAMES):
        if outer is None:
            break
        frames.append(outer)
        outer = outer.f_back
    found: list[VisibleFrame] = []
    for frame in frames:
        if not found or not is_tools(frame):
            found.append(VisibleFrame(frame, copied_variables(frame), lines.get(id(frame), frame.f_lineno)))
        if len(found) == _VISIBLE:
            break
    return found
