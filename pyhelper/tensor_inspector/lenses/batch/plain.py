"""Counts Python strings and numbers in lists, and the missing ones among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...safe.guard import Classes

if TYPE_CHECKING:
    from typing import Literal

    PlainSort = Literal["strings", "numbers"]

NUMBERS = Classes(int, float, bool)


def sort_of(items: Iterable[Any]) -> PlainSort | None:
    """What they are, where all that are there are of one sort; a missing one is None."""
    classes = {id(type(item)): type(item) for item in items if item is not None}.values()
    if classes and all(cls is str for cls in classes):
        return "strings"
    return "numbers" if classes and all(cls in NUMBERS for cls in classes) else None


class PlainValues:
    """Those of one part, one after the other: ``items`` has None where one is missing."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.sort: PlainSort | None = None

    def take(self, items: list[Any]) -> None:
        """Takes in further ones, if they are of the sort of those before."""
        sort = sort_of(items) or self.sort
        if self.sort in (None, sort) and (sort is not None or all(item is None for item in items)):
            self.sort = sort
            self.items.extend(items)

    def present(self) -> list[Any]:
        return [item for item in self.items if item is not None]
