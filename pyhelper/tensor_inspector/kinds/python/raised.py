"""Exceptions, tracebacks and frames.

No ``__str__`` of the program runs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from types import CodeType, FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from ...safe.guard import Classes, c_attribute, class_name, instance_dict, plain_str
from ...safe.installed import is_installed_file
from ...words.line import INLINE, SHORT, Word
from ...words.text import LINE, joined, listed, one_line, plural, shorten
from ..families import by_base
from ..kind import Child, WithRows
from ..rows import TextRow
from .callables import source_location
from .objects import WordedObject, brief

if TYPE_CHECKING:
    from ...protocol import Facts

_TEXTS = Classes(str, bytes)
_GROUPED = Classes(list, tuple)
_SHOWN = 12  #: arguments listed in a line
_MESSAGE = 2000  #: characters of a message that its facts show
_FRAMES = 2000  #: frames of a traceback that are listed, and among which the place is looked for
_DEBUGGERS = ("/debugpy/_vendored/", "/debugpy/server/", "/debugpy/__main__.py")  #: where its code stands
_STANDARD = os.__file__.replace("\\", "/").rpartition("/")[0] + "/"
_PLAIN = Classes(str, int, float, bool, bytes, type(None))


class RaisedException(WordedObject):
    """An exception, by the arguments it was made with, and where it was raised."""

    def parts(self) -> Iterable[str | None]:
        where, origin = _where(c_attribute(self.value, "__traceback__")), self._origin()
        full = self._line_within(max(40, LINE - 3 - len(joined([where, origin]))))
        short = self._line_within(max(20, SHORT - len(" · ") - len(where or "") - len(" …")))
        return [Word(full, short), where, origin]

    def inline(self) -> str | None:
        return self._line_within(INLINE)

    def hidden(self) -> str | None:
        return None  # arguments, cause and context are rows

    def facts(self) -> Facts:
        facts, notes = super().facts(), instance_dict(self.value).get("__notes__")
        if type(notes) is list:
            facts["notes"] = [shorten(note, _MESSAGE) for note in notes[:_SHOWN] if type(note) is str]
        return facts

    def fact_rows(self) -> list[list[str]]:
        message, trace = self._message(), c_attribute(self.value, "__traceback__")
        users, innermost = _where(trace), _innermost(trace)
        known = (("message", shorten(message, _MESSAGE)), ("in your code", users), ("raised at", innermost))
        rows = [[label, text] for label, text in known if text and (label, text) != ("in your code", innermost)]
        rows += super().fact_rows()
        cause, context = c_attribute(self.value, "__cause__"), c_attribute(self.value, "__context__")
        for name, other in (("cause", cause), ("context", None if context is cause else context)):
            if other is not None:
                rows.append([name, RaisedException(other, self.budget).line()])
        return rows

    def first_rows(self) -> list[Child]:
        same = c_attribute(self.value, "__cause__") is c_attribute(self.value, "__context__")
        came_from = ["__cause__"] if same else ["__cause__", "__context__"]
        args = [] if self._repeats_its_slots() else ["args"]
        return self.c_rows(*args, *came_from, "__traceback__")

    def _repeats_its_slots(self) -> bool:
        """Whether the arguments are those of a group, which its slots hold too."""
        group, given = c_attribute(self.value, "exceptions"), c_attribute(self.value, "args")
        if type(group) is not tuple or len(given) != 2 or type(given[1]) not in _GROUPED:
            return False
        is_one = given[0] is c_attribute(self.value, "message") and len(given[1]) == len(group)
        return is_one and all(item is other for item, other in zip(given[1], group))

    def _values(self) -> Iterator[object]:
        return chain(c_attribute(self.value, "args"), super()._values())

    def _line_within(self, limit: int) -> str:
        message = self._message()
        if message:
            return one_line(f"{self.type_name()}: {message}", limit)
        given = c_attribute(self.value, "args")
        return joined([self.type_name(), listed((brief(item, self) for item in given[:_SHOWN]), False, limit)])

    def _message(self) -> str:
        """What ``str`` would give, where that needs no code of the program; otherwise empty."""
        cls, given = type(self.value), c_attribute(self.value, "args")
        group = c_attribute(self.value, "exceptions")
        if type(group) is tuple:
            names = listed((class_name(type(item)) for item in group[:_SHOWN]), len(group) > _SHOWN, 60)
            title = c_attribute(self.value, "message")
            return f"{title if type(title) is str else '…'} ({plural(len(group), 'exception')}: {names})"
        if issubclass(cls, OSError):
            number, text, file = (c_attribute(self.value, name) for name in ("errno", "strerror", "filename"))
            if type(number) is int and type(text) is str:
                return f"[Errno {number}] {text}" + (f": {file!r}" if type(file) in _TEXTS else "")
        if issubclass(cls, (SyntaxError, ImportError)) and given and type(given[0]) is str:
            return given[0]
        if len(given) != 1 or type(given[0]) not in _PLAIN:
            return ""
        return repr(given[0]) if issubclass(cls, KeyError) or type(given[0]) is not str else given[0]

    def _origin(self) -> str | None:
        cause, context = c_attribute(self.value, "__cause__"), c_attribute(self.value, "__context__")
        if cause is not None:
            return f"from {class_name(type(cause))}"
        hidden = c_attribute(self.value, "__suppress_context__")
        return f"while handling {class_name(type(context))}" if context is not None and hidden is not True else None


class Traceback(WithRows):
    """The frames that an exception went through, from the outermost in, but for the debugger's own."""

    def parts(self) -> Iterable[str | None]:
        steps, least = sum(1 for _ in _steps(self.value)), "≥" if _is_long(self.value) else ""
        return [f"traceback · {least}{plural(steps, 'frame')}", _where(self.value)]

    def attribute(self, name: str) -> Any:
        """A row's expression goes by all the steps before it, which need not be rows."""
        return c_attribute(self.value, name) if name in ("tb_next", "tb_frame") else super().attribute(name)

    def rows(self) -> list[Child]:
        """Each line of code once, as its first frame: a recursion has thousands of them."""
        rows: dict[tuple[int, int], Child] = {}
        times: dict[tuple[int, int], int] = {}
        for index, step in _steps(self.value):
            code = step.tb_frame.f_code
            at = (id(code), step.tb_lineno)
            times[at] = times.get(at, 0) + 1
            if at not in rows:
                name = f"[{index}] {code.co_name} · {source_location(code, step.tb_lineno)}"
                rows[at] = Child(name, step.tb_frame, ".tb_next" * index + ".tb_frame")
        is_long = _is_long(self.value)
        for at, row in rows.items():
            row.name += f" ×{'≥' if is_long else ''}{times[at]:,}" if times[at] > 1 else ""
        return [
            *rows.values(),
            *([Child("…", TextRow(f"only the first {_FRAMES:,} frames are listed"))] if is_long else []),
        ]


