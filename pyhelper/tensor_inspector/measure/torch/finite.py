"""Whether many tensors hold NaN or Inf: those of a module, an optimizer, a container."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from weakref import ref

from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from ..reading import badges
from ..stats import Reading, Unread
from ..stats.finite import not_finite, summed_dtypes
from .dispatch import known_count
from .metadata import dtype_of, element_count, is_on_meta, is_quantized, is_tensor, plain
from .readable import why_unread

torch: Any = module("torch")

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


class NotFinite(Record):
    """What was found: names of tensors, in their order.

    ``read`` counts elements, ``total`` those that can hold NaN or Inf; ``late`` tells whether the time was over,
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

    ``form_class_of`` tells how a tensor keeps its elements.
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
            searched = self._budget.known.searched
            searched.update({id(tensor): (ref(tensor), False, False) for tensor in fresh})
            searched.update({id(fresh[at]): (ref(fresh[at]), at in nan, at in inf) for at in nan | inf})

    def _to_read(self, tensors: list[Any]) -> list[Any]:
        """Those that can hold NaN or Inf, which are counted, but not those on no device or read before."""
        fresh, searched, total = [], self._budget.known.searched, 0
        for tensor in tensors:
            dtype = dtype_of(tensor)
            if not (dtype.is_floating_point or dtype.is_complex or is_quantized(tensor)):
                continue
            is_known = is_tensor(tensor)
            if is_known and is_on_meta(tensor):
                self.elsewhere += 1
                continue
            count = (element_count(tensor) if is_known else known_count(tensor)) or 0
            total += count
            found = searched.get(id(tensor))
            if found is None or found[0]() is not tensor:
                fresh.append(tensor)
                continue
            self.read += count
            if found[1]:
                self.nan.add(id(tensor))
            if found[2]:
                self.inf.add(id(tensor))
        self.total += total
        return fresh

    def _in_plain_memory(self, tensors: list[Any]) -> Iterator[tuple[int, Any]]:
        summed, form_class_of = summed_dtypes(torch), self._form_class_of
        for at, tensor in enumerate(tensors):
            form = form_class_of(tensor)
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
