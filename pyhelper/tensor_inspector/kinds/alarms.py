"""NaN and Inf in what a container or an object holds: its row is loud as theirs are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ..protocol import Badge
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
_OTHER_ATOMS = Classes(int, bool, str, bytes, type(None))
_BUILT_IN = Classes(list, tuple, dict)
_PLAIN_IDS = frozenset(map(id, (int, bool, str, bytes, type(None))))
_SUMMED_IDS = frozenset(map(id, (int, bool, float, complex)))
_ATOM_IDS = _PLAIN_IDS | _SUMMED_IDS
_SEARCHED = ("array", "module", "number")  #: kinds that are asked one by one
_PLACEHOLDERS = ("missing", "fill")  #: in the names of attributes that say what stands for no value
#: Classes for which an infinite value is a usual one: a bound that nothing is beyond.
_BOUNDS = ("torch.distributions.constraints.Constraint",)


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


class Contained:
    """A value, and the way to it: the holder that it is in, and what it is under there."""

    __slots__ = ("above", "holder", "under", "value")

    def __init__(self, above: Contained | None, holder: Kind, under: object, value: object) -> None:
        self.above = above
        self.holder = holder
        self.under = under
        self.value = value

    def name(self) -> str:
        last, above = self.holder.entry_name(self.under), "" if self.above is None else self.above.name()
        return f"{above}{last}" if not above or last[:1] in ("[", "{") else f"{above}.{last}"


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
    for contained in walk:
        try:
            search.add(contained)
        except Exception:
            continue
    search.together()
    return Alarms(search.names("nan"), search.names("inf"), search.late or walk.cut)


class _AlarmSearch:
    """Values in their order, and which of them hold NaN, and Inf."""

    def __init__(self, budget: Budget) -> None:
        self.late = False
        self._budget = budget
        self._all: list[Contained] = []
        self._found: dict[str, dict[int, str]] = {"nan": {}, "inf": {}}  #: what follows the name of each
        self._alike: dict[Any, list[tuple[str, Any]]] = {}

    def add(self, contained: Contained) -> None:
        value, at = contained.value, len(self._all)
        if type(value) in _NUMBERS:
            self._note(contained, [] if _is_placeholder(contained) else ["nan"])
            return
        kind: type[Kind] = kind_of(type(value))
        if kind.search is not None:
            self._alike.setdefault(kind.search, []).append((str(at), value))
            self._all.append(contained)
        elif kind.kind in _SEARCHED:
            if self._budget.spent():
                self.late = True
                return
            badges = as_kind(value, self._budget).badges()
            self.late = self.late or "sampled" in badges
            self._note(contained, badges)

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
        return [self._all[at].name() + part for at, part in sorted(self._found[what].items())]

    def _note(self, contained: Contained, badges: Iterable[str]) -> None:
        for what in badges:
            if what in self._found:
                self._found[what][len(self._all)] = ""
        self._all.append(contained)


class _AlarmWalk:
    """What is held, and what holders among it hold in turn, without what can't be NaN."""

    def __init__(self, holder: Kind, entries: Iterable[tuple[object, object]], budget: Budget) -> None:
        self.cut = False  #: whether there is more than was gone through
        self._budget = budget
        self._left = _MOST
        self._opened = {id(holder.value)}
        self._waiting: list[tuple[int, Contained | None, Kind, Iterable[tuple[object, object]]]] = [
            (0, None, holder, entries)
        ]

    def __iter__(self) -> Iterator[Contained]:
        for depth, above, kind, entries in self._waiting:  # which grows
            if self._is_plain(kind.value):
                continue
            for under, value in self._items(entries):
                if not self._left:
                    self.cut = True
                    return
                self._left -= 1
                contained = Contained(above, kind, under, value)
                if depth == _DEPTH or not self._open(depth, contained):
                    yield contained

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
                cls = type(value)
                if cls in _OTHER_ATOMS:
                    continue
                could_be = True
                if cls not in _NUMBERS or value != value:
                    yield under, value
        except Exception:
            return

    def _open(self, depth: int, contained: Contained) -> bool:
        """Whether it holds others, which then come in their turn."""
        value = contained.value
        inner = None if id(value) in self._opened else _opened(value, self._budget)
        if inner is None:
            return False
        self._opened.add(id(value))
        self._waiting.append((depth + 1, contained, *inner))
        return True


def _classes_of(items: Iterable[object]) -> set[int]:
    """The ids of the classes of the first items: of most containers one, which is told twice as fast."""
    first = type(next(iter(items), None))
    if all(type(item) is first for item in islice(items, _ITEMS)):
        return {id(first)}
    return set(map(id, map(type, islice(items, _ITEMS))))


def _opened(value: object, budget: Budget) -> tuple[Kind, Iterable[tuple[object, object]]] | None:
    """A holder and what is in it; None of what is none, and of what can't be looked at, as its own row says."""
    kind: type[Kind] = kind_of(type(value))
    if not kind.contains or kind.rank < 2 or type(value) in _NUMBERS:
        return None
    try:
        holder = as_kind(value, budget)
        entries = holder.entries()
    except Exception:
        return None
    return None if entries is None else (holder, entries)


def _is_placeholder(contained: Contained) -> bool:
    return type(contained.under) is str and any(word in contained.under for word in _PLACEHOLDERS)


def _few(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


_is_bound = ByClass(lambda cls: any(full_name(base) in _BOUNDS for base in mro(cls)))
