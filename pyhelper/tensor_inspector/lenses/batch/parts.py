"""Finds the parts of a nested batch. What all samples of a list hold at one path is one part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from ...kinds import Child, Kind, as_kind
from ...kinds.python.containers import Container, NamedTuple, Sequence
from ...kinds.python.objects import attributes, writes_out
from ...kinds.tables.tables import Table
from ...safe.budget import Budget
from .part import DataPart
from .plain import sort_of

_PARTS = 200
_DEPTH = 12
_SAMPLES = 1000  #: items of a list, and as many more as there is time for
_MOST = 1_000_000  #: values in any time, as of a list
_LISTED = 0.1  #: of a limited time, in which these are listed
_TOLD = 0.3  #: and in which it is told whether they are samples
_ITEMS = 100_000  #: numbers or texts of one
_LEAST = 5000  #: values that are found in any time
_CHECKED = 250  #: and after how many more one looks at the clock
_FOLDED = 5  #: tensors of one shape in a list from which on they are one part
_TRIPLE = 3  #: up to as many may be the parts of one batch

_T = TypeVar("_T")
_Steps = Generator[None, None, _T]  #: work that may be left after each step, and gone on with later


class DataParts:
    """Found in their order, by `go_on`. ``left_out`` is True where more parts exist, or deeper ones, than are listed,
    ``is_late`` where that is so since there was no time: ``limit`` is all there is for finding and measuring them."""

    def __init__(self, asked: Child, *, limit: Budget | None = None, is_batch: bool = True) -> None:
        self.found: dict[str, DataPart] = {}
        self.left_out = False
        self.is_late = False
        self.lacking: dict[str, tuple[int, int]] = {}  #: in how many of how many samples a key is that some lack
        self._budget = Budget(reads=False)
        limit = Budget() if limit is None else limit
        self._all = limit.share()
        self._listing = limit.share(_LISTED)
        self._telling = limit.share(_TOLD)
        self._having: dict[str, Counter[str]] = {}  #: how many samples have each key, by what their paths begin with
        self._taken = 0
        self._is_ended = False
        self._is_batch = is_batch
        self._inside: set[int] = set()
        self._steps = self._take(asked.value, "", asked.suffix, None)

    def go_on(self, budget: Budget) -> bool:
        """Finds more while there is time. Whether all are found."""
        return not any(budget.spent() for _ in self._steps)

    def progress(self) -> float:
        """As if it held as much as is taken at most, as one can't know."""
        return self._taken / _MOST

    def _take(
        self,
        value: Any,
        path: str,
        suffix: str | None,
        samples: int | None,
        depth: int = 0,
        beside: int | None = None,
    ) -> _Steps[None]:
        """``samples`` is how many samples stand side by side where this one is of them, ``beside`` how many others
        stand in a list with it that may be samples too."""
        kind = as_kind(value, self._budget)
        is_part = isinstance(kind, Table) or _plain_sort(value) is not None
        below = None if is_part else (yield from _below(kind, self._listing))
        if below is None:
            self._add(value, path, suffix, samples, beside)
            return
        if id(value) in self._inside or depth > _DEPTH:
            self.left_out = self.left_out or depth > _DEPTH
            return
        self._inside.add(id(value))
        is_list = issubclass(type(kind), Sequence) and not issubclass(type(kind), NamedTuple)
        is_folded = False
        if is_list and samples is None:
            values, is_tuple = [child.value for child in below], issubclass(type(value), tuple)
            alike = yield from _samples_in(values, self._budget, self._telling, not path, is_tuple=is_tuple)
            below, is_folded = below[: alike or None], alike > 0
        is_cut = _length(kind) > len(below)
        self.left_out = self.left_out or is_cut
        self.is_late = self.is_late or (is_cut and len(below) < _MOST)
        if path in self._having and kind.kind == "mapping":
            self._having[path].update(child.suffix or f"[{child.name}]" for child in below)
        having = self._having.setdefault(f"{path}[i]", Counter()) if is_folded else None
        beside = _length(kind) if is_list and path and not is_folded and samples is None else None
        for at, child in enumerate(below):
            if at and self._is_over():
                below, is_cut = below[:at], True
                break
            if self._taken % _CHECKED == 0:
                yield
            step = child.suffix or _step(kind, child.name, at)
            further = "[i]" if is_folded else step
            reached = None if suffix is None or child.suffix is None else f"{suffix}{child.suffix}"
            amount = _length(kind) if is_folded else samples
            yield from self._take(child.value, f"{path}{further}", reached, amount, depth + 1, beside)
        if having is not None:
            found = ((f"{path}[i]{step}", (times, len(below))) for step, times in having.items())
            self.lacking.update((path, counts) for path, counts in found if counts[0] < counts[1])
            if is_cut:
                self._note_read(f"{path}[i]", len(below))
        self._inside.discard(id(value))

    def _is_over(self) -> bool:
        """Whether there is no time for another value; for a few there always is."""
        self._taken += 1
        if self._taken >= _MOST:
            self.left_out = self._is_ended = True
        if self._taken >= _LEAST and self._taken % _CHECKED == 0 and self._all.spent():
            self.left_out = self.is_late = self._is_ended = True
        return self._is_ended

    def _note_read(self, path: str, read: int) -> None:
        """Of a list not all samples are looked at."""
        for part in self.found.values():
            if part.path.startswith(path):
                part.read = read

    def _add(self, value: Any, path: str, suffix: str | None, samples: int | None, beside: int | None) -> None:
        part = self.found.get(path)
        if part is None:
            if len(self.found) == _PARTS:
                self.left_out = True
                return
            part = self.found[path] = DataPart(path, samples, is_batch=self._is_batch)
            part.beside = beside
        part.values.append(Child(path, value, suffix))


