"""Reads files of the system, as those in ``/proc``, by descriptors: what `open` is the program may have replaced.

An audit hook of the program may refuse, by whatever it raises: then there is nothing to read.
"""

from __future__ import annotations

import os
from functools import lru_cache

_READ = 1 << 16  #: bytes of a file at most
_FORKED = 0x40  #: among the flags of a process of Linux: PF_FORKNOEXEC


def system_text(path: str) -> str:
    """The text of a file; empty where there is none, or where it can't be read."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except Exception:
        return ""
    try:
        return os.read(opened, _READ).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(opened)


def system_names(folder: str) -> list[str]:
    """What a folder holds; nothing where there is none, or where it can't be read."""
    try:
        return os.listdir(folder)
    except Exception:
        return []


def is_forked() -> bool:
    """Whether this process is a copy of another one, which has run no other program since; False where the system does
    not say."""
    return _is_forked(os.getpid())


@lru_cache(maxsize=1)
def _is_forked(_process: int) -> bool:
    try:
        return bool(int(system_text("/proc/self/stat").rpartition(")")[2].split()[6]) & _FORKED)
    except (ValueError, IndexError):
        return False
