"""``value[key]`` of a plain tensor or array."""

from __future__ import annotations

from typing import Any

from ..safe.guard import Classes
from .kind import NotFound, NotStatic

_VIEWED = Classes(int, slice, type(None), type(...), str)  #: subscripts that take no copy; strings name fields


def element(value: Any, key: Any) -> Any:
    """``value[key]`` of a plain tensor or array, a view of its memory; ``NotStatic`` where it would be a copy."""
    if any(type(part) not in _VIEWED for part in (key if type(key) is tuple else (key,))):
        raise NotStatic("such a subscript copies elements")
    try:
        return value[key]
    except (IndexError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise NotFound(str(error)) from None
