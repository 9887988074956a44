"""Writes a file whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from stat import S_ISREG
from typing import Any

_TRIES = 100  #: names for the file that becomes the new one


def write_all(file: int, data: Any) -> None:
    """Writes all the bytes of a buffer into an open file, which may take them in parts."""
    rest = memoryview(data).cast("B")
    while rest:
        rest = rest[os.write(file, rest) :]


class NewFile:
    """A file that becomes the one at ``path`` once it is whole. Until then it has another name in that folder.

    Where it takes the place of another, the same users may read and write it: from the beginning.
    Where it is let go before, nothing is left of it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._owner = os.getpid()
        self._file: int | None = None
        self._name, self._file = _opened(*os.path.split(path), _mode_of(path))

    def write(self, data: Any) -> None:
        assert self._file is not None
        write_all(self._file, data)

    def sync(self) -> None:
        """Waits until all that was written is on the disk."""
        assert self._file is not None
        os.fsync(self._file)

    def finish(self, *, overwrite: bool) -> None:
        """Gives it its name. Raises ``FileExistsError`` where there is something already, unless ``overwrite``."""
        assert self._file is not None
        os.close(self._file)
        self._file = None
        try:
            _put(self._name, self._path, overwrite)
        except BaseException:
            os.unlink(self._name)
            raise

    def discard(self) -> None:
        """Removes it, unless it is finished or another process's: a fork has a copy of it."""
        if self._file is None or self._owner != os.getpid():
            return
        os.close(self._file)
        self._file = None
        os.unlink(self._name)

    def __del__(self) -> None:
        try:
            self.discard()
        except (OSError, AttributeError):  # it was never opened, or is gone
            return


def _mode_of(path: str) -> int | None:
    """Who may read and write the file that is there; None where there is none."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return None
    return mode & 0o777 if S_ISREG(mode) else None


def _opened(folder: str, base: str, mode: int | None) -> tuple[str, int]:
    """A file that was not there before, in the same folder, with that mode: its name and descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    for number in range(_TRIES):
        name = os.path.join(folder, f".{base}.{os.getpid()}.{number}.part")
        try:
            file = os.open(name, flags, 0o666 if mode is None else mode)
        except FileExistsError:
            continue
        if mode is not None and hasattr(os, "fchmod"):
            with suppress(OSError):  # a file system without modes
                os.fchmod(file, mode)  # os.open takes from it what the program takes from all its files
        return name, file
    raise FileExistsError(f"no name is free beside {base}")


def _put(unfinished: str, name: str, overwrite: bool) -> None:
    """Give a file its name: of two programs that do so at once without ``overwrite``, one fails."""
    if overwrite:
        os.replace(unfinished, name)
        return
    try:
        os.link(unfinished, name)
    except FileExistsError:
        raise FileExistsError(f"there is a file at {name}") from None
    except (OSError, NotImplementedError, AttributeError):  # a file system without hard links
        if os.path.lexists(name):
            raise FileExistsError(f"there is a file at {name}") from None
        os.rename(unfinished, name)
        return
    os.unlink(unfinished)
