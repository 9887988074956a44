"""Numbers in nested lists: their sizes, planes of them, and tiles of these, by Python alone."""

from __future__ import annotations

from math import hypot, inf, isfinite, isinf, nan
from typing import TYPE_CHECKING, Any

from ...safe.guard import Classes, class_name, each, module, mro
from ...safe.record import Record
from .layout import Layout
from .tiles import FINITE, NAN, NEG_INF, POS_INF, Tiles

if TYPE_CHECKING:
    from .tiles import How

_DEEPEST = 32  #: dimensions
_NUMBERS = Classes(int, float, bool, complex)
_EXACT = 1 << 53  #: below which float64 has all whole numbers
_LARGEST = 1.7976931348623157e308  #: float


class NestedLists(Record):
    """Numbers in lists in lists, ``dtype`` is the name of their class. ``shape`` is that of the first of each list.

    ``of`` is what is made of them.
    """

    value: Any
    dtype: str
    shape: tuple[int, ...]
    of: str


class Listed(Record):
    """A plane of Python numbers, row by row."""

    rows: list[list[Any]]
    shape: tuple[int, int]


def nested(value: Any, dtype: str, of: str) -> NestedLists:
    """The array that nested lists are, by the first of each. Raises ``ValueError`` where they are too deep."""
    shape: list[int] = []
    inner = value
    while _is_list(inner):
        items = _items(inner)
        shape.append(len(items))
        if len(shape) > _DEEPEST:
            raise ValueError(f"a {of} is of lists up to {_DEEPEST} deep")
        inner = items[0] if items else None
    return NestedLists(value, dtype, tuple(shape), of)


def plane_of(array: NestedLists, down: int | None, across: int, index: dict[int, int]) -> Listed:
    """The numbers along two dimensions; with ``down`` None along one, as one row.

    Raises ``ValueError`` where the lists are not of equal lengths, ``TypeError`` where they hold no numbers.
    """
    rows: list[list[Any]] = [[] for _ in range(1 if down is None else array.shape[down])]
    _add_numbers(_Along(array.shape, down, across, index, array.of), rows, array.value, 0, 0)
    return Listed(rows, (len(rows), array.shape[across]))


class _Along(Record):
    """The dimensions of a plane, and the places in the others."""

    shape: tuple[int, ...]
    down: int | None
    across: int
    index: dict[int, int]
    of: str


def _add_numbers(along: _Along, rows: list[list[Any]], value: Any, dimension: int, row: int) -> None:
    """Adds the numbers below ``value`` to their rows, in the order of the columns."""
    if dimension == len(along.shape):
        rows[row].append(_number(value, along.of))
        return
    items = _items(value) if _is_list(value) else []
    if len(items) != along.shape[dimension]:
        raise ValueError(f"a {along.of} is of lists of equal lengths: these are not")
    if dimension == along.across == len(along.shape) - 1:
        rows[row] += items if _NUMBERS.include(map(type, items)) else [_number(item, along.of) for item in items]
    elif dimension in (along.down, along.across):
        for at, item in enumerate(items):
            _add_numbers(along, rows, item, dimension + 1, at if dimension == along.down else row)
    else:
        _add_numbers(along, rows, items[along.index[dimension]], dimension + 1, row)


def strided(plane: Listed, steps: tuple[int, int]) -> Listed:
    """Every few of its rows and columns."""
    if steps == (1, 1):
        return plane
    rows = [row[:: steps[1]] for row in plane.rows[:: steps[0]]]
    return Listed(rows, (len(rows), len(rows[0])))


