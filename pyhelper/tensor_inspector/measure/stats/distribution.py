"""Percentiles and histograms: exact for every size and dtype, in bounded memory.

They are found by radix selection. Where there is no time to read all, a systematic sample is used.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Callable

from ...safe.budget import Budget
from ...safe.record import Record
from ...safe.torch_name import torch_name
from ..composed import is_composed
from ..torch.readable import why_unread
from ..unread import Unread, beyond, unknown
from . import device, layout, numpy_exact, systematic_sample
from .exact import small_kernel_for
from .ordered import Order, order_of_arrays, order_of_tensors
from .radix_selection import RadixSelection, last
from .scan import gatherer
from .tally import MAX_POINTS, Beyond

if TYPE_CHECKING:
    from ..composed import ComposedElements
    from .radix_selection import Distribution, Spread

_SURE = 1 << 18  # elements after which the speed so far tells how long the rest will take
_PASSES = 4  # as many as most types need
_SHARE = 0.7  # of the time, for reading all; what is left is for a sample
_BLOCK = 32_000  # elements; so many torch works on with one thread, which busy cores do not make wait
_SAMPLE = 1 << 17
_FETCHED = 4 << 20  # bytes brought from a device


class ValidElements(Record):
    """Elements of which not all may be there: ``parts`` are cut by slices and read ``at`` positions, as those of
    `measure.valid` are; ``take`` gives a part's numbers that are there, as an array of one dimension.
    """

    parts: Any
    take: Callable[[Any], Any]


def distribution(value: Any, budget: Budget, quantiles: Sequence[float] = (), bins: int = 0) -> Distribution | Unread:
    """Quantiles and a histogram of the finite elements of a plain tensor or array, or of `ValidElements`; of complex
    numbers, of their magnitudes.

    Exact unless the budget (or a device) allows only a sample. The caller holds the guard.
    """
    if not all(0.0 <= share <= 1.0 for share in quantiles):
        raise ValueError("quantiles lie between 0 and 1")
    if not 0 <= bins <= MAX_POINTS or len(quantiles) > MAX_POINTS:
        raise ValueError(f"at most {MAX_POINTS} bins and quantiles can be asked for")
    numpy = sys.modules.get("numpy")
    if budget.spent():
        return Unread("no_time", f"skipped: {budget.ms:.0f} ms budget")
    if type(value) is not ValidElements and (numpy is None or not issubclass(type(value), numpy.ndarray)):
        return _read(_source_of_tensor(sys.modules["torch"], value, budget), budget, quantiles, bins)
    assert numpy is not None
    with numpy.errstate(all="ignore"):
        of: Any = _source_of_valid if type(value) is ValidElements else _source_of_array
        return _read(of(numpy, value), budget, quantiles, bins)


def spread_steps(
    value: Any, budget: Budget, quantiles: Sequence[float], bins: int, *, robust: bool, exact: bool
) -> Generator[int, None, Spread | Unread]:
    """The distribution of a plain tensor or array, or of `ComposedElements`, and how many elements are in no bin, in
    steps of so many numbers.

    Where it is ``exact``, all is read, however long that takes; else it is one step within the budget. The caller holds
    the guard at each step, and has numpy ignore what is not finite.
    """
    numpy = sys.modules.get("numpy")
    source: _Blocks | Unread
    if is_composed(value):
        source = _source_of_composed(value)
    elif numpy is not None and issubclass(type(value), numpy.ndarray):
        source = _source_of_array(numpy, value)
    else:
        source = _source_of_tensor(sys.modules["torch"], value, budget, exact)
    if isinstance(source, Unread):
        return source
    try:
        if exact:
            found = yield from source.whole().steps(quantiles, bins, robust)
        else:
            try:
                found = last(source.all(budget, _PASSES + _PASSES * robust).steps(quantiles, bins, robust))
            except _Late:
                found = last(source.sample(budget).steps(quantiles, bins, robust))
        if is_composed(value) and value.can_be_masked:
            found["masked"] = source.looked_at() - found["histogram"]["read"]
        return found
    except Beyond:
        return beyond(source.dtype)


def _read(source: _Blocks | Unread, budget: Budget, quantiles: Sequence[float], bins: int) -> Distribution | Unread:
    if isinstance(source, Unread):
        return source
    try:
        return source.all(budget).distribution(quantiles, bins)
    except _Late:
        return source.sample(budget).distribution(quantiles, bins)
    except Beyond:
        return beyond(source.dtype)


class _Late(Exception):
    """There is no time for reading all."""


class _Blocks:
    """The distinct elements of a tensor or array, to be read in blocks or at some positions."""

    def __init__(
        self,
        order: Order,
        dtype: str,
        view: Any,
        weight: int,
        gather: Callable[[range], Any],
        whole: bool = True,
        take: Callable[[Any], Any] = lambda part: part,
        is_near: bool = True,
    ) -> None:
        self._order = order
        self.dtype = dtype
        self._view = view
        self._take = take
        self._count: int = math.prod(view.shape)
        self._weight = weight
        self._gather = gather
        self._whole = whole
        self._is_near = is_near
        self._looked_at = self._count

    def looked_at(self) -> int:
        """How many elements were read, with those that `take` left out."""
        return self._looked_at * self._weight

    def whole(self) -> RadixSelection:
        """All of them, whatever time that takes."""
        return RadixSelection(self._order, lambda: map(self._take, self._parts()), self._weight, self._whole)

    def all(self, budget: Budget, passes: int = _PASSES) -> RadixSelection:
        if not self._is_near or (budget.max_elements is not None and self._count > budget.max_elements):
            raise _Late  # of a device, each block is waited for
        start = budget.remaining_ms()
        read = 0

        def parts() -> Iterator[Any]:
            nonlocal read
            for part in self._parts():
                yield self._take(part)
                read += math.prod(part.shape)
                late = (start - budget.remaining_ms()) / read * self._count * passes > start * _SHARE
                if late and read >= _SURE:
                    raise _Late

        return RadixSelection(self._order, parts, self._weight, self._whole)

    def _parts(self) -> Iterable[Any]:
        if not self._count:
            return ()
        return layout.blocks(self._view, _BLOCK) if self._view.shape else [self._view]

    def sample(self, budget: Budget) -> RadixSelection:
        wanted = min(_SAMPLE, systematic_sample.size(budget.remaining_ms()), budget.max_elements or _SAMPLE)
        where = systematic_sample.positions(0, self._count, wanted)
        self._looked_at = len(where)
        parts = [self._take(self._gather(some)) for some in systematic_sample.pieces(where)]
        return RadixSelection(self._order, lambda: parts, self._weight, self._whole and len(where) == self._count)


def _source_of_tensor(torch: Any, t: Any, budget: Budget, exact: bool = False) -> _Blocks | Unread:
    """Where it is not ``exact``, of a tensor on a device only as much as is brought from there at once."""
    dtype = torch_name(t.dtype)
    if small_kernel_for(torch, t.dtype) is None:
        return unknown(dtype)
    unread = why_unread(t)
    if unread is not None:
        return unread
    negative = t.is_neg() and not t.is_complex()  # what the sign or the conjugate is of, does not matter to |z|
    t = torch._neg_view(t) if t.is_neg() else t
    t = t.conj() if t.is_conj() else t
    if t.numel() == 0:
        return _Blocks(order_of_tensors(torch, t.dtype, negative), dtype, t, 1, lambda where: t.reshape(-1))
    dims, weight = layout.normalised(tuple(t.shape), t.stride())
    whole = t.is_cpu
    if not whole and exact:
        order, view = order_of_tensors(torch, t.dtype, negative), layout.distinct(t, dims)
        return _Blocks(order, dtype, view, weight, gatherer(torch, t, dims), take=lambda part: part.cpu())
    if not whole:
        view = layout.distinct(t, dims)
        few = device.few(torch, view, _FETCHED // t.element_size(), budget)
        if isinstance(few, Unread):
            return few
        t, whole, dims = few, few.numel() == view.numel(), [(few.numel(), 1)]
    view = layout.distinct(t, dims)
    return _Blocks(order_of_tensors(torch, t.dtype, negative), dtype, view, weight, gatherer(torch, t, dims), whole)


def _source_of_array(np: Any, a: Any) -> _Blocks | Unread:
    found = numpy_exact.strided(np, a)
    if isinstance(found, Unread):
        return found
    view, weight = found
    return _Blocks(order_of_arrays(np, view.dtype), view.dtype.name, view, weight, numpy_exact.gatherer(np, view))


def _source_of_composed(elements: ComposedElements) -> _Blocks | Unread:
    """Of elements that are put together block by block."""
    few, like = elements.distinct(), elements.like()
    weight = math.prod(elements.shape) // max(1, math.prod(few.shape))
    if not hasattr(like, "untyped_storage"):
        order = order_of_arrays(sys.modules["numpy"], like.dtype)
        return _Blocks(order, like.dtype.name, few, weight, few.at, take=lambda part: part.kept())
    torch, dtype = sys.modules["torch"], torch_name(like.dtype)
    if small_kernel_for(torch, like.dtype) is None:
        return unknown(dtype)
    order = order_of_tensors(torch, like.dtype)
    return _Blocks(order, dtype, few, weight, few.at, take=lambda part: part.kept(), is_near=bool(like.is_cpu))


def _source_of_valid(np: Any, valid: ValidElements) -> _Blocks:
    parts, take = valid.parts, valid.take
    size = math.prod(parts.shape)
    few = parts.distinct() if size else parts
    dtype = take(few[:0] if few.shape else few).dtype
    weight = size // max(1, math.prod(few.shape))
    return _Blocks(order_of_arrays(np, dtype), dtype.name, few, weight, few.at, take=take)
