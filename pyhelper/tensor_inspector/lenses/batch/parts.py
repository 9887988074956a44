"""Finds the parts of a nested batch. What all samples of a list hold at one path is one part."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

from ...kinds import Child, Kind, as_kind
from ...kinds.python.containers import Container, NamedTuple, Sequence
from ...kinds.python.objects import PlainObject, attributes, writes_out
from ...kinds.tables.tables import Table
from ...safe.budget import Budget
from .held import held_by, opaque_items
from .listed_part import ListedPart
from .part import DataPart
from .plain import sort_of

_PARTS = 200
_DEPTH = 12
_MOST = 15_000  #: values, also those that hold others: what is found and measured within about a second
_LEAST = 5000  #: and in any time
_FINDING = 0.4  #: of a limited time; the rest is for measuring
_CHECKED = 25  #: after how many more one looks at the clock
_PAGE = 250  #: values that are listed at once
_SAMPLES = 1000  #: items of a list by which it is told whether they are samples
_NAMES = 5000  #: or fewer, once these have so many names
_ITEMS = 100_000  #: numbers or texts of one
_FOLDED = 5  #: tensors of one shape in a list from which on they are one part
_TRIPLE = 3  #: up to as many may be the parts of one batch


class _OpenValue:
    """A value that holds others, and how many of them were taken. ``samples`` is how many samples stand side by side
    where its values are of them; ``beside`` how many others stand in a list with each that may be samples too."""

    __slots__ = ("_page", "beside", "is_folded", "kind", "length", "path", "samples", "suffix", "taken")

    def __init__(self, kind: Kind, path: str, suffix: str | None, samples: int | None, *, is_folded: bool) -> None:
        self.kind = kind
        self.path = path
        self.suffix = suffix
        self.is_folded = is_folded  #: it is the list of the samples
        self._page: list[Child] = [] if isinstance(kind, Container) else list(attributes(kind.value))
        self.length = kind.length() if isinstance(kind, Container) else len(self._page)
        self.samples = self.length if is_folded else samples
        is_beside = _is_list(kind) and path and not is_folded and samples is None
        self.beside = self.length if is_beside else None
        self.taken = 0

    def is_sample(self) -> bool:
        """Whether it is a sample, or in one."""
        return self.samples is not None and not self.is_folded

    def next(self) -> Child | None:
        """The next of them, None once all were taken. Pages are listed as they are needed."""
        at = self.taken
        if isinstance(self.kind, Container):
            at %= _PAGE
            self._page = self._page if at else _held(self.kind, self.taken, _PAGE)
        if at >= len(self._page):
            self.length = self.taken  # or has become shorter
            return None
        self.taken += 1
        return self._page[at]


class DataParts:
    """Found in their order, by `go_on`. ``left_out`` is True where more parts exist, or deeper ones, than are listed,
    ``is_late`` where that is so since there was no time: ``limit`` is all there is for finding and measuring them."""

    def __init__(self, asked: Child, *, limit: Budget | None = None, is_batch: bool = True) -> None:
        self.found: dict[str, DataPart] = {}
        self.left_out = False
        self.is_late = False
        self.lacking: dict[str, tuple[int, int]] = {}  #: in how many of how many samples a key is that some lack
        self._budget = Budget(reads=False)
        self._limit = Budget() if limit is None else limit.share(_FINDING)
        self._having: dict[str, Counter[str]] = {}  #: how many samples have each key, by what their paths begin with
        self._taken = 0
        self._looks_at = _LEAST  #: the clock, once so many were taken
        self._is_batch = is_batch
        self._inside: set[int] = set()
        self._open: list[_OpenValue] = []  #: each holds the next one
        self._take(asked.value, "", asked.suffix, None, None)

    def go_on(self, budget: Budget) -> bool:
        """Finds more while there is time. Whether all are found."""
        while self._open:
            self._step()
            if self._taken % _CHECKED == 0 and budget.spent():
                return False
        return True

    def progress(self) -> float:
        """As if it held as much as is taken at most, as one can't know."""
        return self._taken / _MOST

    def _step(self) -> None:
        holder = self._open[-1]
        if holder.taken == holder.length:
            self._close()
            return
        if holder.taken and self._is_over(holder):
            if holder.is_sample():
                self._having.clear()  # of the sample that is cut off here
            while self._open:
                self._close()
            return
        child = holder.next()
        if child is None:
            return
        if holder.path in self._having and holder.kind.kind == "mapping":
            self._having[holder.path][child.suffix or f"[{child.name}]"] += 1
        step = child.suffix or _step_to(holder.kind, child.name, holder.taken - 1)
        path = f"{holder.path}[i]" if holder.is_folded else f"{holder.path}{step}"
        reached = None if holder.suffix is None or child.suffix is None else f"{holder.suffix}{child.suffix}"
        self._take(child.value, path, reached, holder.samples, holder.beside)

    def _take(self, value: Any, path: str, suffix: str | None, samples: int | None, beside: int | None) -> None:
        """Opens a value that holds others; what holds none is of a part."""
        self._taken += 1
        value, suffix = held_by(value, suffix)
        kind = as_kind(value, self._budget)
        is_sample = bool(self._open) and self._open[-1].is_folded
        is_holder = _holds(kind) or (not path and kind.kind == "object") or (is_sample and _has_attributes(kind))
        is_whole = isinstance(kind, Table) or opaque_items(kind) is not None
        if is_whole or _plain_sort(value, _ITEMS) is not None or not is_holder:
            self._add(value, path, suffix, samples, beside)
            return
        is_deep = len(self._open) > _DEPTH
        self.left_out = self.left_out or is_deep
        if is_deep or id(value) in self._inside:
            return
        is_folded = samples is None and _is_list(kind) and _are_samples(kind, self._budget, is_top=not path)
        if is_folded:
            self._having.setdefault(f"{path}[i]", Counter())
        self._inside.add(id(value))
        self._open.append(_OpenValue(kind, path, suffix, samples, is_folded=is_folded))

    def _close(self) -> None:
        """The last one that is open: all that it holds was taken, or there is no more time."""
        holder = self._open.pop()
        self._inside.discard(id(holder.kind.value))
        is_cut = holder.taken < holder.length
        self.left_out = self.left_out or is_cut
        if not holder.is_folded:
            return
        begin = f"{holder.path}[i]"
        found = ((f"{begin}{step}", (times, holder.taken)) for step, times in self._having.get(begin, {}).items())
        self.lacking.update((path, counts) for path, counts in found if counts[0] < counts[1])
        for part in self.found.values() if is_cut else ():
            if part.path.startswith(begin):
                part.read = holder.taken

    def _is_over(self, holder: _OpenValue) -> bool:
        """Whether there is no time for another value; for a few there always is, and only a huge sample is cut."""
        if holder.is_sample():
            return self._taken >= 2 * _MOST
        if self._taken >= self._looks_at:
            self._looks_at = self._taken + _CHECKED
            self.is_late = self._limit.spent()
        return self.is_late or self._taken >= _MOST

    def _add(self, value: Any, path: str, suffix: str | None, samples: int | None, beside: int | None) -> None:
        part = self.found.get(path)
        if part is None:
            if len(self.found) == _PARTS:
                self.left_out = True
                return
            is_batch = self._is_batch
            listed = None if samples is None else ListedPart(path, samples, is_batch=is_batch)
            part = self.found[path] = listed or DataPart(path, is_batch=is_batch)
            part.beside = beside
        part.values.append(Child(path, value, suffix))
        if samples is not None:
            part.numbers.append(next(one.taken - 1 for one in self._open if one.is_folded))


