"""Whole numbers that stand for categories: few different ones, each of which occurs more than once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...measure.composed import is_composed
from ...safe.guard import module
from ...safe.torch_name import torch_name
from .layout import parts
from .source import is_tensor

if TYPE_CHECKING:
    from ...safe.budget import Budget

_BLOCK = 1 << 18  #: elements counted at once
_RANGE = 1 << 10  #: the widest range of labels
_EXACT = 1 << 53  #: below which float64 has all whole numbers


class LabelCounts:
    """How often each label occurs in planes: ``counts``, None where they hold no labels, or more than ``most``."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.counts: dict[int, int] | None = {}

    def steps(self, plane: Any) -> Iterator[int]:
        """Counts those of one more plane, a block a step, each of so many elements."""
        plane, times = _without_repetition(plane)
        rows, columns = map(int, plane.shape)
        for across in parts(columns, 1, _BLOCK):
            for down in parts(rows, 1, max(1, _BLOCK // (across.stop - across.start))):
                counted = _counted(plane[down.start : down.stop, across.start : across.stop])
                self._add(counted, times)
                if self.counts is None:
                    return
                yield (down.stop - down.start) * (across.stop - across.start)

    def _add(self, counted: dict[int, int] | None, times: int) -> None:
        found = self.counts or {}
        for label, amount in (counted or {}).items():
            found[label] = found.get(label, 0) + times * amount
        self.counts = None if counted is None or len(found) > self._most else found


def label_counts(plane: Any, most: int, budget: Budget) -> dict[int, int] | None:
    """How often each label occurs; None where it holds no labels, or there was no time to count them."""
    labels = LabelCounts(most)
    for _ in labels.steps(plane):
        if budget.spent():
            return None
    return labels.counts


def are_categories(counts: dict[int, int]) -> bool:
    """Whether each occurs twice on average: numbers in a row, as indices are, are no labels."""
    return 2 * len(counts) <= sum(counts.values())


def is_whole(elements: Any) -> bool:
    """Whether a tensor or array is of integers or bools."""
    if is_tensor(elements):
        return not (elements.dtype.is_floating_point or elements.dtype.is_complex)
    return str(elements.dtype.kind) in "iub"


def is_bool(elements: Any) -> bool:
    if is_tensor(elements):
        return str(elements.dtype) == "torch.bool"
    return str(elements.dtype.kind) == "b"


def sort_of(elements: Any) -> str:
    """``bool``, ``int``, ``complex``, or ``float`` for all other numbers."""
    if is_composed(elements):
        elements = elements.like()
    if is_whole(elements):
        return "bool" if is_bool(elements) else "int"
    is_complex = elements.dtype.is_complex if is_tensor(elements) else elements.dtype.kind == "c"
    return "complex" if is_complex else "float"


def _without_repetition(plane: Any) -> tuple[Any, int]:
    """An expanded plane with each element once, and how often each stands in it."""
    times = 1
    for dim, step in enumerate(plane.stride() if is_tensor(plane) else plane.strides):
        if step == 0:
            times *= max(1, int(plane.shape[dim]))
            plane = plane[:1] if dim == 0 else plane[:, :1]
    return plane, times


def _counted(block: Any) -> dict[int, int] | None:
    """How often each number occurs; None where they are too far apart."""
    names = module("torch" if is_tensor(block) else "numpy")
    if not is_tensor(block) and block.dtype.kind == "u" and int(block.max()) >= _EXACT:
        return None
    numbers = (block.to(names.int64) if is_tensor(block) else block.astype(names.int64)).reshape(-1)
    least, most = int(numbers.min()), int(numbers.max())
    if most - least >= _RANGE or max(-least, most) >= _EXACT:
        return None
    if least < 0 and torch_name(block.dtype) == "uint64":  # of torch's: they are beyond int64
        return None
    return {least + at: amount for at, amount in enumerate(names.bincount(numbers - least).tolist()) if amount}
