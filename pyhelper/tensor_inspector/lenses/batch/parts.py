"""Finds the parts of a nested batch. What all samples of a list hold at one path is one part."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

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
_LISTED = 0.1  #: of the time, in which these are listed
_ITEMS = 100_000  #: numbers or texts of one
_LEAST = 5000  #: values that are found in any time
_CHECKED = 250  #: and after how many more one looks at the clock
_FOLDED = 5  #: tensors of one shape in a list from which on they are one part
_TRIPLE = 3  #: up to as many may be the parts of one batch


class DataParts:
    """Found in their order. ``left_out`` is True where more parts exist, or deeper ones, than are listed."""

    def __init__(self, asked: Child, budget: Budget, *, is_batch: bool = True) -> None:
        self.found: dict[str, DataPart] = {}
        self.left_out = False
        self.lacking: dict[str, tuple[int, int]] = {}  #: in how many of how many samples a key is that some lack
        self._budget = Budget(reads=False)
        self._all = budget.share()
        self._listing = budget.share(_LISTED)
        self._taken = 0
        self._is_cut = False
        self._is_batch = is_batch
        self._inside: set[int] = set()
        self._take(asked.value, "", asked.suffix, None)

    def _take(
        self,
        value: Any,
        path: str,
        suffix: str | None,
        samples: int | None,
        depth: int = 0,
        beside: int | None = None,
    ) -> None:
        """``samples`` is how many samples stand side by side where this one is of them, ``beside`` how many others
        stand in a list with it that may be samples too."""
        kind = as_kind(value, self._budget)
        below = None if isinstance(kind, Table) else _below(kind, self._listing)
        if below is None or _is_plain_list(value):
            self._add(value, path, suffix, samples, beside)
            return
        if id(value) in self._inside or depth > _DEPTH:
            self.left_out = self.left_out or depth > _DEPTH
            return
        is_cut = _length(kind) > len(below)
        self.left_out = self.left_out or is_cut
        self._inside.add(id(value))
        is_list = issubclass(type(kind), Sequence) and not issubclass(type(kind), NamedTuple)
        values = [child.value for child in below]
        is_tuple = issubclass(type(value), tuple)
        is_folded = is_list and samples is None and _are_samples(values, self._budget, not path, is_tuple=is_tuple)
        if is_folded:
            self._note_lacking(f"{path}[i]", values)
        beside = _length(kind) if is_list and path and not is_folded and samples is None else None
        for at, child in enumerate(below):
            if at and self._is_over():
                below, is_cut = below[:at], True
                break
            step = child.suffix or _step(kind, child.name, at)
            further = "[i]" if is_folded else step
            reached = None if suffix is None or child.suffix is None else f"{suffix}{child.suffix}"
            amount = _length(kind) if is_folded else samples
            self._take(child.value, f"{path}{further}", reached, amount, depth + 1, beside)
        if is_folded and is_cut:
            self._note_read(f"{path}[i]", len(below))
        self._inside.discard(id(value))

    def _is_over(self) -> bool:
        """Whether there is no time for another value; for a few there always is."""
        self._taken += 1
        if self._taken >= _LEAST and self._taken % _CHECKED == 0 and self._all.spent():
            self.left_out = self._is_cut = True
        return self._is_cut

    def _note_lacking(self, path: str, values: list[Any]) -> None:
        kinds = [as_kind(value, self._budget) for value in values]
        if kinds[0].kind == "mapping":
            steps = [child.suffix or f"[{child.name}]" for kind in kinds for child in _below(kind, self._listing) or ()]
            counted = Counter(steps)
            self.lacking.update(
                (path + step, (times, len(kinds))) for step, times in counted.items() if times < len(kinds)
            )

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


def _below(kind: Kind, listing: Budget) -> list[Child] | None:
    """What a value holds by name or number, as much as there is time to list; None of what is a part itself."""
    if isinstance(kind, Container):
        rows = iter(kind.item_rows(0, kind.length()))
        found = list(islice(rows, _SAMPLES))
        while len(found) % _SAMPLES == 0 and not listing.spent():
            page = list(islice(rows, _SAMPLES))
            if not page:
                break
            found += page
        return found
    if kind.kind == "object" and (writes_out(type(kind.value))):
        return list(attributes(kind.value))
    return None


def _step(kind: Any, name: str, at: int) -> str:
    """How a part that no expression reaches follows what holds it: as an item of a class with code of its own."""
    if kind.kind == "mapping":
        return f"[{name}]"
    is_named = issubclass(type(kind), NamedTuple)
    is_field = at < len(kind.fields()) if is_named else not isinstance(kind, Container)
    return f".{name}" if is_field else name  # items are named in brackets


def _length(kind: Kind) -> int:
    return kind.length() if isinstance(kind, Container) else 0


def _is_plain_list(value: Any) -> bool:
    """Whether it is a list of strings or of numbers, which stands for one part; some may be missing, as None."""
    if not issubclass(type(value), (list, tuple)):
        return False
    base: Any = list if issubclass(type(value), list) else tuple
    return sort_of(base.__getitem__(value, slice(_ITEMS))) is not None


def _are_samples(values: list[Any], budget: Budget, is_top: bool, *, is_tuple: bool) -> bool:
    """Whether these stand side by side as samples do: all hold the same, or are of one sort and of several lengths. At
    the top, a few may as well be the parts of one batch: what is given and what is wanted."""
    if len(values) < 2:
        return False
    kinds = [as_kind(value, budget) for value in values]
    if any(type(kind) is not type(kinds[0]) for kind in kinds):
        return False
    if kinds[0].kind in ("tensor", "array"):
        return len(values) >= _FOLDED or _are_ragged(kinds, may_be_parts=is_top, is_tuple=is_tuple)
    if not (is_top and is_tuple) and all(map(_is_plain_list, values)):
        return len({sort_of(value) for value in values}) == 1
    children = [_below(kind, Budget(0)) for kind in kinds]
    if children[0] is None or not children[0]:
        return False
    sorts: dict[str, set[str]] = {}
    for child in (child for below in children for child in below or ()):
        sorts.setdefault(child.name, set()).add(as_kind(child.value, budget).kind)
    if any(len(found - {"none"}) > 1 for found in sorts.values()):
        return False
    names = [[child.name for child in below or ()] for below in children]
    if kinds[0].kind != "mapping" or (is_top and is_tuple):
        return all(one == names[0] for one in names)
    most_have_most = 2 * sum(2 * len(one) >= len(sorts) for one in names) > len(names)
    return bool(set(names[0]).intersection(*names)) and most_have_most


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