def _holds(kind: Kind) -> bool:
    """Whether it holds others by name or number; else it is a part itself."""
    return isinstance(kind, Container) or (kind.kind == "object" and writes_out(type(kind.value)))


def _has_attributes(kind: Kind) -> bool:
    """Whether its attributes are all that it has: what the program makes its samples of."""
    return _holds(kind) or isinstance(kind, PlainObject)


def _held(kind: Kind, start: int, count: int) -> list[Child]:
    if isinstance(kind, Container):
        return list(islice(kind.item_rows(start, min(count, kind.length() - start)), count))
    return list(attributes(kind.value)) if _has_attributes(kind) else []


def _is_list(kind: Kind) -> bool:
    return issubclass(type(kind), Sequence) and not issubclass(type(kind), NamedTuple)


def _step_to(kind: Any, name: str, at: int) -> str:
    """How a part that no expression reaches follows what holds it: as an item of a class with code of its own."""
    if kind.kind == "mapping":
        return f"[{name}]"
    is_named = issubclass(type(kind), NamedTuple)
    is_field = at < len(kind.fields()) if is_named else not isinstance(kind, Container)
    return f".{name}" if is_field else name  # items are named in brackets


def _plain_sort(value: Any, items: int = _SAMPLES) -> str | None:
    """Whether a list has strings or numbers alone, as one part has; an item may be None. None for other values."""
    if not issubclass(type(value), (list, tuple)):
        return None
    base: Any = list if issubclass(type(value), list) else tuple
    return sort_of(base.__getitem__(value, slice(items)))


