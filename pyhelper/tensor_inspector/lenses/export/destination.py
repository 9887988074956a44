"""Where a file is to be, on the machine of the program."""

from __future__ import annotations

import os
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import Any

from ...safe.record import Record


class Destination(Record):
    """``exists`` tells whether there is a file already; where a folder is made, whether there is that."""

    path: str
    exists: bool


def destination_of(path: Any) -> Destination:
    """The whole path, from the working directory of the program. Raises ``ValueError`` where no file can be."""
    whole = _whole(path, "the path of a file, as in /tmp/x.npy")
    folder = os.path.dirname(whole)
    if path.endswith(("/", os.sep)) or not os.path.isdir(folder):
        raise ValueError(f"there is no folder {whole if os.path.isdir(folder) else folder}")
    mode = mode_at(whole)
    if mode is None:
        return Destination(whole, False)
    if S_ISDIR(mode):
        raise ValueError(f"there is a folder at {whole}")
    if not S_ISREG(mode):
        raise ValueError(f"{whole} is no file but a device, a socket or a pipe")
    return Destination(whole, True)


def folder_of(path: Any) -> Destination:
    """The same of a folder, which is made with those above it. Raises ``ValueError`` where none can be."""
    whole = _whole(path, "the path of a folder, as in runs/weights")
    mode = mode_at(whole)
    if mode is not None:
        if not S_ISDIR(mode):
            raise ValueError(f"there is a file at {whole}")
        return Destination(whole, True)
    above = existing_above(whole)
    if not os.path.isdir(above):
        raise ValueError(f"there is a file at {above}")
    return Destination(whole, False)


def existing_above(path: str) -> str:
    """The nearest folder above a path that is there."""
    above = os.path.dirname(path)
    while not os.path.lexists(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    return above


def _whole(path: Any, what: str) -> str:
    if type(path) is not str or not path.strip() or "\0" in path:
        raise ValueError(f"path is {what}")
    try:
        return os.path.abspath(os.path.expanduser(path))
    except OSError as error:
        raise ValueError(f"{path} leads nowhere: {error.strerror}") from None


def mode_at(whole: str) -> int | None:
    """What is there; None where nothing is. Raises ``ValueError`` for a link."""
    try:
        mode = os.lstat(whole).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ValueError(f"{whole} can't be looked at: {error.strerror}") from None
    if S_ISLNK(mode):
        raise ValueError(f"{whole} is a link, which is not followed: give the path that it leads to")
    return mode


def working_directory() -> str:
    """That of the program; empty where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
