"""Rows below a value in the debugger's own views: one page, then ranges that open in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import islice
from typing import cast

from ..kinds import Child, Elements, Property, Rows, TextRow, as_kind
from ..safe.budget import Budget
from ..stop.snapshot import PAGE
from ..words.text import distinct, one_line
from .expressions import reached

Entry = tuple[
    str, object, "Callable[[str], str | None] | None"
]  #: name, value, and what makes its expression of its parent's
NAME = 200  #: characters of a row's name


class Text(str):
    """What a row of ours says; as a string it has nothing below it."""

    __slots__ = ()


Text.__name__ = ""  # the views show it as the type


class Row:
    """A row that stands for no object of the program: a group, a part of a tensor, a range of rows."""

    __slots__ = ("start", "stop", "value")

    def __init__(self, value: object, start: int = 0, stop: int | None = None) -> None:
        self.value = value
        self.start = start
        self.stop = stop  #: None: to the end


def row_of(value: object) -> Row | None:
    return cast("Row", value) if issubclass(type(value), Row) else None


def entries(value: object, budget: Budget) -> Iterator[Entry]:
    """One page of rows, then ranges of at most a page of pages each, a range of those, and so on."""
    row = row_of(value) or Row(value)
    kind = as_kind(row.value, budget)
    total = kind.child_count() if row.stop is None else row.stop
    names: set[str] = set()
    shown = PAGE if total is None else min(PAGE, total - row.start)
    for index, child in enumerate(islice(kind.children(row.start, shown), shown), row.start):
        child.name = distinct(child.name, index, names)
        yield _entry(child)
    start = row.start + shown
    if total is None:
        if next(iter(kind.children(start, 1)), None) is not None:
            yield _entry(Child(f"[{start}…]", Row(row.value, start), ""))
        return
    width = PAGE
    while (total - start) > width * PAGE:
        width *= PAGE
    while start < total:
        stop = min(total, start + width)
        yield _entry(Child(f"[{start}…{stop - 1}]", Row(row.value, start, stop), ""))
        start = stop


def _entry(child: Child) -> Entry:
    value, suffix = child.value, child.suffix
    if type(value) is TextRow:
        value = Text(one_line(value.text))
    elif type(value) is Property:  # not to be opened: VS Code opens at each stop what was open at the last
        value = Text("property · not read")
    elif issubclass(type(value), (Rows, Elements)):
        value = _row_class(as_kind(value, Budget(0.0)).type_name())(value)
    return (
        one_line(child.name, NAME),
        value,
        None if suffix is None else partial(reached, suffix, copied=child.copied, fixed=child.fixed),
    )


@lru_cache(256)
def _row_class(name: str) -> type[Row]:
    """A class of rows that the debugger shows under the name of a type."""
    return type(name, (Row,), {"__slots__": ()})
