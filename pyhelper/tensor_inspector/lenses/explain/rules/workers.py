"""An exception raised in a worker process of a DataLoader: what it was, and the user's line."""

from __future__ import annotations

import re

from ....safe.installed import is_installed_file
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..errors import short_message

_FRAME = re.compile(
    r'^  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)(?:\n    (?P<text>.*))?', re.MULTILINE
)


def worker_failed(context: ErrorContext) -> Violation:
    """The exception within: its last line, and the innermost frame that is the user's."""
    last_line = context.message.strip().splitlines()[-1]
    frames = [
        found
        for found in _FRAME.finditer(context.message)
        if not is_installed_file(found["file"]) and not found["file"].startswith("<")
    ]
    if not frames:
        title = ("in a worker of the DataLoader", ": ", f"{short_message(last_line)}")
        is_joining = any("collate" in found["function"] for found in _FRAME.finditer(context.message))
        more = ": the samples were being put together" if is_joining else ""
        return context.found(title, (None, f"no line of the program was running{more}"))
    frame = frames[-1]
    title = (
        f"{frame['function']}, line {frame['line']}",
        ", ",
        f"in a worker of the DataLoader: {short_message(last_line)}",
    )
    file = re.split(r"[/\\]", frame["file"])[-1]
    fact = (None, f"{frame['text'] or frame['function']}, line {frame['line']} of {file}")
    found = context.found(title, fact, suggestion="num_workers=0 stops in that line itself")
    found.line = (frame["file"], int(frame["line"]))
    return found
