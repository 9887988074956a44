"""Writes a folder whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from stat import S_ISDIR
from typing import Any

from ..new_file import write_all
from .destination import existing_above, mode_at

_TRIES = 100  #: names for the folder that becomes the new one
_EVENTS, _UNFINISHED = "tfevents", "unfinished"  #: in the names of event files; by the first TensorBoard knows a run


class _Changes:
    """Changes of folders, which are undone together."""

    def __init__(self) -> None:
        self._made: list[str] = []
        self._renamed: list[tuple[str, str]] = []

    def make_above(self, path: str) -> None:
        """Makes the folders above a path that are not there."""
        missing, folder = [], os.path.dirname(path)
        while not os.path.lexists(folder):
            missing.append(folder)
            folder = os.path.dirname(folder)
        for folder in reversed(missing):
            with suppress(FileExistsError):
                os.mkdir(folder)
                self._made.append(folder)

    def rename(self, before: str, after: str) -> None:
        os.rename(before, after)
        self._renamed.append((before, after))

    def undo(self) -> None:
        for before, after in reversed(self._renamed):
            with suppress(OSError):
                os.rename(after, before)
        for folder in reversed(self._made):
            with suppress(OSError):  # another has put something there
                os.rmdir(folder)


class NewRun:
    """A folder that becomes the one at ``path`` once all of its files are whole. Until then it has another name, in the
    nearest folder above that is there, and so have its event files: TensorBoard does not see them.

    Where there is a folder already, its files are added to that, each under a name that is not there.
    Where it is let go before, nothing is left of it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._owner = os.getpid()
        self._file: int | None = None
        self._events: list[tuple[str, str]] = []  #: the names of event files until it is whole, and then
        self._part: str | None = None
        self._part = _made(existing_above(path), os.path.basename(path))

    def begin(self, name: str) -> None:
        """Goes on with another file, which may be in a folder of its own."""
        assert self._part is not None
        self._close()
        folder, base = os.path.split(name)
        unfinished = os.path.join(folder, base.replace(_EVENTS, _UNFINISHED))
        if unfinished != name:
            self._events.append((unfinished, name))
        whole = os.path.join(self._part, unfinished)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        self._file = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)

    def write(self, data: Any) -> None:
        assert self._file is not None
        write_all(self._file, data)

    def sync(self) -> None:
        """Waits until all that was written is on the disk."""
        if self._file is not None:
            os.fsync(self._file)

    def finish(self, *, overwrite: bool) -> None:
        """Gives it its name. Raises ``FileExistsError`` where there is a folder already, unless ``overwrite``: then its
        files are added to that. Raises ``ValueError`` for a link or a file, also where one's name is taken."""
        assert self._part is not None
        self._close()
        changes = _Changes()
        try:
            mode = mode_at(self._path)
            if mode is None:
                changes.make_above(self._path)
                changes.rename(self._part, self._path)
            elif not S_ISDIR(mode):
                raise ValueError(f"there is a file at {self._path}")
            elif overwrite:
                self._add(self._part, changes)
            else:
                raise FileExistsError(f"there is a folder at {self._path}")
            for unfinished, name in self._events:  # that of the run itself comes last
                changes.rename(os.path.join(self._path, unfinished), os.path.join(self._path, name))
        except BaseException:
            changes.undo()
            self.discard()
            raise
        with suppress(OSError):  # it is gone, or another has put something there: the run is there
            os.rmdir(self._part)
        self._part = None

    def _add(self, part: str, changes: _Changes) -> None:
        """Moves what is in it into the folder that is there."""
        names = sorted(os.listdir(part))
        for name in (*names, *(name for _, name in self._events)):
            if os.path.lexists(os.path.join(self._path, name)):
                raise ValueError(f"there is a file at {os.path.join(self._path, name)}")
        for name in names:
            changes.rename(os.path.join(part, name), os.path.join(self._path, name))

    def discard(self) -> None:
        """Removes it, unless it is finished or another process's: a fork has a copy of it."""
        if self._part is None or self._owner != os.getpid():
            return
        self._close()
        for folder, folders, files in os.walk(self._part, topdown=False):
            for name in files:
                os.unlink(os.path.join(folder, name))
            for name in folders:
                os.rmdir(os.path.join(folder, name))
        os.rmdir(self._part)
        self._part = None

    def _close(self) -> None:
        if self._file is not None:
            os.fsync(self._file)
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        try:
            self.discard()
        except (OSError, AttributeError):  # it was never made, or is gone
            return


def _made(folder: str, base: str) -> str:
    """A folder that was not there before."""
    for number in range(_TRIES):
        name = os.path.join(folder, f".{base}.{os.getpid()}.{number}.part")
        with suppress(FileExistsError):
            os.mkdir(name)
            return name
    raise FileExistsError(f"no name is free beside {base}")