def _are_samples(kind: Kind, budget: Budget, *, is_top: bool) -> bool:
    """Whether its first items stand side by side as samples do: all hold the same, or are of one sort and of several
    lengths. At the top, a few may as well be the parts of one batch: what is given and what is wanted."""
    values = [held_by(child.value, None)[0] for child in _held(kind, 0, _SAMPLES)]
    if len(values) < 2:
        return False
    is_tuple = issubclass(type(kind.value), tuple)
    first, may_be_parts = as_kind(values[0], budget), is_top and is_tuple
    if first.kind in ("tensor", "array"):
        tensors = [as_kind(value, budget) for value in values]
        is_one_sort = all(type(one) is type(first) for one in tensors)
        return is_one_sort and (len(tensors) >= _FOLDED or _are_ragged(tensors, may_be_parts=is_top, is_tuple=is_tuple))
    if not may_be_parts and _plain_sort(values[0]) is not None:
        plain = {(type(as_kind(value, budget)), _plain_sort(value)) for value in values}
        if all(sort is not None for _, sort in plain):
            return len(plain) == 1
    names: list[list[str]] = []
    sorts: dict[str, set[str]] = {}
    named = 0
    for value in values:
        one = as_kind(value, budget)
        below = _held(one, 0, _SAMPLES)
        if type(one) is not type(first) or (not below and not names):
            return False
        names.append([child.name for child in below])
        for child in below:
            sorts.setdefault(child.name, set()).add(as_kind(child.value, budget).kind)
        named += len(below)
        if named >= _NAMES and len(names) > 1:
            break
    if any(len(found - {"none"}) > 1 for found in sorts.values()):
        return False
    if first.kind != "mapping" or may_be_parts:
        return all(one == names[0] for one in names)
    most_have_most = 2 * sum(2 * len(one) >= len(sorts) for one in names) > len(names)
    return most_have_most and bool(set(names[0]).intersection(*names))


def _are_ragged(kinds: list[Kind], *, may_be_parts: bool, is_tuple: bool) -> bool:
    """Whether tensors of one dtype and rank differ in how long they are, as texts and boxes do: none is a batch. Two or
    three that may be the parts of one are told from samples by their rank: texts have one dimension."""
    facts = [kind.facts() for kind in kinds]
    shapes = [one.get("shape") or [] for one in facts]
    is_one_sort = len({one.get("dtype") for one in facts}) == 1 and len({len(shape) for shape in shapes}) == 1
    lengths = {shape[0] for shape in shapes if shape}
    if not is_one_sort or len(lengths) < 2:
        return False
    are_texts = len(shapes[0]) == 1
    if may_be_parts and len(kinds) < _TRIPLE:
        return are_texts and not is_tuple
    return are_texts or not (may_be_parts and len(kinds) == _TRIPLE) or len(lengths) == _TRIPLE
