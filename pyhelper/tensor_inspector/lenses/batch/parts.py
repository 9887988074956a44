"""The parts of a batch: what a nested value holds at each path. What a list of samples holds alike is one part."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ...kinds import Child, Kind, as_kind
from ...kinds.python.containers import Container, NamedTuple, Sequence
from ...kinds.python.objects import attributes, writes_out
from ...kinds.tables.tables import Table
from ...safe.budget import Budget
from ...safe.guard import Classes
from .part import DataPart

_PARTS = 200
_DEPTH = 12
_SAMPLES = 1000  #: items of a list
_ITEMS = 100_000  #: numbers or texts of one
_NUMBERS = Classes(int, float, bool)
_FOLDED = 5  #: tensors of one shape in a list that are told as one


class DataParts:
    """Found in their order. ``left_out`` tells whether there are more than are told, or deeper ones."""

    def __init__(self, asked: Child, budget: Budget, *, is_batch: bool = True) -> None:
        self.found: dict[str, DataPart] = {}
        self.left_out = False
        self._budget = budget
        self._is_batch = is_batch
        self._inside: set[int] = set()
        self._take(asked.value, "", asked.suffix, None)

    def _take(self, value: Any, path: str, suffix: str | None, samples: int | None, depth: int = 0) -> None:
        """``samples`` is how many samples stand side by side where this one is of them."""
        kind = as_kind(value, self._budget)
        below = None if isinstance(kind, Table) else _below(kind)
        if below is None or _is_plain_list(value):
            self._add(value, path, suffix, samples)
            return
        if id(value) in self._inside or depth > _DEPTH:
            self.left_out = self.left_out or depth > _DEPTH
            return
        self.left_out = self.left_out or _length(kind) > len(below)
        self._inside.add(id(value))
        is_list = issubclass(type(kind), Sequence) and not issubclass(type(kind), NamedTuple)
        is_folded = is_list and samples is None and _are_samples([child.value for child in below], self._budget)
        for child in below:
            step = child.suffix or (child.name if child.name.startswith("[") else f".{child.name}")
            further = "[i]" if is_folded else step
            reached = None if suffix is None or child.suffix is None else f"{suffix}{child.suffix}"
            amount = _length(kind) if is_folded else samples
            self._take(child.value, f"{path}{further}", reached, amount, depth + 1)
        self._inside.discard(id(value))

    def _add(self, value: Any, path: str, suffix: str | None, samples: int | None) -> None:
        part = self.found.get(path)
        if part is None:
            if len(self.found) == _PARTS:
                self.left_out = True
                return
            part = self.found[path] = DataPart(path, samples, is_batch=self._is_batch)
        part.values.append(Child(path, value, suffix))


def _below(kind: Kind) -> list[Child] | None:
    """What a value holds by name or number; None of what is a part itself."""
    if isinstance(kind, Container):
        return list(islice(kind.item_rows(0, _SAMPLES), _SAMPLES))
    if kind.kind == "object" and (writes_out(type(kind.value))):
        return list(attributes(kind.value))
    return None


def _length(kind: Kind) -> int:
    return kind.length() if isinstance(kind, Container) else 0


def _is_plain_list(value: Any) -> bool:
    """Whether it is a list of strings or of numbers, which stands for one part."""
    if not issubclass(type(value), (list, tuple)):
        return False
    base: Any = list if issubclass(type(value), list) else tuple
    items = base.__getitem__(value, slice(_ITEMS))
    return bool(items) and (all(type(item) is str for item in items) or all(type(item) in _NUMBERS for item in items))


def _are_samples(values: list[Any], budget: Budget) -> bool:
    """Whether these stand side by side as samples do: all hold the same, or are tensors of one dtype and rank."""
    if len(values) < 2:
        return False
    kinds = [as_kind(value, budget) for value in values]
    if any(type(kind) is not type(kinds[0]) for kind in kinds):
        return False
    if kinds[0].kind in ("tensor", "array"):
        shapes = [_sizes(kind) for kind in kinds]
        if any(shape is None or len(shape) != len(shapes[0] or ()) for shape in shapes):
            return False
        return len(values) >= _FOLDED or (len(set(map(str, shapes))) > 1 and _differ_first(shapes))
    names = []
    for kind in kinds:
        below = _below(kind)
        if below is None:
            return False
        names.append([child.name for child in below])
    return bool(names[0]) and all(one == names[0] for one in names)


def _differ_first(shapes: list[Any]) -> bool:
    """Whether there are as many samples as tensors, and not a few tensors of as many samples."""
    return len(shapes) > 2 and len({shape[0] for shape in shapes if shape}) > 1


def _sizes(kind: Kind) -> list[Any] | None:
    shape = kind.facts().get("shape")
    return None if shape is None else list(shape)
