"""Compares sparse tensors and matrices of any layout, at the positions that either stores."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...kinds import Kind, as_kind
from ...measure.comparable import Comparable
from ...measure.stats import Unread
from ...measure.stats.block_difference import cast, flat, library
from ...measure.stats.difference import difference
from ...measure.stats.layout import blocks, index_of
from ...measure.unread import UNFIT
from ...safe.budget import Budget
from ...safe.record import Record
from .atoms import Tolerance

if TYPE_CHECKING:
    from ...measure.stats.block_difference import ValueDifference

_GATHERED = 1 << 22  #: stored values up to which they are gathered
_BLOCK = 1 << 16
#: Layouts that say the place of each value, torch's and scipy's: by coordinates, or by rows or columns.
_COORDINATES = ("sparse_coo", "coo")
_ROWS, _COLUMNS = ("sparse_csr", "csr"), ("sparse_csc", "csc")
_POINTERS, _WITHIN, _VALUES = ("crow_indices", "ccol_indices", "indptr"), ("col_indices", "row_indices"), "values"
#: Rows of a sparse value that together are its elements.
PARTS = (*_POINTERS, *_WITHIN, _VALUES, "indices", "data", "coords", "row", "col", "offsets", "rows", "_dict")


class Stored(Record):
    """Values and their places in row-major order, both in one dimension."""

    positions: Any
    values: Any

    def is_at(self, other: Stored) -> bool:
        """Whether the other's are at the same places in the same order."""
        same = len(self.positions) == len(other.positions)
        return bool(same and (self.positions == other.positions).all())


def stored(kind: Kind, side: Comparable, budget: Budget) -> Stored | Unread:
    """The non-zero elements of a value, and where; of a sparse value also the zeros that it stores."""
    try:
        return _of_parts(kind, side, budget) if side.composed else _of_dense(kind, budget)
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
        is_shard = side.composed and side.layout == "strided"
        why = "of one only this process's shard is here" if is_shard else "its places could not be worked out"
        return Unread("unlike", why)


def difference_of(
    a: Stored, b: Stored, sizes: tuple[int, ...], budget: Budget, tolerance: Tolerance
) -> ValueDifference | Unread:
    """Where they differ as elements of that shape, of which all that neither stores are zeros."""
    xp = library()
    positions, at = xp.unique(xp.hstack((a.positions, b.positions)), return_inverse=True)
    first = len(a.positions)
    one, other = (
        _scattered(values, part, len(positions)) for values, part in ((a.values, at[:first]), (b.values, at[first:]))
    )
    found: ValueDifference | Unread = difference(one, other, budget, rtol=tolerance.rtol, atol=tolerance.atol)
    if isinstance(found, Unread):
        return found
    complete = found["read"] == found["count"]
    found["count"] = prod(sizes)
    found["read"] = found["count"] if complete else found["read"]
    if found["at"] is not None:
        found["at"] = index_of(int(positions[found["at"][0]]), sizes)
    return found


def _scattered(values: Any, at: Any, length: int) -> Any:
    """The values at these positions among zeros; those of one position added up, as in a tensor not coalesced."""
    xp = library()
    if not hasattr(values, "untyped_storage"):
        found = xp.zeros(length, values.dtype)
        xp.add.at(found, at, values)
        return found
    found = values.new_zeros(length)
    if len(xp.unique(at)) == len(at):  # not all dtypes can be added
        found[at] = values
        return found
    return found.index_add_(0, at, values)


def _of_dense(kind: Kind, budget: Budget) -> Stored | Unread:
    elements = kind.elements()
    if elements is None or isinstance(elements, Unread):
        return elements or Unread("dtype", "no numbers")
    xp = library()
    positions, values, read, amount = [], [], 0, 0
    for block in blocks(elements, _BLOCK) if elements.shape else [elements]:
        if budget.spent():
            return Unread("no_time", "no time was left")
        part = flat(block)
        found = (part != 0).nonzero()
        there = found[0] if type(found) is tuple else found.reshape(-1)
        positions.append(there + read)
        values.append(part[there])
        read, amount = read + len(part), amount + len(there)
        if amount > _GATHERED:
            return Unread("too_many", "more than are gathered")
    none = flat(elements[:0] if elements.shape else elements)[:0]
    return Stored(xp.hstack([*positions, cast(none, xp.int64)]), xp.hstack([*values, none]))


def _of_parts(kind: Kind, side: Comparable, budget: Budget) -> Stored | Unread:
    form, sizes = side.layout, side.sizes
    parts = {child.name: child.value for child in kind.children(0, 100) if child.name in PARTS}
    values = as_kind(parts[_VALUES if _VALUES in parts else "data"], budget).elements()
    if isinstance(values, Unread):
        return values
    if form not in (*_COORDINATES, *_ROWS, *_COLUMNS) or values.ndim != 1:
        return Unread("layout", f"{form} layout")
    if values.shape[0] > _GATHERED:
        return Unread("too_many", "more than are gathered")
    if form in _COORDINATES:
        axes = _coordinates(parts, budget)
    else:
        axes = _compressed(parts, budget)
        axes = axes if form in _ROWS else axes[::-1]
    stored = len(axes[0])
    if len(axes) != len(sizes) or stored > values.shape[0]:
        return UNFIT
    positions = 0 * axes[0]
    for axis, size in zip(axes, sizes):
        if len(axis) != stored or (stored and not 0 <= int(axis.min()) <= int(axis.max()) < size):
            return UNFIT
        positions = positions * size + axis
    return Stored(positions, flat(values[:stored]))


def _coordinates(parts: dict[str, Any], budget: Budget) -> list[Any]:
    if "indices" in parts:
        return [_index(axis) for axis in as_kind(parts["indices"], budget).elements()]
    axes = parts["coords"] if "coords" in parts else (parts["row"], parts["col"])
    return [_index(as_kind(axis, budget).elements()) for axis in axes]


def _compressed(parts: dict[str, Any], budget: Budget) -> list[Any]:
    """The coordinates of values stored row by row, where an array holds the position at which each row ends."""
    ends, within = (
        _index(as_kind(next(parts[name] for name in names if name in parts), budget).elements())
        for names in (_POINTERS, (*_WITHIN, "indices"))
    )
    amounts = ends[1:] - ends[:-1]
    if not hasattr(ends, "untyped_storage"):
        rows = library().arange(len(amounts)).repeat(amounts)
    else:
        rows = library().arange(len(amounts), device="cpu").repeat_interleave(amounts)
    return [rows, within[: len(rows)]]


def _index(axis: Any) -> Any:
    return cast(flat(axis), library().int64)
