"""Samples that stand side by side in a list: equal ones. They may be of several sizes, and some may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .samples import are_equal, picked_of

_COMPARED = 1 << 26  #: bytes that are compared
_MISSING = -1


class ListedSamples:
    """For each sample that was noted, by its number, the first that is equal to it."""

    def __init__(self) -> None:
        self.repeats = 0  #: how many are equal to an earlier one
        self.has_several = False  #: some sample is more than one element
        self._first: dict[int, int] = {}
        self._alike: dict[Any, list[tuple[int, Any]]] = {}  #: those that may be equal, by some of their elements
        self._compared = 0
        self._is_known = True

    def __contains__(self, number: int) -> bool:
        return number in self._first

    def note(self, number: int, values: Any) -> None:
        """A tensor or array."""
        picked, is_all = picked_of(values)
        self._note(number, (str(values.dtype), tuple(values.shape), picked), None if is_all else values)
        self.has_several = self.has_several or len(picked) > 1

    def note_items(self, number: int, items: Sequence[Any]) -> None:
        """Texts or numbers of Python."""
        self._note(number, tuple("NaN" if item != item else item for item in items), None)
        self.has_several = self.has_several or len(items) > 1

    def note_missing(self, number: int) -> None:
        self._first[number] = _MISSING

    def note_unread(self) -> None:
        """A sample that can't be read: no sample is known to differ from it."""
        self._is_known = False

    def keys(self, amount: int) -> list[int] | None:
        """Of the first samples, so many: equal for equal ones; None where that is not known. Those that were not noted
        are missing."""
        return [self._first.get(number, _MISSING) for number in range(amount)] if self._is_known else None

    def _note(self, number: int, key: Any, rest: Any) -> None:
        """``rest``: the sample, where the key is not all of it."""
        alike = self._alike.setdefault(key, [])
        for other, its in alike if self._is_known else ():
            if rest is None or self._are_equal(rest, its):
                self._first[number] = other
                self.repeats += 1
                return
        self._first[number] = number
        alike.append((number, rest))

    def _are_equal(self, a: Any, b: Any) -> bool:
        self._compared += int(a.nbytes)
        self._is_known = self._is_known and self._compared <= _COMPARED
        return self._is_known and are_equal(a, b)
