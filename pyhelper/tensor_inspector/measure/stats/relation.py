"""How two tensors or arrays that differ are related: transposed, broadcast, reshaped, scaled, rounded.

Each relation is tried on a sample first, then proved on all elements. Where there are more than are copied, the sample
decides, and the answer says how many elements that was.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, permutations
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from ...safe.torch_name import torch_name
from ..unread import Unread
from .affine import affine
from .block_difference import flat, library
from .difference import PartialDifference, closeness, difference

if TYPE_CHECKING:
    from ...protocol import Relation

_SAMPLED = 512  #: elements sampled where there are too many, and
_LIKELY = 64  #: of what is proved
_INDICES = 4  #: of a dimension that are looked at
_STRIDE = 2_654_435_761  #: a prime: places that it steps to lie everywhere
_COPIED = 1 << 22  #: elements of what has to be copied to be proved
_PERMUTED = 120  #: orders of dimensions that are tried
_EXACT = 1e-12  #: relative tolerance for integers in float64
_LEAST, _DISTINCT = 4, 3  #: elements, and values among them, without which two of one shape are alike by chance


class _Way(Record):
    """One thing that may have been done to ``a``: after it, both have one shape, or as many elements in one order."""

    relation: Relation
    a: Any
    b: Any
    flipped: int | None = None  #: the dimension of ``a`` that is still to be turned
    dtype: Any = None  #: what both are still to be rounded to

    def sample(self, most: int) -> tuple[Any, Any]:
        """Some elements of both that are one if all are, without a copy of the rest."""
        most = min(most, math.prod(self.b.shape))
        return self._rounded(_sample(self.a, most, self.flipped)), self._rounded(_sample(self.b, most))

    def whole(self) -> tuple[Any, Any] | None:
        """Both in one shape; None where too much would have to be copied for it."""
        a = self.a if self.flipped is None else _flipped(self.a, self.flipped)
        return _alike(self._rounded(a), self._rounded(self.b))

    def _rounded(self, value: Any) -> Any:
        return value if self.dtype is None else _as(value, self.dtype)


class Related:
    """The search for how ``a`` and ``b`` are one, in several goes if need be. Both are plain and hold elements."""

    def __init__(self, a: Any, b: Any, *, apart: bool = True) -> None:
        """Without ``apart`` they differ by no more than rounding: it is only asked whether that made all of it."""
        self._a, self._b = a, b
        self._apart = apart
        self._ways = _ways(a, b) if apart else _rounded(a, b)
        self._way: _Way | None = None  #: that is being proved
        self._partial = PartialDifference()
        self.found: Relation | None = None

    def go_on(self, budget: Budget) -> bool:
        """Search until it is known, or the time is over. Whether it is known."""
        while True:
            if self._way is None:
                self._way = next(self._ways, None)
                if self._way is None:
                    self.found = self._affine() if self._apart else None
                    return True
                if not self._is_likely(self._way):
                    self._way = None
                    continue
                self._partial = PartialDifference()
            holds = self._proved(self._way, budget)
            if holds is None:
                return False
            if holds:
                self.found = self._way.relation
                return True
            self._way = None
            if budget.spent():
                return False

    def _is_likely(self, way: _Way) -> bool:
        if way.dtype is None and self._is_one_shape() and not self._is_telling:
            return False
        one, other = way.sample(_LIKELY)
        return _outcome(one, other, difference(one, other, Budget())) is not None

    def _proved(self, way: _Way, budget: Budget) -> bool | None:
        """Whether the relation holds; None where the time ended."""
        sides = way.whole()
        if sides is None:
            one, other = way.sample(_SAMPLED)
            outcome = _outcome(one, other, difference(one, other, Budget()))
            way.relation["read"] = len(one)
        else:
            found = difference(*sides, budget, partial=self._partial)
            if isinstance(found, Unread) or found["read"] < found["count"]:
                return None if budget.spent() else False
            outcome = _outcome(*way.sample(_SAMPLED), found)
        if way.relation["how"] == "rounded" and outcome:
            return False
        way.relation["close"] = outcome is True
        return outcome is not None

    def _affine(self) -> Relation | None:
        if not self._is_one_shape() or not self._is_telling:
            return None
        rtol = max(_EXACT if near is None else near[0] for near in (closeness(one, one) for one in (self._a, self._b)))
        one, other = (_sample(side, _SAMPLED) for side in (self._a, self._b))
        found, count = affine(one, other, rtol), math.prod(self._a.shape)
        if count > _COPIED:
            if found is not None:
                found["read"], found["count"] = len(one), count
            return found
        if found is not None:
            return affine(self._a, self._b, rtol)
        for dim in range(len(self._a.shape)):
            one, other = (_part(side, dim) for side in (self._a, self._b))
            if affine(one, other, rtol, along=0) is not None:
                found = affine(self._a, self._b, rtol, along=dim)
                if found is not None:
                    return found
        return None

    def _is_one_shape(self) -> bool:
        return tuple(self._a.shape) == tuple(self._b.shape)

    @cached_property
    def _is_telling(self) -> bool:
        """Whether the elements are too many and too unlike to be those of another by chance."""
        return all(_distinct(side) >= _DISTINCT for side in (self._a, self._b))


def _ways(a: Any, b: Any) -> Iterator[_Way]:
    """What may have been done to ``a``, the plainest first."""
    before, after, way = tuple(a.shape), tuple(b.shape), _maker(b)
    if before == after:
        yield from _of_one_shape(a, b, way)
        return
    if sorted(before) == sorted(after):
        orders = (dims for dims in permutations(range(len(before))) if tuple(before[dim] for dim in dims) == after)
        for dims in islice(orders, _PERMUTED):
            yield _reordered(way, a, dims)
    elif len(before) != len(after) and [size for size in before if size != 1] == [size for size in after if size != 1]:
        yield way("squeezed" if len(before) > len(after) else "unsqueezed", a.reshape(after))
    if _fits(before, after):
        yield way("broadcast", _expanded(a, after))
    elif _fits(after, before):
        yield way("broadcast", a, _expanded(b, before), read=math.prod(before), count=math.prod(before))
    if math.prod(before) == math.prod(after):
        yield way("reshaped", a)


def _maker(b: Any) -> Any:
    count = math.prod(b.shape)

    def way(name: Any, one: Any, other: Any = b, **more: Any) -> _Way:
        relation: Any = {"how": name, "close": False, "read": count, "count": count, **more}
        return _Way(relation, one, other)

    return way


def _rounded(a: Any, b: Any) -> Iterator[_Way]:
    """Both as the coarser dtype has them, where the dtypes are two of floats."""
    if tuple(a.shape) != tuple(b.shape) or a.dtype == b.dtype or _is_torch(a) != _is_torch(b):
        return
    coarser = next((one for one, other in ((b, a), (a, b)) if _is_coarser(one, other)), None)
    if coarser is not None and math.prod(a.shape) <= _COPIED:
        way: _Way = _maker(b)("rounded", a, dtype=torch_name(coarser.dtype))
        way.dtype = coarser.dtype
        yield way


def _of_one_shape(a: Any, b: Any, way: Any) -> Iterator[_Way]:
    yield from _rounded(a, b)
    shape = tuple(a.shape)
    orders = (dims for dims in permutations(range(len(shape))) if tuple(shape[dim] for dim in dims) == shape)
    for dims in islice(orders, 1, _PERMUTED):
        yield _reordered(way, a, dims)
    for dim, size in enumerate(shape[:4]):
        if size > 1 and math.prod(shape) <= _COPIED:
            turned = way("flipped", a, dim=dim)
            turned.flipped = dim
            yield turned


def _reordered(way: Any, a: Any, dims: tuple[int, ...]) -> _Way:
    name = "transposed" if len(dims) == 2 else "permuted"
    made: _Way = way(name, a.permute(dims) if _is_torch(a) else a.transpose(dims), dims=list(dims))
    return made


def _fits(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether one shape is broadcast to the other."""
    pairs = zip(before[::-1], after[::-1])
    return len(before) <= len(after) and all(size in (1, wanted) for size, wanted in pairs)


