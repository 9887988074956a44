"""``value[key]`` of a plain tensor or array."""

from __future__ import annotations

from typing import Any

from ..safe.guard import Classes
from .kind import NotFound, NotStatic

_VIEWED = Classes(int, slice, type(None), type(...))  #: subscripts that take no copy


def element(value: Any, key: Any, *, fields: bool = False) -> Any:
    """``value[key]`` of a plain tensor or array, a view of its memory; ``NotStatic`` where it would be a copy.

    Strings name ``fields``, of an array that has some: torch would warn of one, in the program's own output.
    """
    parts = key if type(key) is tuple else (key,)
    if not fields and any(type(part) is str for part in parts):
        raise NotFound("there are no fields to be named")
    if any(type(part) not in _VIEWED and type(part) is not str for part in parts):
        raise NotStatic("such a subscript copies elements")
    try:
        return value[key]
    except (IndexError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise NotFound(str(error)) from None
