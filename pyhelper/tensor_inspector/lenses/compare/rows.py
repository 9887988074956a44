"""Gives each row a key by which it is paired: its name; in dicts and sets, what the key or the item is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, repeat, zip_longest
from typing import Any, Callable

from ...kinds import COMPUTED, Child, Kind, Rows, as_kind
from ...kinds.python.containers import Set
from ...kinds.python.mappings import Mapping
from ...kinds.tables.tables import Table
from ...safe.budget import Budget
from ...safe.guard import dict_get, instance_dict
from ...words.text import distinct
from .identity import token_of

PAGE = 1000  #: rows of one value that are asked for at once
_NO_KEY = object()
_NAN = ...  #: stands for NaN as a label: NaN objects of two tables differ


class KeyedRow:
    """A row and what it is found by in the other value: its name, or the token of its key."""

    __slots__ = ("child", "content", "item", "key")

    def __init__(self, child: Child, key: Any, item: Any = _NO_KEY, content: Any = None) -> None:
        self.child = child
        self.key = key  #: None where only code of the program could compare it
        self.item = item  #: the key or item itself
        self.content = content  #: what such a key holds, where that is known

    @classmethod
    def named(cls, child: Child) -> KeyedRow:
        return cls(child, child.name)

    def is_like(self, other: KeyedRow) -> bool:
        if self.key is None and other.key is None:
            return self.item is other.item
        return bool(self.key == other.key)


def holds(kind: Kind) -> bool:
    """Whether there is something below a value."""
    return kind.kind == "module" or (kind.kind != "property" and kind.child_count() != 0)


def rows_of(kind: Kind, covered: tuple[str, ...], budget: Budget) -> Iterator[KeyedRow]:
    """The rows below a value, without those shown already. Properties are not read."""
    known = kind.rows_without({*covered, *kind.repeating})
    if known is not None:
        yield from (KeyedRow.named(child) for child in known if not _is_computed(child))
        return
    if not holds(kind):
        return
    if kind.kind == "module":
        yield KeyedRow.named(Child("training", dict_get(instance_dict(kind.value), "training"), ".training"))
    total = kind.child_count()
    page = total if total and kind.kind in ("mapping", "set") else PAGE  # these start each page from their beginning
    keys, names = iter(_keys(kind)), set[str]()
    again = Counter[Any]() if isinstance(kind, Table) else None  # labels of columns may be repeated
    start = met = 0
    while start == met and (total is None or met < total):
        for child in kind.children(start, page):
            met += 1
            key = next(keys, _NO_KEY)
            if key is not _NO_KEY:
                if kind.kind == "set":
                    child.name = f"‹{as_kind(child.value, budget).line()}›"
                elif child.suffix is None:
                    child.name = distinct(child.name, met - 1, names)
                yield _keyed(child, key, again)
            elif not _is_computed(child) and child.name not in kind.repeating and child.name not in covered:
                yield KeyedRow.named(child)
        start += page


def unlisted(a: Kind, b: Kind) -> Iterator[tuple[KeyedRow | None, KeyedRow | None]]:
    """What the rows of two values of one kind leave out, side by side."""
    if type(a) is not type(b):
        return iter(())
    return zip_longest(map(KeyedRow.named, a.unlisted()), map(KeyedRow.named, b.unlisted()))


def in_order(rows: Iterator[KeyedRow]) -> Iterator[KeyedRow]:
    """The rows, each with its place as its key."""
    for place, row in enumerate(rows):
        row.key = place
        yield row


def _is_computed(child: Child) -> bool:
    """Whether it is our row of properties; an attribute of the program may be called so too."""
    return child.name == COMPUTED and type(child.value) is Rows


def matched(left: list[KeyedRow], right: list[KeyedRow]) -> Iterator[tuple[KeyedRow, KeyedRow]]:
    """Takes out of both what has one key all the same: the same object, or what alone on its side holds the same."""
    ways: tuple[Callable[[KeyedRow], Any], ...] = (lambda row: id(row.item), lambda row: row.content)
    for way in ways:
        mine, others = _single(left, way), _single(right, way)
        found = [(row, others[known]) for known, row in mine.items() if known in others]
        taken = {id(row) for row in chain.from_iterable(found)}
        for side in (left, right):
            side[:] = [row for row in side if id(row) not in taken]
        yield from found


def alone(rows: list[KeyedRow], others: list[KeyedRow]) -> list[KeyedRow]:
    """Those whose key is none of the others' for sure: all of its class are known to hold something else."""
    contents_of: dict[int, set[Any]] = {}
    for other in others:
        contents_of.setdefault(id(type(other.item)), set()).add(other.content)

    def is_alone(row: KeyedRow) -> bool:
        contents = contents_of.get(id(type(row.item)), set())
        return not contents or not (row.content is None or None in contents or row.content in contents)

    return [row for row in rows if is_alone(row)]


def _keys(kind: Kind) -> Iterable[Any]:
    """The keys of the rows, one by one, as far as there are any."""
    if isinstance(kind, Mapping):
        return (key for key, _ in kind.pairs())
    if isinstance(kind, Table):
        columns = kind.size()[1]
        labels = (_NAN if type(label) is float and label != label else label for label in kind.labels(0, columns))
        return chain(repeat(_NO_KEY, (kind.child_count() or 0) - columns), labels)
    return kind.items() if isinstance(kind, Set) else ()


def _keyed(child: Child, key: Any, again: Counter[Any] | None) -> KeyedRow:
    token = token_of(key)
    if token is None or not token.exact:
        return KeyedRow(child, None, key, None if token is None else token.key)
    if again is None:
        return KeyedRow(child, token.key, key)
    again[token.key] += 1
    return KeyedRow(child, (token.key, again[token.key]), key)


def _single(rows: list[KeyedRow], way: Callable[[KeyedRow], Any]) -> dict[Any, KeyedRow]:
    """What occurs once."""
    times = Counter[Any]()
    for row in rows:  # filled at once, it would ask built-in functions that the program may have replaced
        times[way(row)] += 1
    return {way(row): row for row in rows if way(row) is not None and times[way(row)] == 1}
