"""Samples along the first dimension of a tensor or array: equal ones, distinct values and their counts.

Only functions that torch and numpy have in common are used. What is too large is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from ..safe.budget import Budget
from ..safe.guard import module
from ..safe.torch_name import torch_name

FEW = 1000  #: different values up to which each is counted
_COUNTED = 1 << 20  #: elements whose values are counted
MAX_SAMPLES = 1 << 16  #: samples that are told apart
_BLOCK = 256  #: samples that are read at once
_COMPARED = 1 << 26  #: elements that are compared
_PICKED = 64  #: elements of a sample: samples in which these are equal may be equal, and are compared
_UNSIGNED = ("uint16", "uint32", "uint64")


def counts(values: Any, *, whole: bool = True) -> tuple[int, dict[Any, int]] | None:
    """How many different values there are, and how often each occurs, in their order, if they are few; without NaN.
    None of what is too large or complex, and with ``whole`` of what is not all whole numbers."""
    if not 0 < _size(values) <= _COUNTED or "complex" in str(values.dtype):
        return None
    library, flat = _library(values), _plain(values).reshape(-1)
    if _is_floating(values):
        flat = flat[flat == flat]
        if whole and not bool((flat == library.trunc(flat)).all()):
            return None
    found, times = library.unique(flat, return_counts=True)
    amount = int(found.shape[0])
    return amount, dict(zip(found.tolist(), times.tolist())) if amount <= FEW else {}


def equal_samples(values: Any, budget: Budget) -> list[int] | None:
    """For each sample the first that is equal to it; None where there was no time, or too much to compare."""
    amount = int(values.shape[0]) if len(values.shape) > 1 else 0
    if not 2 <= amount <= MAX_SAMPLES or not 0 < _size(values) <= _COMPARED:
        return None
    rows = values.reshape(amount, -1)
    width = int(rows.shape[1])
    picked = _plain(rows[:, :: max(1, width // _PICKED)][:, :_PICKED])
    first: dict[tuple[Any, ...], list[int]] = {}
    found = list(range(amount))
    for at, key in enumerate(_keys(picked)):
        alike = first.setdefault(key, [])
        for other in alike:
            if width == len(key) or are_equal(rows[at], rows[other]):
                found[at] = other
                break
        else:
            alike.append(at)
        if budget.spent():
            return None
    return found


def picked_of(values: Any) -> tuple[tuple[Any, ...], bool]:
    """Some elements of a sample, from everywhere in it: equal for equal samples; and whether these are all."""
    size = _size(values)
    step = max(1, size // _PICKED)
    picked = _plain(values.reshape(-1)[: step * _PICKED : step]).tolist()
    return tuple("NaN" if number != number else number for number in picked), len(picked) == size


def constant_columns(values: Any) -> list[int]:
    """The columns of a table in which all rows hold one value."""
    if len(values.shape) != 2 or values.shape[0] < 2 or not 0 < _size(values) <= _COMPARED:
        return []
    return [at for at, same in enumerate((values == values[:1]).all(0).tolist()) if same]


def _keys(picked: Any) -> Iterator[tuple[Any, ...]]:
    for start in range(0, int(picked.shape[0]), _BLOCK):
        for row in picked[start : start + _BLOCK].tolist():
            yield tuple("NaN" if number != number else number for number in row)


def are_equal(a: Any, b: Any) -> bool:
    """Whether all elements of two are, NaN to NaN."""
    return bool(((a == b) | ((a != a) & (b != b))).all())


def _library(values: Any) -> Any:
    numpy = module("numpy")
    is_array = numpy is not None and issubclass(type(values), numpy.ndarray)
    return numpy if is_array else module("torch")


def _size(values: Any) -> int:
    return prod(map(int, values.shape))


def _is_floating(values: Any) -> bool:
    kind = getattr(values.dtype, "kind", None)
    return bool(values.dtype.is_floating_point) if kind is None else kind == "f"


def _plain(values: Any) -> Any:
    """Elements on the CPU, of a dtype that has all operations and the same values."""
    if _library(values) is module("numpy"):
        return values
    torch: Any = module("torch")
    values = values.cpu()
    if values.dtype.is_floating_point and values.dtype is not torch.float64:
        return values.float()
    return values.long() if torch_name(values.dtype) in _UNSIGNED else values
