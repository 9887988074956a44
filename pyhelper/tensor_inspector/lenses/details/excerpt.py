"""Which of a value is shown: two dimensions or one, where in the others, and along which of them side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ...safe.record import Record
from ..picture.plane import Where, plane, within

if TYPE_CHECKING:
    from .wishes import Wishes

MOST_PLANES = 64
_DIMS, _FACETS = 2, 2


class Excerpt(Record):
    """``dims`` are those of rows and columns, or of columns alone; ``index`` has the places in dimensions ``others``.
    ``window`` is the first row, the row behind the last, the first column, the column behind the last."""

    shape: tuple[int, ...]
    dims: list[int]
    facets: list[int]
    others: list[int]
    index: list[int]
    window: list[int]

    def rows(self) -> int:
        return self.window[1] - self.window[0]

    def columns(self) -> int:
        return self.window[3] - self.window[2]

    def amount(self) -> int:
        """How many planes there are, side by side."""
        return prod(self.shape[dim] for dim in self.facets)

    def at(self) -> Iterator[list[int]]:
        """The places of the planes that are shown, in the dimensions of the facets."""
        sizes = [self.shape[dim] for dim in self.facets]
        for number in range(min(MOST_PLANES, self.amount())):  # `product` would list all of each dimension first
            places: list[int] = []
            for size in reversed(sizes):
                number, place = divmod(number, size)
                places.insert(0, place)
            yield places

    def plane(self, elements: Any, at: Sequence[int] = ()) -> Any:
        """A view of the window; what has one dimension is one row."""
        index = {**dict(zip(self.others, self.index)), **dict(zip(self.facets, at))}
        seen = plane(elements, Where(self.dims[0] if len(self.dims) > 1 else None, self.dims[-1], index))
        return seen[self.window[0] : self.window[1], self.window[2] : self.window[3]]


def excerpt_of(shape: Sequence[int], wishes: Wishes, what: str) -> Excerpt:
    """Where that is in a value of a shape. Raises ``ValueError`` with a sentence where it is nowhere."""
    amount = len(shape)
    if not amount:
        raise ValueError(f"a {what} is of one dimension or two: this has none")
    if 0 in shape:
        raise ValueError(f"a {what} is of elements: shape {list(shape)} has none")
    dims = (
        list(range(max(0, amount - _DIMS), amount)) if wishes.dims is None else _dimensions("dims", wishes.dims, amount)
    )
    if not 1 <= len(dims) <= _DIMS:
        raise ValueError(f"dims are one dimension or two, not {len(dims)}")
    facets = _dimensions("facets", wishes.facets, amount)
    if len(facets) > _FACETS:
        raise ValueError(f"facets are two dimensions at most, not {len(facets)}")
    twice = [dim for dim in dims if dim in facets]
    if twice:
        raise ValueError(f"dimension {twice[0]} is both of a {what} and of its facets")
    others = [at for at in range(amount) if at not in dims and at not in facets]
    index = [0] * len(others) if wishes.index is None else wishes.index
    if len(index) != len(others):
        raise ValueError(f"index has an integer for each of {len(others)} other dimensions, not {len(index)}")
    places = [
        within("index", at, shape[dim], f"dimension {dim}, of size {shape[dim]}") for dim, at in zip(others, index)
    ]
    sizes = 1 if len(dims) == 1 else shape[dims[0]], shape[dims[-1]]
    return Excerpt(tuple(shape), dims, facets, others, places, window_of(wishes.window, *sizes))


def _dimensions(name: str, asked: Sequence[int], amount: int) -> list[int]:
    found = [within(name, at, amount, f"{amount} dimensions") for at in asked]
    twice = [dim for at, dim in enumerate(found) if dim in found[:at]]
    if twice:
        raise ValueError(f"{name} are different dimensions, not {twice[0]} twice")
    return found


def window_of(asked: Sequence[int] | None, rows: int, columns: int) -> list[int]:
    """First row, row behind the last, first column, column behind the last.

    Raises ``ValueError`` where that is nowhere.
    """
    if asked is None:
        return [0, rows, 0, columns]
    if len(asked) != 4:
        raise ValueError(f"window has four numbers, not {len(asked)}")
    top, bottom, left, right = asked
    for name, start, stop, size in (("rows", top, bottom, rows), ("columns", left, right, columns)):
        if not 0 <= start < stop <= size:
            raise ValueError(f"window has {name} {start} to {stop} of {size}: there are none")
    return list(asked)