def _expanded(value: Any, shape: tuple[int, ...]) -> Any:
    return value.expand(shape) if _is_torch(value) else module("numpy").broadcast_to(value, shape)


def _flipped(value: Any, dim: int) -> Any:
    if _is_torch(value):
        return value.flip(dim)
    back = [*[slice(None)] * dim, slice(None, None, -1)]
    return value[tuple(back)]


def _alike(a: Any, b: Any) -> tuple[Any, Any] | None:
    """Both in one shape; None where too much would have to be copied for it."""
    if tuple(a.shape) == tuple(b.shape):
        return a, b
    for one, shape, turned in ((a, tuple(b.shape), False), (b, tuple(a.shape), True)):
        if _is_contiguous(one) or math.prod(shape) <= _COPIED:
            made = one.reshape(shape)
            return (a, made) if turned else (made, b)
    return None


def _outcome(a: Any, b: Any, found: Any) -> bool | None:
    """Whether they are close (True) or equal (False); None where they are apart. ``a`` and ``b`` give the scale."""
    if isinstance(found, Unread):
        return None
    if not found["different"]:
        return False
    near = closeness(a, b)
    if near is None or found["apart"]:
        return None
    return True if found["max_abs"] <= 10 * near[0] * _largest(a, b) else None


def _largest(*sides: Any) -> float:
    sizes = (abs(complex(item)) for side in sides for item in side.reshape(-1)[:_SAMPLED].tolist())
    return max((size for size in sizes if size < math.inf), default=0.0)


def _distinct(value: Any) -> int:
    """How many elements of a sample are unlike, where there are enough."""
    count = math.prod(value.shape)
    if count < _LEAST:
        return 0
    return len({item for item in _sample(value, min(_LIKELY, count)).tolist() if item == item})


def _part(value: Any, dim: int) -> Any:
    """Some elements for each of some indices of a dimension, a row each."""
    moved = value.movedim(dim, 0) if _is_torch(value) else module("numpy").moveaxis(value, dim, 0)
    size = len(moved)
    rows = [_sample(moved[at], min(_LIKELY, math.prod(moved.shape[1:]))) for at in range(0, size, -(-size // _INDICES))]
    return library().stack([flat(row) for row in rows])


def _sample(value: Any, most: int, flipped: int | None = None) -> Any:
    """Elements at places that depend on how many there are alone, in their order; as if a dimension was turned."""
    shape = tuple(value.shape)
    count = math.prod(shape)
    if not shape:
        return value.reshape(1)
    places = range(count) if count <= most else sorted({at * _STRIDE % count for at in range(most)})
    index: list[list[int]] = []
    for size in reversed(shape):
        index.append([place % size for place in places])
        places = [place // size for place in places]
    index.reverse()
    if flipped is not None:
        index[flipped] = [shape[flipped] - 1 - place for place in index[flipped]]
    return value[tuple(index)]


def _is_coarser(one: Any, other: Any) -> bool:
    near, known = closeness(one, one), closeness(other, other)
    return near is not None and known is not None and near > known


def _as(value: Any, dtype: Any) -> Any:
    return value.to(dtype) if _is_torch(value) else value.astype(dtype)


def _is_contiguous(value: Any) -> bool:
    return bool(value.is_contiguous() if _is_torch(value) else value.flags.c_contiguous)


def _is_torch(value: Any) -> bool:
    return hasattr(value, "untyped_storage")
