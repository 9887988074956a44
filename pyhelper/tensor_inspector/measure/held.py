"""Tells whether elements that are read in slices are still what they were: between two slices the user may run code."""

from __future__ import annotations

import sys
from typing import Any

from .stats import unreadable_array
from .torch.readable import why_unread


class HeldElements:
    """A plain tensor or array as it was when the reading began.

    Writes are noticed by torch's counter of versions. numpy counts none: of an array only another memory is noticed.
    """

    def __init__(self, elements: Any) -> None:
        self._elements = elements
        numpy = sys.modules.get("numpy")
        self._is_array = numpy is not None and issubclass(type(elements), numpy.ndarray)
        self._was = self._state()

    def why_lost(self) -> str | None:
        """Why they can't be read any more, or are no longer what was begun; None where they are as they were."""
        if self._is_array and self._was != self._state():  # first: an array that lost its memory may not be looked at
            return "it was changed meanwhile"
        unread = unreadable_array(self._elements) if self._is_array else why_unread(self._elements)
        if unread is not None:
            return unread.text
        return None if self._was == self._state() else "it was changed meanwhile"

    def _state(self) -> object:
        if not self._is_array:
            from .torch.elements import version_of  # which needs torch

            return version_of(self._elements)
        return list(_memories(sys.modules["numpy"].ndarray, self._elements))


def _memories(array_class: Any, array: Any) -> Any:
    """Where an array, and each that it is a view of, has its elements."""
    of = array_class.__dict__
    while issubclass(type(array), array_class):
        shape, strides = of["shape"].__get__(array), of["strides"].__get__(array)
        yield of["__array_interface__"].__get__(array)["data"], shape, strides
        array = of["base"].__get__(array)
