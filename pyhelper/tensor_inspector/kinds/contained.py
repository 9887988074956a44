"""Walks through the values in containers and objects, and through the values in those."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ..measure.intended import are_edges
from ..safe.budget import Budget
from ..safe.guard import Classes
from .kind import Kind
from .registry import as_kind, kind_of

_ITEMS = 1 << 16  #: values visited in one holder
_FIRST = 8  #: values checked before all are: most other containers fail here
_CHECKED = 64  #: values between two looks at the clock
_MOST = 1000  #: values visited in all, without plain numbers and texts
_DEPTH = 3  #: levels of holders in holders
_INSIDE = 0.25  #: the share of the time that it may take to open objects of libraries
_DEEP = 6  #: levels down to which they are opened
_NUMBERS = Classes(float, complex)
_BUILT_IN = Classes(list, tuple, dict)
_PLAIN_IDS = frozenset(map(id, (int, bool, str, bytes, type(None))))
_NUMBER_IDS = frozenset(map(id, (float, complex)))
_SUMMED_IDS = frozenset(map(id, (int, bool))) | _NUMBER_IDS
_ATOM_IDS = _PLAIN_IDS | _SUMMED_IDS

if TYPE_CHECKING:
    #: The values in a holder, each with its key.
    Entries = Iterable[tuple[object, object]]
    #: The way to a value: the way to its holder (None for the outermost one), the holder, and its key there.
    Way = tuple[Optional["Way"], Kind, object]


class Holding(NamedTuple):
    """A holder that is walked through: how deep it stands, the way to it, what it holds."""

    depth: int
    above: Way | None
    holder: Kind
    entries: Entries
    inside: bool = False  #: an object of a library, or in one


class ContainedRun:
    """Neighbouring values of one class in a ``holder``, with their keys ``under`` it; ``above`` leads to the holder.
    They are ``inside`` where an object of a library keeps them, which no container shows as its items."""

    __slots__ = ("above", "cls", "holder", "inside", "kind", "under", "values")

    def __init__(self, place: Holding, cls: type, under: list[object], values: list[Any]) -> None:
        self.above = place.above
        self.holder = place.holder
        self.inside = place.inside
        self.cls = cls
        self.kind: type[Kind] = kind_of(cls)
        self.under = under
        self.values = values

    def ways(self) -> Iterator[Way]:
        return zip(repeat(self.above), repeat(self.holder), self.under)


class ContainedValues:
    """``runs`` of all values in a holder, then of those in the holders among them, and so on. Plain texts and numbers
    are left out, except NaN and infinite ones.

    The first objects of libraries among them are opened too, a little way: what is left out there is no cut.
    """

    def __init__(self, holder: Kind, entries: Entries, budget: Budget) -> None:
        self.cut = False  #: whether some values were not visited
        self._budget = budget
        self._inside = budget.share(_INSIDE)
        self._left = {False: _MOST, True: _MOST}  #: values, and those inside of objects
        self._opened = {id(holder.value)}
        self._waiting = [Holding(0, None, holder, entries)]
        self.runs = list(self._walk())

    def _walk(self) -> Iterator[ContainedRun]:
        for place in self._waiting:  # which grows
            if self._is_plain(place):
                continue
            for cls, under, values in self._alike(place):
                left = self._left[place.inside]
                is_too_much = len(values) > left
                if is_too_much:
                    self._note_cut(place)
                    del under[left:], values[left:]
                self._left[place.inside] -= len(values)
                run = ContainedRun(place, cls, under, values)
                if run.kind.contains and run.kind.rank >= 2 and cls not in _NUMBERS:
                    self._open_each(run, place)
                if run.values:
                    yield run
                if is_too_much:
                    break

    def _note_cut(self, place: Holding) -> None:
        self.cut = self.cut or not place.inside

    def _is_plain(self, place: Holding) -> bool:
        """Whether a list, tuple or dict holds only plain numbers and texts, none of them NaN, nor infinite by mistake.

        What it does for each item is as little as can be, since such containers can be long.
        """
        value: Any = place.holder.value
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
        is_finite = total - total == 0  # infinities may cancel out
        if not is_finite and (type(value) is dict or not (_is_repeated(value) or are_edges(value))):
            return False
        if len(items) > _ITEMS:
            self._note_cut(place)
        return True

    def _alike(self, place: Holding) -> Iterator[tuple[type, list[object], list[Any]]]:
        """Neighbours of one class that can be or hold NaN or Inf, until the holder raises or a limit is reached."""
        could_be, number, rest = False, 0, iter(place.entries)
        while True:
            some: list[tuple[object, Any]] = []
            try:
                some.extend(islice(rest, _CHECKED))
            except Exception:
                rest = iter(())
            if some and (number == _ITEMS or self._budget.spent()):
                if could_be or number < _ITEMS:
                    self._note_cut(place)
                return
            number += len(some)
            for cls, alike in _by_class(some):
                if id(cls) in _PLAIN_IDS:
                    continue
                could_be = True
                if id(cls) in _NUMBER_IDS:
                    alike = [(under, value) for under, value in alike if value - value != 0]
                if alike:
                    under, values = zip(*alike)
                    yield cls, list(under), list(values)
            if len(some) < _CHECKED:
                return

    def _open_each(self, run: ContainedRun, place: Holding) -> None:
        """Moves the values that hold others from the run to the waiting holders."""
        shut = [at for at, (way, value) in enumerate(zip(run.ways(), run.values)) if not self._open(place, way, value)]
        run.under, run.values = [run.under[at] for at in shut], [run.values[at] for at in shut]

    def _open(self, place: Holding, way: Way, value: Any) -> bool:
        """Whether a value holds others, which are then walked through later. One that can't be read is skipped: its own
        row says why."""
        if place.depth >= _DEEP or id(value) in self._opened:
            return False
        try:
            holder = as_kind(value, self._budget)
            found = self._entries_of(holder, place)
        except Exception:
            return False
        if found is None:
            return False
        entries, inside = found
        self._opened.add(id(value))
        self._waiting.append(Holding(place.depth + 1, way, holder, entries, inside))
        return True

    def _entries_of(self, holder: Kind, place: Holding) -> tuple[Entries, bool] | None:
        """What a value holds that stands in another, and whether that is inside of an object; None where it is not
        walked through."""
        entries = holder.entries() if place.inside or place.depth < _DEPTH else None
        if entries is not None:
            return entries, place.inside
        is_open = self._left[True] and not self._inside.spent()
        entries = holder.inner_entries() if is_open else None
        return None if entries is None else (entries, True)


def _is_repeated(numbers: Sequence[Any]) -> bool:
    """Whether they are several, all of them the same number: many a search begins so."""
    return len(numbers) > 1 and all(number == numbers[0] for number in islice(numbers, _ITEMS))


def _by_class(entries: list[tuple[object, Any]]) -> Iterator[tuple[type, list[tuple[object, Any]]]]:
    """Groups neighbours of one class; most often all are of one."""
    classes = [type(value) for _, value in entries]
    if len(set(map(id, classes))) == 1:
        yield classes[0], entries
        return
    start = 0
    while start < len(entries):
        cls = classes[start]
        stop = next((at for at in range(start, len(entries)) if classes[at] is not cls), len(entries))
        yield cls, entries[start:stop]
        start = stop


def _classes_of(items: Iterable[object]) -> set[int]:
    """The ids of the classes of the first items. Most containers have one: that is found three times as fast."""
    first = type(next(iter(items), None))
    for item in islice(items, _ITEMS):
        if type(item) is not first:
            return set(map(id, map(type, islice(items, _ITEMS))))
    return {id(first)}