class StackFrame(WithRows):
    """A frame by its file and line. Its variables are not read: listing them would keep them alive."""

    def parts(self) -> Iterable[str | None]:
        code = self.value.f_code
        return [f"frame {code.co_name}", source_location(code, self.value.f_lineno or code.co_firstlineno)]

    def facts(self) -> Facts:
        return {**super().facts(), "notes": ["its variables are not read here"]}

    def fact_rows(self) -> list[list[str]]:
        return [["at", f"{self.value.f_code.co_filename}:{self.value.f_lineno}"]]

    def rows(self) -> list[Child]:
        rows = [Child("f_code", self.value.f_code, ".f_code")]
        back = self.value.f_back
        return rows if back is None else [Child("f_back", back, ".f_back"), *rows]


def _steps(traceback: TracebackType) -> Iterator[tuple[int, TracebackType]]:
    """The first steps that are not the debugger's, with how far down they are."""
    first = enumerate(islice(_all(traceback), _FRAMES))
    return ((index, step) for index, step in first if not _is_the_debuggers(step))


def _last(traceback: TracebackType) -> list[TracebackType]:
    """The last ones, the innermost first."""
    return [step for step in reversed(deque(_all(traceback), _FRAMES)) if not _is_the_debuggers(step)]


def _all(traceback: TracebackType) -> Iterator[TracebackType]:
    step: TracebackType | None = traceback
    while step is not None:
        yield step
        step = step.tb_next


def _is_long(traceback: TracebackType) -> bool:
    """Whether there are more steps than are listed."""
    return next(islice(_all(traceback), _FRAMES, None), None) is not None


def _is_the_debuggers(step: TracebackType) -> bool:
    return any(part in _file(step.tb_frame.f_code) for part in _DEBUGGERS)


def _where(traceback: Any) -> str | None:
    """``train.py:12 in step``: the innermost frame in the program's own code, else in a library's."""
    if type(traceback) is not TracebackType:
        return None
    users = (step for step in _last(traceback) if not _is_of_a_library(step.tb_frame.f_code))
    return next(map(_location, users), _innermost(traceback))


def _innermost(traceback: Any) -> str | None:
    """Where it was raised."""
    if type(traceback) is not TracebackType:
        return None
    return next(map(_location, _last(traceback)), None)


def _location(step: TracebackType) -> str:
    code = step.tb_frame.f_code
    return f"{source_location(code, step.tb_lineno)} in {code.co_name}"


def _is_of_a_library(code: CodeType) -> bool:
    file = _file(code)
    return file.startswith((_STANDARD, "<frozen ")) or is_installed_file(file)


def _file(code: CodeType) -> str:
    return plain_str(code.co_filename).replace("\\", "/")


kind_for = by_base({RaisedException: (BaseException,), Traceback: (TracebackType,), StackFrame: (FrameType,)})
