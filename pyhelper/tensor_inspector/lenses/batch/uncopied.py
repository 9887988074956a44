"""Objects of a dataset that can't be copied: the originals are used, and restored where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import GeneratorType
from typing import Any, Callable

from ...safe.guard import class_attribute, class_module, class_name
from ..running.deep_copy import Uncopied

_FILES = ("FileIO", "BufferedReader", "BufferedRandom", "BytesIO", "StringIO", "TextIOWrapper")
_ITERATORS = ("builtins", "itertools", "_csv")  #: modules of their classes


def moving(uncopied: Sequence[Uncopied]) -> str | None:
    """The first that using it would advance for good, such as an iterator; None where there is none."""
    return next((_words(one) for one in uncopied if _is_iterator(type(one.value))), None)


def unrestored(uncopied: Sequence[Uncopied]) -> list[str]:
    """Those that are not restored after the dataset's code has run, each once, in words."""
    return list(dict.fromkeys(_words(one) for one in uncopied if not _is_file(type(one.value))))


class Files:
    """A context that restores the positions of the files that a dataset holds."""

    def __init__(self, uncopied: Sequence[Uncopied]) -> None:
        self._uncopied = uncopied
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> None:
        for one in self._uncopied:
            cls: Any = type(one.value)
            if _is_file(cls):
                try:
                    self._undo.append(partial(cls.seek, one.value, cls.tell(one.value)))
                except (OSError, ValueError):  # closed, or a pipe
                    continue

    def __exit__(self, *error: object) -> None:
        for undo in self._undo:
            try:
                undo()
            except (OSError, ValueError):
                continue


def _words(one: Uncopied) -> str:
    """``reader.rows, a list_iterator``; of an item ``rows: items of the class Row``"""
    cls = class_name(type(one.value))
    if one.is_item:
        return f"{one.name}: items of the class {cls}" if one.name else f"items of the class {cls}"
    return f"{one.name}, a {cls}" if one.name else f"a {cls}"


def _is_file(cls: type) -> bool:
    return class_module(cls) == "_io" and class_name(cls) in _FILES


def _is_iterator(cls: type) -> bool:
    return cls is GeneratorType or (class_module(cls) in _ITERATORS and class_attribute(cls, "__next__") is not None)
