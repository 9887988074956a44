"""Counts Python strings and numbers in lists, and the missing ones among them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...safe.guard import Classes

if TYPE_CHECKING:
    from typing import Literal

    PlainSort = Literal["strings", "numbers"]

NUMBERS = Classes(int, float, bool)
ITEMS = 1 << 16  #: of a list that are read


def is_string_or_number(value: Any) -> bool:
    return type(value) is str or type(value) in NUMBERS


def items_in(value: Any) -> tuple[list[Any], int | None]:
    """The first items of a list or tuple, and how many it has; else the value itself."""
    base: Any = next((base for base in (list, tuple) if issubclass(type(value), base)), None)
    return ([value], None) if base is None else (list(base.__getitem__(value, slice(ITEMS))), base.__len__(value))


def sort_of(items: Iterable[Any]) -> PlainSort | None:
    """Whether the items are strings or numbers; None where they are of both, or of neither. A missing item is None."""
    classes = {id(type(item)): type(item) for item in items if item is not None}.values()
    if classes and all(cls is str for cls in classes):
        return "strings"
    return "numbers" if classes and all(cls in NUMBERS for cls in classes) else None


class PlainValues:
    """The strings or numbers of one part, one after the other: ``items`` has None where one is missing."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.sort: PlainSort | None = None
        self.held = 0  #: also those that are not read

    def take(self, items: list[Any], length: int | None = None) -> list[Any]:
        """Adds items if they are of the sort of those before, and returns those that it added.

        ``length`` is that of the list that they begin; they are all of it where none is given.
        """
        sort = sort_of(items) or self.sort
        if self.sort in (None, sort) and (sort is not None or all(item is None for item in items)):
            self.sort = sort
            self.items.extend(items)
            self.held += len(items) if length is None else length
            return items
        return []

    def present(self) -> list[Any]:
        return [item for item in self.items if item is not None]
