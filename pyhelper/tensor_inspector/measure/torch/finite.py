"""Finds NaN and Inf in many tensors at once: of a module, an optimizer, a container."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import compress
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from ..reading import badges
from ..stats import Reading, Unread
from ..stats.finite import not_finite, summed_dtypes
from .dispatch import known_count
from .metadata import (
    EXACT_TENSORS,
    Base,
    dtype_of,
    element_count,
    is_on_meta,
    is_quantized,
    is_tensor,
    keys_of,
    plain,
    signature_of,
)
from .readable import are_there, why_unread

torch: Any = module("torch")
_INT = frozenset((int,))
_AT_ONCE = 256  #: tensors that are asked at once whether they can be read

if TYPE_CHECKING:
    from ...protocol import Badge

    Named = tuple[str, Any]

    class Searchable(Protocol):
        """How a tensor keeps its elements."""

        is_dense: ClassVar[bool]
        is_shard: ClassVar[bool]

        def __init__(self, value: Any, budget: Budget) -> None: ...
        def reading(self) -> Reading: ...

    FormClassOf = Callable[[Any], type[Searchable]]


class BufferName(str):
    """The name of a buffer, and the class of the module that holds it; that of a parameter is a plain ``str``."""

    __slots__ = ("holder",)
    holder: type

    def __new__(cls, name: str, holder: type) -> BufferName:
        made = super().__new__(cls, name)
        made.holder = holder
        return made


class GradientName(str):
    """The name of a gradient."""

    __slots__ = ()


class StateName(str):
    """The name of what an optimizer keeps of a parameter."""

    __slots__ = ()


class NotFinite(Record):
    """What was found: names of tensors, in their order.

    ``read`` counts elements, ``total`` those that can hold NaN or Inf; ``late``: whether the time was over;
    ``complete`` whether all tensors are among them. ``elsewhere`` counts tensors of which this process has not all
    elements: on no device, or sharded. Those elements are in no other count.
    """

    nan: list[str]
    inf: list[str]
    read: int
    total: int
    late: bool
    complete: bool = True
    elsewhere: int = 0

    def is_whole(self) -> bool:
        return self.complete and self.read == self.total


def find_not_finite(tensors: list[Named], budget: Budget, complete: bool, form_class_of: FormClassOf) -> NotFinite:
    """All named tensors are read, or as much of each as there is time for; ``complete``: these are all there are.

    ``form_class_of`` returns how a tensor stores its elements.
    """
    search = _SpecialsSearch(budget, form_class_of)
    search.read_all([tensor for _, tensor in tensors] if budget.reads else [])
    nan, inf = search.nan, search.inf
    return NotFinite(
        [name for name, tensor in tensors if id(tensor) in nan] if nan else [],
        [name for name, tensor in tensors if id(tensor) in inf] if inf else [],
        search.read,
        search.total,
        budget.spent(),
        complete or not budget.reads,
        search.elsewhere,
    )


def _no_tensor() -> None:
    """As a weak reference whose tensor is gone."""


class _SpecialsSearch:
    """The tensors with plain memory are read together, all others by their statistics; what was read whole for the same
    answer is not read again. Those with NaN, and with Inf, are known by their ids."""

    def __init__(self, budget: Budget, form_class_of: FormClassOf) -> None:
        self.nan: set[int] = set()
        self.inf: set[int] = set()
        self.read = 0
        self.total = 0
        self.elsewhere = 0  #: tensors of which this process has not all elements
        self._budget = budget
        self._form_class_of = form_class_of
        self._others: list[tuple[int, Any, type[Searchable]]] = []
        self._are_alike = False  #: all are of torch's own classes and of the `summed_dtypes`

    def read_all(self, tensors: list[Any]) -> None:
        fresh = self._to_read(tensors)
        nowhere = self.elsewhere
        nan, inf, read = not_finite(torch, self._in_plain_memory(fresh), self._budget)
        self.read += read
        for at, tensor, form in self._others:
            found = self._by_statistics(tensor, form(tensor, self._budget).reading(), form.is_shard)
            nan.update([at] if "nan" in found else ())
            inf.update([at] if "inf" in found else ())
        self.nan.update(id(fresh[at]) for at in nan)
        self.inf.update(id(fresh[at]) for at in inf)
        if self.read == self.total and self.elsewhere == nowhere:
            self._budget.known.note_searched(fresh, self.nan, self.inf)

    def _to_read(self, tensors: list[Any]) -> list[Any]:
        """Those that can hold NaN or Inf, which are counted, but not those on no device or read before."""
        tensors, counts = self._count_alike(tensors) or self._count_each(tensors)
        self.total += sum(counts)
        known = self._budget.known
        if not known.searched:
            return tensors
        are_read = [known.searched.get(id(tensor), _no_tensor)() is tensor for tensor in tensors]
        self.read += sum(compress(counts, are_read))
        if known.with_nan or known.with_inf:
            again = set(map(id, compress(tensors, are_read)))
            self.nan |= known.with_nan & again
            self.inf |= known.with_inf & again
        return [tensor for tensor, is_read in zip(tensors, are_read) if not is_read]

    def _count_alike(self, tensors: list[Any]) -> tuple[list[Any], list[int]] | None:
        """The tensors with their element counts, where all are plain: asked of all at once."""
        if not EXACT_TENSORS.include(map(type, tensors)) or not summed_dtypes(torch).issuperset(map(dtype_of, tensors)):
            return None
        counts = list(map(Base.numel, tensors))
        is_so = _INT.issuperset(map(type, counts)) and not any(map(is_on_meta, tensors))
        self._are_alike = is_so
        return (tensors, counts) if is_so else None

    def _count_each(self, tensors: list[Any]) -> tuple[list[Any], list[int]]:
        counted, counts = [], []
        for tensor in tensors:
            dtype, is_known = dtype_of(tensor), is_tensor(tensor)
            if not (dtype.is_floating_point or dtype.is_complex or is_quantized(tensor)):
                continue
            if is_known and is_on_meta(tensor):
                self.elsewhere += 1
                continue
            counted.append(tensor)
            counts.append((element_count(tensor) if is_known else known_count(tensor)) or 0)
        return counted, counts

    def _in_plain_memory(self, tensors: list[Any]) -> Iterator[tuple[int, Any]]:
        for start in range(0, len(tensors), _AT_ONCE):
            some = tensors[start : start + _AT_ONCE]
            yield from enumerate(some, start) if self._are_plain(some) else self._one_by_one(some, start)

    def _are_plain(self, tensors: list[Any]) -> bool:
        """Whether all are dense and readable, checked for all at once where they are alike."""
        if not self._are_alike:
            if not EXACT_TENSORS.include(map(type, tensors)):
                return False
            if not summed_dtypes(torch).issuperset(map(dtype_of, tensors)):
                return False
        one_of_each = dict(zip(map(signature_of, map(keys_of, tensors)), tensors))
        return all(self._form_class_of(tensor).is_dense for tensor in one_of_each.values()) and are_there(tensors)

    def _one_by_one(self, tensors: list[Any], start: int) -> Iterator[tuple[int, Any]]:
        summed = summed_dtypes(torch)
        for at, tensor in enumerate(tensors, start):
            form = self._form_class_of(tensor)
            elements = plain(tensor) if form.is_dense else None
            if elements is None or elements.dtype not in summed:
                self._others.append((at, tensor, form))
            elif why_unread(elements) is None:
                yield at, elements

    def _by_statistics(self, tensor: Any, reading: Reading, is_shard: bool) -> list[Badge]:
        if isinstance(reading, Unread):
            return []
        counts: Any = reading.get("abs", reading)
        count = known_count(tensor) or 0
        self.total += counts["count"] - count  # of a sparse one, what is stored
        self.elsewhere += is_shard and counts["count"] < count
        self.read += counts["read"]
        return badges(reading)
