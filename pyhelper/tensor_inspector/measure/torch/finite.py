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
from .dispatch import known_count
from .metadata import dtype_of, is_on_meta, is_quantized, is_tensor

torch: Any = module("torch")

if TYPE_CHECKING:
    Named = tuple[str, Any]

    class Searchable(Protocol):
        """How a tensor keeps its elements."""

        is_dense: ClassVar[bool]
        is_shard: ClassVar[bool]

        def elements(self) -> Any: ...
        def reading(self) -> Reading: ...

    FormOf = Callable[[Any, Budget], Searchable]


class NotFinite:
    """What was found: names of tensors, in their order.

    ``read`` counts elements, ``total`` those that can hold NaN or Inf; ``late`` tells whether the time was over,
    ``complete`` whether all tensors are among them. ``elsewhere`` counts tensors of which this process has not all
    elements: on no device, or sharded. Those elements are in no other count.
    """

    __slots__ = ("complete", "elsewhere", "inf", "late", "nan", "read", "total")

    def __init__(
        self,
        nan: list[str],
        inf: list[str],
        read: int,
        total: int,
        late: bool,
        complete: bool = True,
        elsewhere: int = 0,
    ) -> None:
        self.nan = nan
        self.inf = inf
        self.read = read
        self.total = total
        self.late = late
        self.complete = complete
        self.elsewhere = elsewhere

    def is_whole(self) -> bool:
        return self.complete and self.read == self.total


def find_not_finite(tensors: list[Named], budget: Budget, complete: bool, form_of: FormOf) -> NotFinite:
    """All named tensors are read, or as much of each as there is time for; ``complete``: these are all there are.

    ``form_of`` tells how a tensor keeps its elements.
    """
    can = [(name, tensor) for name, tensor in tensors if _can_hold_some(tensor)] if budget.reads else []
    here = [(name, tensor) for name, tensor in can if not _is_nowhere(tensor)]
    fresh, again, nan, inf = [], 0, set(), set()
    for _, tensor in here:
        known = _known(tensor, budget)
        if known is None:
            fresh.append(tensor)
            continue
        again += known_count(tensor) or 0
        if known[1]:
            nan.add(id(tensor))
        if known[2]:
            inf.add(id(tensor))
    search = _Reading(fresh, budget, form_of)
    nan.update(id(fresh[at]) for at in search.nan)
    inf.update(id(fresh[at]) for at in search.inf)
    if search.read == search.total and not search.sharded:
        budget.searched.update((id(tensor), (ref(tensor), id(tensor) in nan, id(tensor) in inf)) for tensor in fresh)
    return NotFinite(
        [name for name, tensor in here if id(tensor) in nan] if nan else [],
        [name for name, tensor in here if id(tensor) in inf] if inf else [],
        search.read + again,
        search.total + again,
        budget.spent(),
        complete or not budget.reads,
        search.sharded + len(can) - len(here),
    )


def _known(tensor: Any, budget: Budget) -> tuple[ref[Any], bool, bool] | None:
    """What was found when it was read before, for the same answer."""
    found = budget.searched.get(id(tensor))
    return found if found is not None and found[0]() is tensor else None


class _Reading:
    """The tensors with plain memory are read together, all others by their statistics."""

    def __init__(self, tensors: list[Any], budget: Budget, form_of: FormOf) -> None:
        self._budget = budget
        self._form_of = form_of
        self._others: list[tuple[int, Any, Searchable]] = []
        self.sharded = 0  #: tensors of which others have a part
        self.total = sum(known_count(tensor) or 0 for tensor in tensors)
        self.nan, self.inf, self.read = not_finite(torch, self._in_plain_memory(tensors), budget)
        for at, tensor, form in self._others:
            self._add(at, tensor, form)

    def _in_plain_memory(self, tensors: list[Any]) -> Iterator[tuple[int, Any]]:
        for at, tensor in enumerate(tensors):
            form = self._form_of(tensor, self._budget)
            if not (form.is_dense and can_be_summed(torch, dtype_of(tensor))):
                self._others.append((at, tensor, form))
                continue
            elements = form.elements()
            if not isinstance(elements, Unread):
                yield at, elements

    def _add(self, at: int, tensor: Any, form: Searchable) -> None:
        reading = form.reading()
        if isinstance(reading, Unread):
            return
        counts: Any = reading.get("abs", reading)
        count = known_count(tensor) or 0
        self.total += counts["count"] - count  # of a sparse one, what is stored
        self.sharded += form.is_shard and counts["count"] < count
        self.read += counts["read"]
        found = badges(reading)
        if "nan" in found:
            self.nan.add(at)
        if "inf" in found:
            self.inf.add(at)


def _can_hold_some(tensor: Any) -> bool:
    dtype = dtype_of(tensor)
    return bool(dtype.is_floating_point or dtype.is_complex or is_quantized(tensor))


def _is_nowhere(tensor: Any) -> bool:
    return is_tensor(tensor) and bool(is_on_meta(tensor))
