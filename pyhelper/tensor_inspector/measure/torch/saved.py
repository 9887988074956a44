"""What a node of the autograd graph has saved for its backward. What has a hook is not unpacked: that would run code of
the program, as a checkpoint does."""

from __future__ import annotations

from typing import Any

from .metadata import EXACT_TENSORS

WAS_FREED, WAS_MODIFIED = 1, 2


class Saved:
    """What a node has saved under a name.

    ``state``: tensor (``value`` is it), none, freed (by an earlier backward), modified (since it was saved: ``now`` is
    it as it is now, ``found`` and ``expected`` are its versions where torch tells them), hooked (only the program's
    code could unpack it), unread.
    """

    __slots__ = ("expected", "found", "now", "state", "value")

    def __init__(self, state: str, value: Any = None, found: int = -1, expected: int = -1, now: Any = None) -> None:
        self.state = state
        self.value = value
        self.now = now
        self.found = found
        self.expected = expected


#: What is saved under a name by two attributes of a node's class: as it is kept, and unpacked.
Readers = tuple[Any, Any]
_HOOKED, _FREED, _NONE, UNREAD = Saved("hooked"), Saved("freed"), Saved("none"), Saved("unread")


def read_saved(readers: Readers, function: Any) -> Saved:
    """What a node of the graph has saved under the name of these readers, or why that can't be had."""
    known, data = _peek(readers[0], function)
    if known is not None:
        return known
    try:
        value = readers[1].__get__(function)
    except RuntimeError as error:
        return _FREED if data is None else Saved("modified", None, *_versions(error), data)
    return _NONE if value is None else Saved("tensor", value)


def state_of_saved(readers: Readers, function: Any) -> int:
    """What has become of it: `WAS_FREED`, `WAS_MODIFIED`, or 0. What is as it was made is not unpacked."""
    known, data = _peek(readers[0], function)
    if known is _FREED:
        return WAS_FREED
    if known is None and (data is None or _has_moved(data)):
        try:
            readers[1].__get__(function)
        except RuntimeError:
            return WAS_FREED if data is None else WAS_MODIFIED
    return 0


def _peek(raw: Any, function: Any) -> tuple[Saved | None, Any]:
    """What can be read of a saved value without unpacking it: why it can't be read, else None and its data."""
    try:
        saved = raw.__get__(function)
    except RuntimeError:
        return _FREED, None
    if type(saved) is tuple:
        return UNREAD, None
    if not hasattr(type(saved), "unpack_hook") or saved.unpack_hook is not None:  # old torch does not tell of hooks
        return _HOOKED, None
    data = saved.data
    return (None, data) if data is None or type(data) in EXACT_TENSORS else (UNREAD, None)


def _has_moved(tensor: Any) -> bool:
    """Whether a tensor was ever modified in place, as far as is known."""
    try:
        return bool(tensor._version)
    except RuntimeError:  # inference mode does not count
        return True


def _versions(error: RuntimeError) -> tuple[int, int]:
    """The versions in torch's message: ``is at version 1; expected version 0 instead``."""
    text = error.args[0] if error.args and type(error.args[0]) is str else ""
    return _number_after(text, "is at version "), _number_after(text, "expected version ")


def _number_after(text: str, words: str) -> int:
    rest = text.partition(words)[2]
    digits = rest[: next((at for at, sign in enumerate(rest) if not sign.isdigit()), len(rest))]
    return int(digits) if digits else -1
