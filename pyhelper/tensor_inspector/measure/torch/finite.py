"""Whether many tensors hold NaN or Inf: those of a module, an optimizer, a container."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from weakref import ref

from ...safe.budget import Budget
from ...safe.guard import module
from ..reading import badges
from ..stats import Reading, Unread
from ..stats.finite import can_be_summed, not_finite
from .metadata import dtype_of, element_count, is_on_meta

torch: Any = module("torch")

if TYPE_CHECKING:
    Named = tuple[str, Any]

    class Elements(Protocol):
        """How a tensor keeps its elements."""

        is_dense: ClassVar[bool]

        def elements(self) -> Any: ...
        def reading(self) -> Reading: ...

    StorageOf = Callable[[Any, Budget], Elements]


class NotFinite:
    """What was found: names of tensors, in their order.

    ``read`` counts elements, ``total`` those that can hold NaN or Inf; ``late`` tells whether the time was over,
    ``complete`` whether all tensors are among them.
    """

    __slots__ = ("complete", "inf", "late", "nan", "read", "total")

    def __init__(
        self, nan: list[str], inf: list[str], read: int, total: int, late: bool, complete: bool = True
    ) -> None:
        self.nan = nan
        self.inf = inf
        self.read = read
        self.total = total
        self.late = late
        self.complete = complete

    def is_whole(self) -> bool:
        return self.complete and self.read == self.total


def look_at(tensors: list[Named], budget: Budget, complete: bool, storage_of: StorageOf) -> NotFinite:
    """All named tensors are read, or as much of each as there is time for; ``complete``: these are all there are.

    ``storage_of`` tells how a tensor keeps its elements.
    """
    can = [(name, tensor) for name, tensor in tensors if _can_hold_some(tensor)] if budget.reads else []
    fresh, again, nan, inf = [], 0, set(), set()
    for _, tensor in can:
        known = _known(tensor, budget)
        if known is None:
            fresh.append(tensor)
            continue
        again += element_count(tensor) or 0
        if known[1]:
            nan.add(id(tensor))
        if known[2]:
            inf.add(id(tensor))
    search = _Search(fresh, budget, storage_of)
    nan.update(id(fresh[at]) for at in search.nan)
    inf.update(id(fresh[at]) for at in search.inf)
    if search.read == search.total:
        budget.searched.update((id(tensor), (ref(tensor), id(tensor) in nan, id(tensor) in inf)) for tensor in fresh)
    return NotFinite(
        [name for name, tensor in can if id(tensor) in nan] if nan else [],
        [name for name, tensor in can if id(tensor) in inf] if inf else [],
        search.read + again,
        search.total + again,
        budget.spent(),
        complete or not budget.reads,
    )


def _known(tensor: Any, budget: Budget) -> tuple[ref[Any], bool, bool] | None:
    """What was found when it was read before, for the same answer."""
    found = budget.searched.get(id(tensor))
    return found if found is not None and found[0]() is tensor else None


class _Search:
    """The tensors with plain memory are read together, all others by their statistics."""

    def __init__(self, tensors: list[Any], budget: Budget, storage_of: StorageOf) -> None:
        self._budget = budget
        self._storage_of = storage_of
        self._others: list[tuple[int, Any, Elements]] = []
        self.total = sum(element_count(tensor) or 0 for tensor in tensors)
        self.nan, self.inf, self.read = not_finite(torch, self._in_plain_memory(tensors), budget)
        for at, tensor, storage in self._others:
            self._add(at, tensor, storage.reading())

    def _in_plain_memory(self, tensors: list[Any]) -> Iterator[tuple[int, Any]]:
        for at, tensor in enumerate(tensors):
            storage = self._storage_of(tensor, self._budget)
            if not (storage.is_dense and can_be_summed(torch, dtype_of(tensor))):
                self._others.append((at, tensor, storage))
                continue
            elements = storage.elements()
            if not isinstance(elements, Unread):
                yield at, elements

    def _add(self, at: int, tensor: Any, reading: Reading) -> None:
        if isinstance(reading, Unread):
            return
        counts: Any = reading.get("abs", reading)
        self.total += counts["count"] - (element_count(tensor) or 0)  # of a sparse one, what is stored
        self.read += counts["read"]
        held = badges(reading)
        if "nan" in held:
            self.nan.add(at)
        if "inf" in held:
            self.inf.add(at)


def _can_hold_some(tensor: Any) -> bool:
    dtype = dtype_of(tensor)
    return bool(dtype.is_floating_point or dtype.is_complex) and not is_on_meta(tensor)
