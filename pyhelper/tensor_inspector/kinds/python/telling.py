"""Chooses the attributes of an object that its line shows first: those that tell most of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import library_of
from ..kind import Child, Kind
from ..registry import kind_of

_BUILT_IN: tuple[Any, ...] = (dict, list, tuple, set, frozenset, str, bytes)
#: Packages whose objects only keep a program running: locks, threads, weak references, loggers.
_MACHINERY = frozenset("_thread threading weakref _weakref logging contextvars _contextvars functools".split())
#: Words in names of private attributes that tell what an object is, and of what it only works with.
_ASKED_FIRST = frozenset("shape size sizes length len dtype data value values content contents items name path".split())
_WORKED_WITH = frozenset("lock mutex meta metadata flag flags parent owner ref handle hook hooks logger".split())


def most_telling_first(found: Iterable[Child], *, writes_out: bool = False) -> list[Child]:
    """Public attributes; of what keeps most to itself also private ones, in the order in which they tell of it.

    Private ones without content are left out, unless there are no others. An object that ``writes_out`` what it holds
    shows all, the public ones first.
    """
    attributes = list(found)
    public = [child for child in attributes if not child.name.startswith("_")]
    if writes_out:
        return [*public, *(child for child in attributes if child.name.startswith("_"))]
    private = sorted((one for one in attributes if one.name.startswith("_") and _is_content(one)), key=_how_telling)
    telling = [child for child in public if not _is_empty(child.value)]
    if len(telling) > len(private):
        return public
    rest = [child for child in public if _is_empty(child.value)]
    return [*telling, *private, *rest] or attributes


def empty_last(found: Iterable[Child]) -> list[Child]:
    """Attributes in their order, but those that are None or empty last: of many, a line shows only the first."""
    return sorted(found, key=lambda child: _is_empty(child.value))


def is_uninformative(value: object) -> bool:
    """None and classes: among private attributes nobody asks for them first."""
    return value is None or issubclass(type(value), type)


def _how_telling(child: Child) -> int:
    """The place of a private attribute in a line: what it holds comes first, what it works with last."""
    words = child.name.strip("_").split("_")
    if any(word in _WORKED_WITH for word in words):
        return 3
    kind: type[Kind] = kind_of(type(child.value))
    if kind.rank == 0 or any(word in _ASKED_FIRST for word in words):
        return 0
    return 2 if kind.kind == "object" else 1


def _is_content(child: Child) -> bool:
    """Whether a private attribute is no flag, cache, lock or function."""
    value = child.value
    return not (
        type(value) is bool
        or "cache" in child.name
        or _is_empty(value)
        or library_of(type(value)) in _MACHINERY
        or kind_of(type(value)).kind == "callable"
    )


def _is_empty(value: object) -> bool:
    base: Any = next((base for base in _BUILT_IN if issubclass(type(value), base)), None)
    return is_uninformative(value) or (base is not None and not base.__len__(value))
