"""Pairs the rows of two holders; a row without a partner stands alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import WRAPPER_ASSIGNMENTS
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Kind, as_kind
from ...kinds.rows import Rows
from ...safe.budget import Budget
from ...safe.guard import Classes, class_name, module
from ...words.text import listed, plural
from .atoms import Tolerance
from .caches import is_cached, is_filled_in_one
from .comparison import KEPT
from .elements import ELEMENTS, Compared
from .pair import MISSING, DifferenceRecorder, Pair
from .rows import PAGE, KeyedRow, alone, in_order, matched, rows_of

if TYPE_CHECKING:
    from ...protocol import DifferenceKind
    from .names import ParameterNames

    Two = tuple[KeyedRow | None, KeyedRow | None]  #: what stands at one place of both

#: Classes of which equal values are passed over at once.
QUICK_IDS = frozenset(map(id, (int, float, bool, str, bytes, type(None))))
_LISTS = Classes(list, tuple)
#: torch's class of a hook. It repeats what is said of the function that it holds, which its copies lack.
_HOOK = "_WrappedHook"
_REPEATED = frozenset(f".{name}" for name in (*WRAPPER_ASSIGNMENTS, "__wrapped__"))
_NAMES = 60  #: characters of the names of caches
_SIDES: tuple[DifferenceKind, DifferenceKind] = ("only in a", "only in b")


class RowPairs:
    """What only one holder has is noted here; what both have is given back, as pairs to compare."""

    def __init__(self, notes: DifferenceRecorder, budget: Budget, known: ParameterNames | None = None) -> None:
        """``known`` gives the names of parameters in sight."""
        self._notes = notes
        self._budget = budget
        self._known = known or dict

    def side_by_side(self, a: Kind, b: Kind, covered: tuple[str, ...], *, by_order: bool) -> Iterator[Two]:
        """The rows of both as they stand, without the pages of two lists that are quickly seen to be equal.

        With ``by_order`` their places are their keys.
        """
        named = _by_name(a, b, self._known)
        if named is not None:
            yield from zip_longest(*named)
            if a.kind == "mapping":
                return
            covered = (*covered, "param_groups", "state")
        if not (type(a.value) is type(b.value) and type(a.value) in _LISTS):
            rows = [rows_of(side, covered, self._budget) for side in (a, b)]
            yield from zip_longest(*(map(in_order, rows) if by_order else rows))
            return
        for start in range(0, max(len(a.value), len(b.value)), PAGE):
            pages = [side.value[start : start + PAGE] for side in (a, b)]
            if not self._budget.spent() and _is_quickly_equal(*pages):
                self._notes.found.compared += len(pages[0])
            else:
                yield from zip_longest(*(map(KeyedRow.named, side.children(start, PAGE)) for side in (a, b)))

    def pairs(self, pair: Pair, a: Kind, b: Kind, rows: Iterator[Two], elements: Compared) -> Iterator[Pair]:
        """Rows of one key, wherever they stand: of what is in one order, as lists are, none has to wait for its like.

        What only one has is noted at the end, and where the order is another although all have their like.
        """
        ordered = a.ordered() and b.ordered()
        moved: tuple[str, str] | None = None
        waiting: tuple[dict[Any, KeyedRow], dict[Any, KeyedRow]] = ({}, {})
        unsure: tuple[list[KeyedRow], list[KeyedRow]] = ([], [])
        sides = pair.a, pair.b
        for two in rows:
            one, other = two
            if one is not None and other is not None:
                if one.is_like(other):
                    if self._is_cache_of_one(pair, one.child, other.child):
                        continue
                    yield self._pair_below(pair, one, other, elements.exact)
                    continue
                moved = moved or (one.child.name, other.child.name)
            for at, row in enumerate(two):
                if row is None:
                    continue
                if row.key is None:
                    unsure[at].append(row)
                elif row.key in waiting[1 - at]:
                    like = waiting[1 - at].pop(row.key)
                    if self._is_cache_of_one(pair, row.child, like.child):
                        continue
                    yield self._pair_below(pair, *((like, row) if at else (row, like)), elements.exact)
                elif two[1 - at] is None and not waiting[1 - at] and not _may_be_equal(sides[at], row.child):
                    self._alone(pair, _SIDES[at], row.child)
                else:
                    waiting[at][row.key] = row
        if ordered is None:
            self._notes.add(pair, "not compared", "not compared: the order")
        elif ordered and moved and not any(waiting):
            self._notes.add(pair, "value", f"in another order, from {moved[0]} / {moved[1]} on")
        self._take_caches(pair, waiting)
        for one, other in self._renamed(pair, waiting):
            yield self._pair_below(pair, one, other, elements.exact)
        for one, other in matched(*unsure):
            yield self._pair_below(pair, one, other, elements.exact)
        only = alone(*unsure), alone(*unsure[::-1])
        for at, side in enumerate(_SIDES):
            for row in (*waiting[at].values(), *only[at]):
                if _is_attributes(row.child):
                    yield self._beside_none(pair, row.child, at)
                else:
                    self._alone(pair, side, row.child)
        unknown = max(len(unsure[at]) - len(only[at]) for at in (0, 1))
        if unknown:
            words = plural(unknown, "item" if a.kind == "set" else "key")
            text = f"not compared: {words} that only the program's own code could tell apart"
            self._notes.add(pair, "not compared", text)

    def _take_caches(self, pair: Pair, waiting: tuple[dict[Any, KeyedRow], dict[Any, KeyedRow]]) -> None:
        """Takes out what only one has, and stores of what it works out. Where both do, either may be what was given."""
        cached = [
            [row for row in rows.values() if is_cached(side, row.child.name)]
            for rows, side in zip(waiting, (pair.a, pair.b))
        ]
        if all(cached):
            names = (listed((row.child.name for row in rows), False, _NAMES) for rows in cached)
            text = f"not compared: {' ↔ '.join(names)}, stored in one each: either can be worked out"
            self._notes.add(pair, "not compared", text)
        for at, rows in enumerate(cached):
            for row in rows:
                del waiting[at][row.key]
                if not all(cached):
                    self._note_cache(pair, row.child, at)

    def _is_cache_of_one(self, pair: Pair, child: Child, other: Child) -> bool:
        """Whether two rows are a cache that is filled in one only, which is noted."""
        if not is_filled_in_one(pair.a, child.name, child.value, other.value):
            return False
        self._note_cache(pair, other if child.value is None else child, int(child.value is None))
        return True

    def _note_cache(self, pair: Pair, child: Child, at: int) -> None:
        values = (MISSING, child.value) if at else (child.value, MISSING)
        below = Pair(pair.location.below(child.name, child.suffix), *values, pair.tolerance)
        self._notes.add(below, "cached", f"cached in one: {child.name}")

    def _beside_none(self, pair: Pair, child: Child, at: int) -> Pair:
        """The attributes that one object has beside its content, and the other's, which has none."""
        none = Rows.of("", [])
        none.owner = (pair.a, pair.b)[1 - at]
        a, b = (none, child.value) if at else (child.value, none)
        return Pair(pair.location.below(child.name, child.suffix), a, b, pair.tolerance)

    def _renamed(self, pair: Pair, waiting: tuple[dict[Any, KeyedRow], dict[Any, KeyedRow]]) -> list[Any]:
        """Takes out the rows that correspond under a renaming, which is noted."""
        if not all(waiting) or module("torch") is None:
            return []
        from .names import renamed

        found, renaming = renamed(*(list(rows.values()) for rows in waiting))
        if found:
            self._notes.add(pair, "names", renaming)
        for rows, side in zip(waiting, zip(*found)):
            for row in side:
                del rows[row.key]
        return found

    def _pair_below(self, pair: Pair, row: KeyedRow, like: KeyedRow, exact: bool) -> Pair:
        one, other = row.child, like.child
        tolerance = Tolerance() if exact and one.name not in ELEMENTS else pair.tolerance
        return Pair(pair.location.below(one.name, one.suffix, other.suffix), one.value, other.value, tolerance)

    def _alone(self, pair: Pair, side: DifferenceKind, child: Child) -> None:
        if len(self._notes.found.differences) >= KEPT:
            self._notes.found.more += 1
            return
        if child.suffix in _REPEATED and class_name(type(pair.a)) == _HOOK:
            return
        line = as_kind(child.value, self._budget).line()
        a, b = (child.value, MISSING) if side == _SIDES[0] else (MISSING, child.value)
        below = Pair(pair.location.below(child.name, child.suffix), a, b, pair.tolerance)
        self._notes.add(below, side, f"{side}: {line}")


def _may_be_equal(value: Any, child: Child) -> bool:
    """Whether a row that only one value has need not be a difference."""
    return _is_attributes(child) or is_cached(value, child.name)


def _is_attributes(child: Child) -> bool:
    """Whether it is our row of the attributes that an object has beside its content."""
    return type(child.value) is Rows and child.value.owner is not None


def _by_name(a: Kind, b: Kind, known: ParameterNames) -> tuple[list[KeyedRow], list[KeyedRow]] | None:
    """The rows of two optimizers whose parameters have names."""
    if module("torch") is None or a.kind != b.kind or a.kind not in ("object", "mapping"):
        return None
    from .optimizers import optimizer_rows

    return optimizer_rows(a, b, known)


def _is_quickly_equal(one: Any, other: Any) -> bool:
    """Whether two pages hold equal numbers and strings of exactly the built-in types."""
    types = [list(map(id, map(type, page))) for page in (one, other)]
    return types[0] == types[1] and QUICK_IDS.issuperset(types[0]) and bool(one == other)
