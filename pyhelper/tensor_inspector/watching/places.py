"""Where an operation was called: the user's line and the module, kept so that no text is made before a hit."""

from __future__ import annotations

import os
from types import CodeType, FrameType
from typing import Any

from ..safe.installed import is_installed_file

_FROZEN = "<frozen"  #: how the names of files begin that are none, those of the injected helper among them
_HELPER = (
    __file__ if __file__.startswith(_FROZEN) else os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
)
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_users: dict[str, bool] = {}  #: by the file: a code is hashed anew each time, the name of its file is not
_FRAME_KNOWS = not hasattr((lambda: None).__code__, "co_lines")  #: the line, before Python 3.10 nothing else does


class CodePlace:
    """An instruction of the user's code, and the module that was called there."""

    __slots__ = ("_code", "_lasti", "_lineno", "module")

    def __init__(self, frame: FrameType | None, module: Any) -> None:
        self.module = module
        self._lineno: int | None = None
        if frame is None:
            self._code: Any = None
            self._lasti = -1
            return
        self._code, self._lasti = frame.f_code, frame.f_lasti
        if _FRAME_KNOWS:
            self._lineno = frame.f_lineno

    def file(self) -> str | None:
        """The file; None where there is no code of the user."""
        return None if self._code is None else str(self._code.co_filename)

    def lineno(self) -> int | None:
        """The number of the line; None where there is no code of the user."""
        if self._code is None or self._lineno is not None:
            return self._lineno
        ranges = self._code.co_lines()
        return next((number for start, end, number in ranges if start <= self._lasti < end), None)


class SourceLine(CodePlace):
    """A line that the source proves, where no frame was kept."""

    __slots__ = ("_file",)

    def __init__(self, file: str, line: int, module: Any) -> None:
        super().__init__(None, module)
        self._file = file
        self._lineno = line

    def file(self) -> str | None:
        return self._file

    def lineno(self) -> int | None:
        return self._lineno


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame, from this one outward, whose code is neither a library's nor Python's own."""
    known = _users
    while frame is not None:
        code = frame.f_code
        is_its = known.get(code.co_filename)
        if is_its or (is_its is None and is_users(code)):
            return frame
        frame = frame.f_back
    return None


def place_of(frame: FrameType | None, module: Any) -> CodePlace:
    return CodePlace(user_frame(frame), module)


def is_users(code: CodeType) -> bool:
    file = code.co_filename
    known = _users.get(file)
    if known is None:
        known = _users[file] = _is_users_file(file)
    return known


def _is_users_file(file: str) -> bool:
    if file.startswith(_FROZEN):
        return False
    return not (is_installed_file(file) or file.startswith((_HELPER, _STANDARD)))
