"""An exception raised in a worker process of a DataLoader: what it was, and the user's line."""

from __future__ import annotations

import re

from ....safe.guard import dict_get, instance_dict
from ....safe.installed import is_installed_file, is_standard_file
from ...findings.finding import Violation
from ..error_context import ErrorContext
from ..errors import short_message
from ..trace import chain, message

_FRAME = re.compile(
    r'^  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)(?:\n    (?P<text>.*))?', re.MULTILINE
)


def worker_failed(context: ErrorContext) -> Violation:
    """The exception within: its last line, and the innermost frame that is the user's."""
    if context.message.startswith("DataLoader worker"):
        return _killed(context)
    last_line = context.message.strip().splitlines()[-1]
    frames = [
        found
        for found in _FRAME.finditer(context.message)
        if not (is_installed_file(found["file"]) or is_standard_file(found["file"]) or found["file"].startswith("<"))
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


def _killed(context: ErrorContext) -> Violation:
    """A worker that ended without an exception: the system, or a library in C, has ended it."""
    iterators = (entry.variables.get("self") for entry in context.library.frames)
    counts = (dict_get(instance_dict(one), "_num_workers") for one in iterators if one is not None)
    count = next((one for one in counts if type(one) is int), None)
    fact = short_message(context.message)
    facts = [(None, fact), *([] if count is None else [("num_workers", str(count))])]
    crashed = re.search(r"Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point", _causes(context))
    why = "code in C crashed in it" if crashed else "mostly for a lack of memory, or of /dev/shm"
    what = "crashed" if crashed else "was ended from outside"
    code = re.search(r"with exit code (\d+)", _causes(context))
    if code is not None and not crashed:
        what, why = "ended itself", f"exit code {code[1]}, and no exception"
    title = (f"a worker of the DataLoader {what}", ": ", why)
    return context.found(
        title, *facts, suggestion="fewer workers, or num_workers=0, which shows an error of the dataset itself"
    )


def _causes(context: ErrorContext) -> str:
    """What the exception and those that it came of say: one of them names the signal."""
    return " ".join(message(error) for error in chain(context.error))
