"""`BoundedReading`: what one detector may read of the values in sight, and what it has left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ...kinds.torch.data import length
from ...safe.budget import Budget
from ...safe.guard import class_name, plain_message

_Item = TypeVar("_Item")
_MOST = 1 << 22  #: elements that one detector reads


class BoundedReading:
    """Ends the loops of a detector with the time, and bounds the elements that it reads."""

    __slots__ = ("_budget", "_left", "_left_out")

    def __init__(self, budget: Budget, most: int = _MOST) -> None:
        self._budget = budget
        self._left = most
        self._left_out: dict[str, list[str]] = {}  #: the names of what was not read, by the reason

    def each(self, items: Iterable[_Item]) -> Iterator[_Item]:
        """The items, for as long as there is time."""
        for item in items:
            if self._budget.spent():
                return
            yield item

    def takes(self, name: str, elements: int) -> bool:
        """Counts elements that are to be read. Returns False where that would be too many; they are left out then."""
        if elements > self._left:
            self._leave_out(name, "too many elements")
            return False
        self._left -= elements
        return True

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Leaves out a value that torch can't compute with, as of a dtype that has no such operation."""
        try:
            yield
        except RuntimeError as error:
            self._leave_out(name, f"{class_name(type(error))}: {plain_message(error)[:100]}".rstrip(": "))

    def left_out(self) -> list[str]:
        """What was left out, each with the reason: ``labels and 2 more not read: too many elements``."""
        return [f"{_listed(names)} not read: {reason}" for reason, names in self._left_out.items()]

    def _leave_out(self, name: str, reason: str) -> None:
        names = self._left_out.setdefault(reason, [])
        if name not in names:
            names.append(name)


def length_of(source: Any) -> int | None:
    """How many samples or batches, where torch or Python keeps that, and no metaclass of the program may be asked."""
    return length(source) if type(type(source)) is type else None


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
