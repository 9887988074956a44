"""Arithmetic of shapes: which shapes fit together, and the shape of the result."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...safe.guard import SEQUENCES, Classes

if TYPE_CHECKING:
    Sizes = tuple[int, ...]


_TAKING = Classes(int, slice)  #: indices that take a dimension
_INDICES = Classes(int, slice, type(None), type(...))
_REDUCED = ("sum", "mean", "argmax", "argmin", "std", "var", "prod", "logsumexp")


def broadcast_conflict(a: Sizes, b: Sizes) -> int | None:
    """The first dimension from the end, as a negative number, in which two shapes do not broadcast."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return -back
    return None


def broadcast(a: Sizes, b: Sizes) -> Sizes | None:
    if broadcast_conflict(a, b) is not None:
        return None
    length = max(len(a), len(b))
    long_a, long_b = ((1,) * (length - len(sizes)) + sizes for sizes in (a, b))
    return tuple(second if first == 1 else first for first, second in zip(long_a, long_b))


def product(a: Sizes, b: Sizes) -> Sizes | None:
    """The shape of ``a @ b``; None where they do not fit."""
    if not a or not b or a[-1] != b[-2 if len(b) > 1 else -1]:
        return None
    batch = broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def subscript(sizes: Sizes, index: Any) -> Sizes | None:
    """The shape of ``x[index]`` for integers, slices, None and an ellipsis; None where it is not known."""
    items = list(index) if type(index) is tuple else [index]
    if any(type(item) not in _INDICES for item in items):
        return None
    used = sum(type(item) in _TAKING for item in items)
    if used > len(sizes):
        return None
    at = next((at for at, item in enumerate(items) if item is ...), len(items))
    items[at : at + 1] = [slice(None)] * (len(sizes) - used)
    left, found = list(sizes), []
    for item in items:
        if item is None:
            found.append(1)
            continue
        size = left.pop(0)
        if type(item) is slice:
            try:
                found.append(len(range(*item.indices(size))))
            except (TypeError, ValueError):
                return None
        elif not -size <= item < size:
            return None
    return tuple(found)


def viewed(sizes: Sizes, wanted: Sizes) -> Sizes | None:
    """What ``x.view(wanted)`` gives; None where the elements do not fit."""
    count, known = prod(sizes), prod(size for size in wanted if size != -1)
    open_places = sum(size == -1 for size in wanted)
    if open_places > 1 or any(size < -1 for size in wanted):
        return None
    if not open_places:
        return wanted if known == count else None
    if not known or count % known:
        return None
    return tuple(count // known if size == -1 else size for size in wanted)


def flattened(sizes: Sizes, start: int = 0, end: int = -1) -> Sizes | None:
    count = max(len(sizes), 1)
    if not (-count <= start < count and -count <= end < count):
        return None
    first, last = start % count, end % count
    return (*sizes[:first], prod(sizes[first : last + 1]), *sizes[last + 1 :]) if first <= last else None


def after(method: str, sizes: Sizes, arguments: list[Any]) -> Sizes | None:
    """The shape of ``x.method(*arguments)``; None where it is not known."""
    keeps = method in _REDUCED and len(arguments) > 1 and arguments[-1] is True
    arguments = arguments[:-1] if keeps else arguments
    numbers = list(arguments[0]) if len(arguments) == 1 and type(arguments[0]) in SEQUENCES else list(arguments)
    if any(type(item) is not int for item in numbers):
        return None
    if method in ("view", "reshape"):
        return viewed(sizes, tuple(numbers))
    if method == "flatten":
        return flattened(sizes, *numbers[:2])
    if (method == "t" and len(sizes) <= 2) or (method in ("T", "mT") and len(sizes) == 2):
        return sizes[::-1]
    if method == "mT" and len(sizes) > 2:
        return (*sizes[:-2], sizes[-1], sizes[-2])
    if method == "squeeze" and not numbers:
        return tuple(size for size in sizes if size != 1)
    count = len(sizes) + (method == "unsqueeze")
    if not numbers or (any(not -count <= number < count for number in numbers) and method != "repeat"):
        return None
    dims = [number % count for number in numbers] if count else numbers
    if keeps:
        return tuple(1 if at in dims else size for at, size in enumerate(sizes))
    return _after_by_dimension(method, sizes, dims, numbers)


def _after_by_dimension(method: str, sizes: Sizes, dims: list[int], numbers: list[int]) -> Sizes | None:
    if method == "transpose" and len(dims) == 2:
        found = list(sizes)
        found[dims[0]], found[dims[1]] = found[dims[1]], found[dims[0]]
        return tuple(found)
    if method == "permute" and sorted(dims) == list(range(len(sizes))):
        return tuple(sizes[dim] for dim in dims)
    if method == "unsqueeze":
        return (*sizes[: dims[0]], 1, *sizes[dims[0] :])
    if method == "squeeze":
        return tuple(size for at, size in enumerate(sizes) if at not in dims or size != 1)
    if method in _REDUCED:
        return tuple(size for at, size in enumerate(sizes) if at not in dims)
    if method == "repeat" and len(numbers) == len(sizes):
        return tuple(size * times for size, times in zip(sizes, numbers))
    return None