def _below(kind: Kind, listing: Budget) -> _Steps[list[Child] | None]:
    """What a value holds by name or number, as much as there is time to list; None of what is a part itself."""
    held = _held(kind)
    return None if held is None else (yield from _in_time(held, listing))


def _held(kind: Kind, most: int = _MOST) -> Iterable[Child] | None:
    if isinstance(kind, Container):
        return islice(kind.item_rows(0, min(kind.length(), most)), most)
    return list(attributes(kind.value)) if kind.kind == "object" and writes_out(type(kind.value)) else None


def _in_time(items: Iterable[_T], budget: Budget) -> _Steps[list[_T]]:
    """The first of them, and more while there is time."""
    found: list[_T] = []
    for at, item in enumerate(items):
        if (yield from _is_late(at, budget)):
            break
        found.append(item)
    return found


def _is_late(at: int, budget: Budget) -> _Steps[bool]:
    """Whether there is no time for the item at this place."""
    if not at or at % _CHECKED:
        return False
    yield
    return at >= _SAMPLES and budget.spent()


def _step(kind: Any, name: str, at: int) -> str:
    """How a part that no expression reaches follows what holds it: as an item of a class with code of its own."""
    if kind.kind == "mapping":
        return f"[{name}]"
    is_named = issubclass(type(kind), NamedTuple)
    is_field = at < len(kind.fields()) if is_named else not isinstance(kind, Container)
    return f".{name}" if is_field else name  # items are named in brackets


def _length(kind: Kind) -> int:
    return kind.length() if isinstance(kind, Container) else 0


def _plain_sort(value: Any) -> str | None:
    """Of a list of strings or of numbers, which stands for one part, which it is; some may be missing, as None."""
    if not issubclass(type(value), (list, tuple)):
        return None
    base: Any = list if issubclass(type(value), list) else tuple
    return sort_of(base.__getitem__(value, slice(_ITEMS)))


def _samples_in(values: list[Any], budget: Budget, telling: Budget, is_top: bool, *, is_tuple: bool) -> _Steps[int]:
    """How many stand side by side as samples do, the first ones for which there is time: all hold the same, or are of
    one sort and of several lengths. 0 where they do not. At the top, a few may as well be the parts of one batch: what
    is given and what is wanted."""
    if len(values) < 2:
        return 0
    first, may_be_parts = as_kind(values[0], budget), is_top and is_tuple

    def kinds() -> Iterator[Kind]:
        return (as_kind(value, budget) for value in values)

    if first.kind in ("tensor", "array"):
        tensors = yield from _in_time(kinds(), telling)
        if any(type(kind) is not type(first) for kind in tensors):
            return 0
        is_alike = len(tensors) >= _FOLDED or _are_ragged(tensors, may_be_parts=is_top, is_tuple=is_tuple)
        return len(tensors) if is_alike else 0
    if not may_be_parts and _plain_sort(values[0]) is not None:
        plain = yield from _in_time(zip(map(type, kinds()), map(_plain_sort, values)), telling)
        if all(sort is not None for _, sort in plain):
            return len(plain) if len(set(plain)) == 1 else 0
    names: list[list[str]] = []
    sorts: dict[str, set[str]] = {}
    for at, kind in enumerate(kinds()):
        if (yield from _is_late(at, telling)):
            break
        below = list(_held(kind, _SAMPLES) or ())
        if type(kind) is not type(first) or (not below and not names):
            return 0
        names.append([child.name for child in below])
        for child in below:
            sorts.setdefault(child.name, set()).add(as_kind(child.value, budget).kind)
    if any(len(found - {"none"}) > 1 for found in sorts.values()):
        return 0
    if first.kind != "mapping" or may_be_parts:
        return len(names) if all(one == names[0] for one in names) else 0
    most_have_most = 2 * sum(2 * len(one) >= len(sorts) for one in names) > len(names)
    return len(names) if most_have_most and set(names[0]).intersection(*names) else 0


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
