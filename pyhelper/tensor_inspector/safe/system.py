"""Reads files of the system, as those in ``/proc``, by descriptors: what `open` is the program may have replaced.

An audit hook of the program may refuse, by whatever it raises: then there is nothing to read.
"""

from __future__ import annotations

import os

_READ = 1 << 16  #: bytes of a file at most


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
