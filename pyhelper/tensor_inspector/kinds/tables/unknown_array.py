"""Columns of pandas in an array type of another library or the program."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...measure.unread import OWN_CODE
from ...safe.budget import Budget
from ...safe.guard import class_name, module, mro
from ..kind import Child
from ..numpy.by_dtype import contents_of
from ..numpy.contents import Contents, Label
from ..python.objects import attributes
from ..rows import TextRow
from .flat import ColumnContents

if TYPE_CHECKING:
    from ...protocol import Badge

numpy: Any = module("numpy")


class UnknownArray(ColumnContents):
    """An array type of another library or the program: only its own code can read it, so what it is kept in is told.

    ``length`` is what the index says; an array by itself says that of what it is kept in, where all of it is as long.
    """

    unread = OWN_CODE

    def __init__(self, values: Any, budget: Budget, length: int | None = None) -> None:
        super().__init__(values, budget)
        self._known_length = length

    def dtype(self) -> str:
        return class_name(type(self.array))

    def length(self) -> int:
        found = self._known_length
        if found is None:
            lengths = {kept.length() for kept in self._kept}
            found = lengths.pop() if len(lengths) == 1 else 0
        return found

    def is_sized(self) -> bool:
        """Whether its length is known."""
        return self._known_length is not None or len({kept.length() for kept in self._kept}) == 1

    def head(self) -> str:
        return super().head() if self.is_sized() else self.dtype()

    def words(self) -> list[str]:
        kept = next(iter(self._kept), None) if len(self._kept) == 1 else None
        if kept is None:
            return [self.unread.text]
        shown = kept.shown()
        return [
            f"kept in {kept.head()}{'' if shown is None else f' {shown}'}",
            *(kept.words() if shown is None else ()),
        ]

    def badges(self) -> list[Badge]:
        return self._kept[0].badges() if len(self._kept) == 1 else []

    def is_open(self) -> bool:
        return False

    def items(self, start: int, amount: int) -> Iterable[object]:
        """Of what it is kept in, where that has as many: its own items are made by its own code."""
        if len(self._kept) == 1 and self._kept[0].length() == self.length():
            return self._kept[0].items(start, amount)
        return (TextRow(self.unread.text) for _ in range(min(amount, self.length() - start)))

    def labels(self, start: int, amount: int) -> Iterable[object]:
        return (Label(item.text) if type(item) is TextRow else item for item in self.items(start, amount))

    def parts(self) -> list[Child]:
        return [Child("array", self.array, ".array")]

    @cached_property
    def _kept(self) -> list[Contents]:
        """The arrays among its attributes."""
        found = {id(child.value): child.value for child in attributes(self.array)}
        arrays = [value for value in found.values() if any(base is numpy.ndarray for base in mro(type(value)))]
        plain = [numpy.ndarray.view(value, numpy.ndarray) for value in arrays]
        return [contents_of(value, self.budget) for value in plain if value.ndim]
