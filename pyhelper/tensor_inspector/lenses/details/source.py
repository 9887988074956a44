"""The elements of a value, also of nested lists, as a tensor or an array."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

from ...safe.guard import module
from ..picture.listed import NestedLists, plane_of
from ..picture.source import elements_of, is_tensor

if TYPE_CHECKING:
    from ...safe.budget import Budget

_MOST = 1 << 18  #: numbers in lists, each of which is an object: they are read at once
_DTYPES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
_LARGEST = 1 << 63


def readable(value: Any, of: str, budget: Budget) -> Any:
    """A ``torch.Tensor`` or ``numpy.ndarray``. Raises ``TypeError`` and ``ValueError`` with a sentence."""
    found = elements_of(value, budget, of)
    return _as_array(found, of) if type(found) is NestedLists else found


def readable_in_parts(value: Any, of: str, budget: Budget) -> Any:
    """The same, or `ComposedElements` of masked and quantized ones."""
    found = elements_of(value, budget, of, composed=True)
    return _as_array(found, of) if type(found) is NestedLists else found


def names_of_dimensions(value: Any) -> list[str | None] | None:
    """Those of a tensor of torch, where it has any."""
    if not is_tensor(value):
        return None
    from ...measure.torch.metadata import names_of  # which needs torch

    names = list(names_of(value) or ())  # torch 2.13 has none any more
    return names if any(names) else None


def gradient_of(value: Any) -> Any:
    """The gradient of a tensor of torch; None where it has none."""
    if not is_tensor(value):
        return None
    from ...measure.torch.metadata import grad_of  # which needs torch

    return grad_of(value)


def _as_array(lists: NestedLists, of: str) -> Any:
    """Nested lists as an array of numpy's, or a tensor where the program has only torch."""
    library: Any = module("numpy") or module("torch")
    if library is None:
        raise ValueError(f"a {of} of lists is made with numpy or torch, of which the program has imported none")
    if prod(lists.shape) > _MOST:
        raise ValueError(f"a {of} is of lists of up to {_MOST:,} numbers")
    if not lists.shape or 0 in lists.shape:
        raise ValueError(f"a {of} is of elements: shape {list(lists.shape)} has none")
    numbers = list(_numbers(lists))
    sort = next(sort for sort in (complex, float, int, bool) if sort in {type(number) for number in numbers})
    if sort in (float, int) and any(type(number) is int and not -_LARGEST <= number < _LARGEST for number in numbers):
        raise ValueError(f"no {of} of these lists: they hold integers beyond 64 bits")
    make = library.array if hasattr(library, "ndarray") else library.tensor
    on: dict[str, Any] = {} if hasattr(library, "ndarray") else {"device": "cpu"}
    return make(numbers, dtype=getattr(library, _DTYPES[sort]), **on).reshape(lists.shape)


def _numbers(lists: NestedLists) -> Iterator[Any]:
    """All numbers, in row-major order."""
    amount = len(lists.shape)
    if amount == 1:
        yield from plane_of(lists, None, 0, {}).rows[0]
        return
    for number in range(prod(lists.shape[:-2])):
        index = {}
        for dim in reversed(range(amount - 2)):
            number, index[dim] = divmod(number, lists.shape[dim])
        for row in plane_of(lists, amount - 2, amount - 1, index).rows:
            yield from row
