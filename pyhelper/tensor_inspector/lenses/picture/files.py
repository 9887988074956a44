"""Writes a file whole or not at all."""

from __future__ import annotations

import os
from typing import Any

from ...safe.guard import class_name

_TRIES = 100  #: names for the file that becomes the new one


def write_new(path: Any, data: bytes, *, overwrite: bool) -> None:
    """Write ``data`` to a file of a name that ends in ``.png``, first under another name in its folder.

    Raises ``FileExistsError`` where there is something already, unless ``overwrite``, which replaces it, a link too.
    """
    try:
        name = os.fspath(path)
    except TypeError:
        raise TypeError(f"path is a path, as in 'plane.png', not {class_name(type(path))}") from None
    if type(name) is not str:
        raise TypeError("path is a path as text, as in 'plane.png'")
    if not name.lower().endswith(".png"):
        raise ValueError("a picture is saved as .png")
    if os.path.isdir(name):
        raise ValueError(f"there is a folder at {name}")
    if not overwrite and os.path.lexists(name):
        raise FileExistsError(f"there is a file at {name}: overwrite=True replaces it")
    folder, base = os.path.split(name)
    unfinished, file = _opened(folder, base)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(file, rest) :]
        finally:
            os.close(file)
        _put(unfinished, name, overwrite)
    except BaseException:
        os.unlink(unfinished)
        raise


def _opened(folder: str, base: str) -> tuple[str, int]:
    """A file that was not there before, in the same folder: its name and descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    for number in range(_TRIES):
        name = os.path.join(folder, f".{base}.{os.getpid()}.{number}.part")
        try:
            return name, os.open(name, flags, 0o666)
        except FileExistsError:
            continue
    raise FileExistsError(f"no name is free beside {base}")


def _put(unfinished: str, name: str, overwrite: bool) -> None:
    """Give a file its name: of two programs that do so at once without ``overwrite``, one fails."""
    if overwrite:
        os.replace(unfinished, name)
        return
    try:
        os.link(unfinished, name)
    except FileExistsError:
        raise FileExistsError(f"there is a file at {name}: overwrite=True replaces it") from None
    except (OSError, NotImplementedError, AttributeError):  # a file system without hard links
        if os.path.lexists(name):
            raise FileExistsError(f"there is a file at {name}: overwrite=True replaces it") from None
        os.rename(unfinished, name)
        return
    os.unlink(unfinished)
