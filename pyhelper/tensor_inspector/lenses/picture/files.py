"""Writes a picture to a file."""

from __future__ import annotations

import os
from typing import Any

from ...safe.guard import class_name
from ..new_file import NewFile


def write_new(path: Any, data: bytes, *, overwrite: bool) -> None:
    """Write ``data`` to a file of a name that ends in ``.png``, whole or not at all.

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
    taken = f"there is a file at {name}: overwrite=True replaces it"
    if not overwrite and os.path.lexists(name):
        raise FileExistsError(taken)
    file = NewFile(name)
    try:
        file.write(data)
        file.finish(overwrite=overwrite)
    except FileExistsError:
        raise FileExistsError(taken) from None
    finally:
        file.discard()
