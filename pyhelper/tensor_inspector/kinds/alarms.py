"""NaN and Inf in what a container or an object holds: its row is loud as theirs are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Optional

from ..safe.budget import Budget
from ..safe.guard import ByClass, Classes, full_name, mro
from ..words.line import Word
from .kind import Kind
from .registry import as_kind, kind_of

_ITEMS = 1 << 16  #: gone through of one holder
_FIRST = 8  #: that are asked whether the rest may be plain
_CHECKED = 64  #: of them between two looks at the clock
_MOST = 1000  #: looked at in all that are more than a plain number or text
_DEPTH = 3  #: of holders in holders
_NAMED = 2  #: names in a line
_NUMBERS = Classes(float, complex)
_BUILT_IN = Classes(list, tuple, dict)
_PLAIN_IDS = frozenset(map(id, (int, bool, str, bytes, type(None))))
_NUMBER_IDS = frozenset(map(id, (float, complex)))
_SUMMED_IDS = frozenset(map(id, (int, bool))) | _NUMBER_IDS
_ATOM_IDS = _PLAIN_IDS | _SUMMED_IDS
_SEARCHED = ("array", "module", "number")  #: kinds that are asked one by one
_PLACEHOLDERS = ("missing", "fill")  #: in the names of attributes that say what stands for no value
#: Classes for which an infinite value is a usual one: a bound that nothing is beyond.
_BOUNDS = ("torch.distributions.constraints.Constraint",)


if TYPE_CHECKING:
    from ..protocol import Badge

    #: To a value: the way to the holder that it is in, None for that of the first; the holder; what it is under there.
    Way = tuple[Optional["Way"], Kind, object]


class Alarms:
    """Names of what holds NaN and of what holds Inf, in their order; ``late`` where there was no time to read all."""

    __slots__ = ("inf", "late", "nan")

    def __init__(self, nan: Iterable[str] = (), inf: Iterable[str] = (), late: bool = False) -> None:
        self.nan = tuple(nan)
        self.inf = tuple(inf)
        self.late = late

    def words(self) -> list[str]:
        found = (("NaN", self.nan), ("Inf", self.inf))
        words: list[str] = [Word(f"{what} in {_few(names)}", loud=True) for what, names in found if names]
        return [*words, Word("not all values read", loud=True)] if self.late else words

    def badges(self) -> list[Badge]:
        found: list[tuple[Badge, object]] = [("nan", self.nan), ("inf", self.inf), ("sampled", self.late)]
        return [badge for badge, is_so in found if is_so]


def alarms_in(holder: Kind, entries: Iterable[tuple[object, object]]) -> Alarms:
    """What is among the ``entries`` of ``holder``, and in those, of NaN and Inf, as far as a share of the time goes.

    An infinite number of Python's is none: programs begin a search with one, as the best loss so far. Missing values of
    tables are none either. What can't be read adds nothing: its own row says why.
    """
    if not holder.budget.reads or _is_bound(type(holder.value)):
        return Alarms()
    budget = holder.budget.share()
    search = _AlarmSearch(budget)
    walk = _AlarmWalk(holder, entries, budget)
    for met in walk:
        try:
            search.add(*met)
        except Exception:
            continue
    search.together()
    return Alarms(search.names("nan"), search.names("inf"), search.late or walk.cut)


class _AlarmSearch:
    """Values in their order, and which of them hold NaN, and Inf."""

    def __init__(self, budget: Budget) -> None:
        self.late = False
        self._budget = budget
        self._all: list[Way] = []
        self._found: dict[str, dict[int, str]] = {"nan": {}, "inf": {}}  #: what follows the name of each
        self._alike: dict[Any, list[tuple[str, Any]]] = {}

    def add(self, way: Way, value: Any, kind: type[Kind]) -> None:
        if kind.search is not None:
            self._alike.setdefault(kind.search, []).append((str(len(self._all)), value))
            self._all.append(way)
        elif type(value) in _NUMBERS:
            self._note(way, [] if _is_placeholder(way[2]) else ["nan"])
        elif kind.kind in _SEARCHED:
            if self._budget.spent():
                self.late = True
                return
            badges = as_kind(value, self._budget).badges()
            self.late = self.late or "sampled" in badges
            self._note(way, badges)

    def together(self) -> None:
        for search, alike in self._alike.items():
            try:
                found = search(alike, self._budget)
            except Exception:
                continue
            self.late = self.late or (found.late and not found.is_whole())
            for what, names in (("nan", found.nan), ("inf", found.inf)):
                for at, dot, part in (name.partition(".") for name in names):
                    self._found[what].setdefault(int(at), dot + part)

    def names(self, what: str) -> list[str]:
        return [_name(self._all[at]) + part for at, part in sorted(self._found[what].items())]

    def _note(self, way: Way, badges: Iterable[str]) -> None:
        for what in badges:
            if what in self._found:
                self._found[what][len(self._all)] = ""
        self._all.append(way)


class _AlarmWalk:
    """What is held, and what holders among it hold in turn, without what can't be NaN: the way to it, it, its kind."""

    def __init__(self, holder: Kind, entries: Iterable[tuple[object, object]], budget: Budget) -> None:
        self.cut = False  #: whether there is more than was gone through
        self._budget = budget
        self._left = _MOST
        self._opened = {id(holder.value)}
        self._waiting: list[tuple[int, Way | None, Kind, Iterable[tuple[object, object]]]] = [
            (0, None, holder, entries)
        ]

    def __iter__(self) -> Iterator[tuple[Way, Any, type[Kind]]]:
        for depth, above, holder, entries in self._waiting:  # which grows
            if self._is_plain(holder.value):
                continue
            last: Any = None
            for under, value in self._items(entries):
                if not self._left:
                    self.cut = True
                    return
                self._left -= 1
                if type(value) is not last:  # most are like the one before
                    last = type(value)
                    kind: type[Kind] = kind_of(last)
                    may_hold = depth < _DEPTH and kind.contains and kind.rank >= 2 and last not in _NUMBERS
                way = (above, holder, under)
                if not (may_hold and self._open(depth, way, value)):
                    yield way, value, kind

    def _is_plain(self, value: Any) -> bool:
        """Whether a list, tuple or dict holds only plain numbers and texts, none of them NaN.

        Told without a loop of Python's, since these are the long ones.
        """
        if type(value) not in _BUILT_IN:
            return False
        items = value.values() if type(value) is dict else value
        try:
            if not set(map(id, map(type, islice(items, _FIRST)))) <= _ATOM_IDS:
                return False
            classes = _classes_of(items)
            if classes <= _PLAIN_IDS:
                return True
            total: Any = sum(islice(items, _ITEMS)) if classes <= _SUMMED_IDS else math.nan
        except (OverflowError, RuntimeError):  # of an int beyond floats, and where another thread changes it
            return False
        if total != total:  # also of infinities that cancel out
            return False
        self.cut = self.cut or len(items) > _ITEMS
        return True

    def _items(self, entries: Iterable[tuple[object, object]]) -> Iterator[tuple[object, object]]:
        """What a holder gives that can be NaN, up to what its own class refuses, and to the end of its turn."""
        could_be = False
        try:
            for number, (under, value) in enumerate(entries):
                if number % _CHECKED == 0 and (number == _ITEMS or self._budget.spent()):
                    self.cut = self.cut or could_be or number < _ITEMS
                    return
                cls = id(type(value))
                if cls in _PLAIN_IDS:
                    continue
                could_be = True
                if cls not in _NUMBER_IDS or value != value:
                    yield under, value
        except Exception:
            return

    def _open(self, depth: int, way: Way, value: Any) -> bool:
        """Whether it holds others, which then come in their turn. Of what can't be looked at its own row says why."""
        if id(value) in self._opened:
            return False
        try:
            holder = as_kind(value, self._budget)
            entries = holder.entries()
        except Exception:
            return False
        if entries is None:
            return False
        self._opened.add(id(value))
        self._waiting.append((depth + 1, way, holder, entries))
        return True


def _classes_of(items: Iterable[object]) -> set[int]:
    """The ids of the classes of the first items: of most containers one, which is told twice as fast."""
    first = type(next(iter(items), None))
    if all(type(item) is first for item in islice(items, _ITEMS)):
        return {id(first)}
    return set(map(id, map(type, islice(items, _ITEMS))))


def _name(way: Way) -> str:
    above, holder, under = way
    before, last = "" if above is None else _name(above), holder.entry_name(under)
    return f"{before}{last}" if not before or last[:1] in ("[", "{") else f"{before}.{last}"


def _is_placeholder(under: object) -> bool:
    return type(under) is str and any(word in under for word in _PLACEHOLDERS)


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


_is_bound = ByClass(lambda cls: any(full_name(base) in _BOUNDS for base in mro(cls)))
