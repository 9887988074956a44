"""Whole numbers that stand for categories: few different ones, each of which occurs more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...safe.guard import module
from .layout import parts
from .source import is_tensor

if TYPE_CHECKING:
    from ...safe.budget import Budget

_BLOCK = 1 << 20  #: elements counted at once
_RANGE = 1 << 10  #: the widest range of labels
_EXACT = 1 << 53  #: below which float64 has all whole numbers


def label_counts(plane: Any, most: int, budget: Budget) -> dict[int, int] | None:
    """How often each label occurs; None where it holds no labels, or there was no time to count them."""
    plane, times = _without_repetition(plane)
    rows, columns = map(int, plane.shape)
    found: dict[int, int] = {}
    for across in parts(columns, 1, _BLOCK):
        for down in parts(rows, 1, max(1, _BLOCK // (across.stop - across.start))):
            counted = _counted(plane[down.start : down.stop, across.start : across.stop])
            for label, amount in (counted or {}).items():
                found[label] = found.get(label, 0) + amount
            if counted is None or len(found) > most or budget.spent():
                return None
    return {label: times * amount for label, amount in found.items()}


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
    return {least + at: amount for at, amount in enumerate(names.bincount(numbers - least).tolist()) if amount}