def tiles_of(plane: Listed, layout: Layout, how: How) -> Tiles:
    """What is in each tile, as `reduction.tiles_of` tells it of tensors and arrays."""
    high, wide = layout.tile
    values: list[float] = []
    highs: list[float] = []
    marks = bytearray()
    found = Tiles(layout.tiles, values, highs, b"")
    for top in range(0, plane.shape[0], high):
        band = [list(map(_real, row)) for row in plane.rows[top : top + high]]
        for left in range(0, plane.shape[1], wide):
            items = [item for row in band for item in row[left : left + wide]]
            finite = items if len(items) == 1 and isfinite(items[0]) else list(filter(isfinite, items))
            marks.append(FINITE if len(finite) == len(items) else _count(found, items))
            if finite:
                found.least, found.most = min(found.least, *finite), max(found.most, *finite)
            values.append(_shown(items[0], finite, how))
            if how == "range":
                highs.append(max(finite) if finite else nan)
            found.read += len(items)
    found.marks = bytes(marks)
    return found


def first_of_tiles(plane: Listed, layout: Layout) -> list[list[complex]]:
    """The first number of each tile, as complex ones."""
    return [list(map(complex, row)) for row in strided(plane, layout.tile).rows]


def label_counts(plane: Listed, most: int) -> dict[int, int] | None:
    """How often each whole number occurs; None where there are other numbers, or more than ``most`` different ones."""
    found: dict[int, int] = {}
    for item in (item for row in plane.rows for item in row):
        if type(item) is float or type(item) is complex:
            return None
        if abs(int(item)) >= _EXACT:
            return None
        found[int(item)] = found.get(int(item), 0) + 1
        if len(found) > most:
            return None
    return found


def sort_of(plane: Listed) -> str:
    """``bool``, ``int``, ``float`` or ``complex``: the least that all of its numbers are."""
    sorts = {type(item) for row in plane.rows for item in row}
    return next(sort.__name__ for sort in (complex, float, int, bool) if sort in sorts)


def _shown(first: float, finite: list[float], how: How) -> float:
    if how == "nearest":
        return first if isfinite(first) else nan
    if not finite:
        return nan
    if how == "mean":
        return finite[0] if len(finite) == 1 else sum(item / len(finite) for item in finite)
    return max(finite) if how == "max" else min(finite)


def _count(found: Tiles, items: list[float]) -> int:
    """Counts what is not finite, and returns the marks of the tile."""
    nans, above, below = sum(item != item for item in items), items.count(inf), items.count(-inf)
    found.nan, found.pos_inf, found.neg_inf = found.nan + nans, found.pos_inf + above, found.neg_inf + below
    return (NAN if nans else 0) + (POS_INF if above else 0) + (NEG_INF if below else 0)


def _is_list(value: object) -> bool:
    return issubclass(type(value), (list, tuple))


def _items(value: Any) -> list[Any]:
    iterate: Any = list.__iter__ if issubclass(type(value), list) else tuple.__iter__
    return list(each(iterate, value))


def _number(value: Any, of: str) -> Any:
    """A number of Python's own, also of numpy's scalars. Raises ``TypeError`` for anything else."""
    cls = type(value)
    if cls in _NUMBERS:
        return value
    numpy = module("numpy")
    if numpy is not None and any(base is numpy.number or base is numpy.bool_ for base in mro(cls)):
        value = numpy.generic.__dict__["item"](value)
    elif issubclass(cls, complex):
        return complex(complex.real.__get__(value), complex.imag.__get__(value))
    else:
        value = float.__float__(value) if issubclass(cls, float) else value
        value = int.__int__(value) if issubclass(cls, int) else value
    if type(value) not in _NUMBERS:
        raise TypeError(f"a {of} is of lists of numbers, not of {class_name(cls)}")
    return value


def _real(item: Any) -> float:
    """A number as a float, a complex one as its magnitude; beyond the floats, the largest of them."""
    if type(item) is complex:
        if item != item:
            return nan
        if isinf(item.real) or isinf(item.imag):
            return inf
        return min(hypot(item.real, item.imag), _LARGEST)
    try:
        return float(item)
    except OverflowError:
        return _LARGEST if item > 0 else -_LARGEST
