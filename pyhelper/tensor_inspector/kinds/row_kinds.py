"""The kinds of our own rows, which stand for no value: they gather others, say something, or offer a property."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ..protocol import Badge
from ..safe.budget import Budget
from .kind import Child, Kind, Rows, TextRow


class RowsKind(Kind):
    contains = False

    def __init__(self, value: Rows, budget: Budget) -> None:
        super().__init__(value, budget)
        self.kind = value.kind

    def type_name(self) -> str:
        return ""

    def parts(self) -> Iterable[str | None]:
        return [self.value.line]

    def badges(self) -> list[Badge]:
        return list(self.value.badges)

    def child_count(self) -> int | None:
        return self.value.total  # type: ignore[no-any-return]

    def children(self, start: int, count: int) -> Iterable[Child]:
        if self.value.ask is not None:
            return islice(self.value.ask(self.budget), start, start + count)
        return self.value.children(start, count)  # type: ignore[no-any-return]


class TextRowKind(Kind):
    contains = False

    def __init__(self, value: TextRow, budget: Budget) -> None:
        super().__init__(value, budget)
        self.kind = "error" if value.failed else "group"

    def type_name(self) -> str:
        return ""

    def parts(self) -> Iterable[str | None]:
        return [self.value.text]

    def badges(self) -> list[Badge]:
        return ["error"] if self.value.failed else []


class PropertyKind(Kind):
    kind = "property"
    contains = False

    def type_name(self) -> str:
        return ""

    def parts(self) -> Iterable[str | None]:
        return ["property · not read"]

    def child_count(self) -> int | None:
        return 1
