"""The part of a report about an exception: class, message, and the program's lines in its traceback."""

from __future__ import annotations

from collections.abc import Iterator

from ...safe.guard import full_name
from ...words.text import full_path, plural
from ..explain.trace import TraceEntry, chain, entries_of, is_caused, message
from ..lens import Paused
from ..step.frames import VisibleFrame, is_tools
from .messages import without_data
from .section import Section

_LONGEST = 2000  #: characters of a message


def raised(paused: Paused, *, values: bool) -> Section | None:
    """None where there is no exception."""
    if paused.raised is None:
        return None
    _, error, traceback = paused.raised
    errors = chain(error)
    lines: list[str] = []
    for number, one in enumerate(errors):
        if number:
            lines.append("caused by" if is_caused(errors, number) else "raised while this was handled")
        trace = entries_of(one, traceback if one is error else None)
        text = _message(one, trace, values=values)
        lines.append(f"{full_name(type(one))}: {text}" if text else full_name(type(one)))
        lines.extend(f"  {line}" for line in _frame_lines(trace))
    return Section("Exception", full_name(type(error)), lines)


def raised_in(paused: Paused) -> VisibleFrame | None:
    """The innermost frame of the user that the exception came through."""
    if paused.raised is None:
        return None
    _, error, traceback = paused.raised
    trace = [one for one in entries_of(error, traceback) if not one.is_installed() and not is_tools(one.frame)]
    return VisibleFrame(trace[-1].frame, trace[-1].variables, trace[-1].lineno) if trace else None


def frame_text(file: str, line: int, function: str) -> str:
    return f"{full_path(file)}:{line} in {function}"


def _message(error: BaseException, trace: list[TraceEntry], *, values: bool) -> str:
    text = message(error).strip()[:_LONGEST]
    return text if values else without_data(text, trace)


def _frame_lines(trace: list[TraceEntry]) -> Iterator[str]:
    """The frames of the user; how many of libraries are between them."""
    skipped = 0
    for entry in trace:
        if entry.is_installed() or is_tools(entry.frame):
            skipped += 1
            continue
        if skipped:
            yield f"… {plural(skipped, 'frame')} of libraries"
        skipped = 0
        yield frame_text(entry.file, entry.lineno, entry.function)
    if skipped:
        yield f"… {plural(skipped, 'frame')} of libraries"
