"""Rows that stand for no value of the program, and their kinds: groups, texts, properties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Callable

from ..safe.budget import Budget
from .kind import Child, Kind

if TYPE_CHECKING:
    from ..protocol import Badge, NodeKind


class Rows:
    """A row of ours that groups others: ``values``, ``stats``, ``attributes``, ``global variables``."""

    __slots__ = ("ask", "badges", "children", "kind", "line", "owner", "total")

    def __init__(
        self,
        line: str,
        total: int | None,
        children: Callable[[int, int], Iterable[Child]],
        kind: NodeKind = "group",
        badges: Sequence[Badge] = (),
    ) -> None:
        self.kind = kind
        self.badges = badges
        self.line = line
        self.total = total
        self.children = children
        self.owner: object = None  #: the object whose attributes these are
        self.ask: Callable[[Budget], Iterable[Child]] | None = None  #: see `later`

    @classmethod
    def of(cls, line: str, rows: list[Child], kind: NodeKind = "group", badges: Sequence[Badge] = ()) -> Rows:
        """Rows that are known already."""
        return cls(line, len(rows), lambda start, count: rows[start : start + count], kind, badges)

    @classmethod
    def later(cls, line: str, ask: Callable[[Budget], Iterable[Child]]) -> Rows:
        """Rows that take time to compute. They are computed when they are opened, under the budget of that request."""
        rows = cls(line, None, lambda start, count: ())
        rows.ask = ask
        return rows


class TextRow:
    """A row with a label and a text, and no value."""

    __slots__ = ("failed", "text")

    def __init__(self, text: str, failed: bool = False) -> None:
        self.text = text
        self.failed = failed


class Property:
    """A property that was not read yet. Reading it runs code of the program, so only a click does."""

    __slots__ = ("name", "owner", "running")

    def __init__(self, owner: object, name: str) -> None:
        self.owner = owner
        self.name = name
        self.running = False


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
