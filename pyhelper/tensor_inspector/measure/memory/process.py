"""The memory of this process and of the machine. Only Linux tells all of it."""

from __future__ import annotations

import os
import sys

from ...safe.guard import module
from ...safe.record import Record
from ...safe.system import system_text

_KIB = 1024
#: Of a container: its limit, what it takes, and of that the files it could let go, by their name in ``memory.stat``.
_LIMITS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "inactive_file"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        "total_inactive_file",
    ),
)


class ProcessMemory(Record):
    """In bytes, None where that is not known."""

    resident: int | None  #: what the process has in memory now
    peak: int | None  #: the most that it had
    free: int | None  #: what it could still get
    total: int | None  #: what there is at all: of the machine, or of its container


def process_memory() -> ProcessMemory:
    own, machine = _fields("/proc/self/status"), _fields("/proc/meminfo")
    peak = own.get("VmHWM")
    free, total = machine.get("MemAvailable"), machine.get("MemTotal")
    for limit, used, cached in _LIMITS:
        most, taken = _number(limit), _number(used)
        if most is not None and total is not None and most < total:
            total = most
            if taken is not None and free is not None:
                free = min(free, max(0, most - taken + _cached(os.path.dirname(used), cached)))
    return ProcessMemory(own.get("VmRSS"), _peak_elsewhere() if peak is None else peak, free, total)


def _peak_elsewhere() -> int | None:
    resource = module("resource")
    try:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    except Exception:  # it was not imported, or is not the system's own
        return None
    return int(most) if sys.platform == "darwin" else int(most) * _KIB


def _fields(file: str) -> dict[str, int]:
    """The lines ``VmRSS:  1234 kB`` of a file, in bytes."""
    found = {}
    for line in system_text(file).splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if len(words) == 2 and words[1] == "kB" and words[0].isdigit():
            found[name] = int(words[0]) * _KIB
    return found


def _cached(folder: str, name: str) -> int:
    """What is kept of files that nobody has read of late, in a container: it is given up when memory is asked for."""
    words = system_text(f"{folder}/memory.stat").split()
    known = dict(zip(words[::2], words[1::2]))
    return int(known.get(name, "0"))


def _number(file: str) -> int | None:
    text = system_text(file).strip()
    return int(text) if text.isdigit() else None
