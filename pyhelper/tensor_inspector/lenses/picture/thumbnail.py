"""A small picture of a tensor or array for a hover, within what is left of the time for it."""

from __future__ import annotations

from binascii import b2a_base64
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget
from .picture import View, draw

if TYPE_CHECKING:
    from ...kinds import Kind
    from ...protocol import Facts, Thumbnail

_SIZE = 128  #: pixels along a side, at most
_TIME = 20  #: milliseconds, at most
_LEAST = 16  #: elements of which there is something to see


def add_thumbnail(facts: Facts, kind: Kind, budget: Budget) -> None:
    """Adds a picture of the last two dimensions, of one dimension a line, where the values were read."""
    shape = facts.get("shape")
    if kind.kind not in ("tensor", "array") or not shape or not facts.get("stats") or not _is_worth_it(shape):
        return
    try:
        drawn = draw(kind.value, View(size=_SIZE), Budget(min(_TIME, budget.remaining_ms())))
    except Exception:  # the card says what can't be read; it is not to wait for a picture, nor fail with it
        return
    thumbnail: Thumbnail = {"png": b2a_base64(drawn._repr_png_(), newline=False).decode(), "legend": drawn.legend}
    facts["thumbnail"] = thumbnail


def _is_worth_it(shape: list[Any]) -> bool:
    """Whether there are enough elements, in two dimensions or in one."""
    if any(type(size) is not int for size in shape):
        return False
    if len(shape) == 1 or 1 in shape[-2:]:
        return len(shape) == 1 and shape[0] >= _LEAST
    return bool(shape[-2] * shape[-1] >= _LEAST)
