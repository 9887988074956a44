"""Whether all that a module or optimizer holds is finite; where there was no time to read it all, how much was read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ...measure.reading import badges
from ...measure.stats import Unread
from ...measure.stats.finite import can_be_summed, not_finite
from ...measure.torch.metadata import device_of, dtype_of, element_count, grad_of
from ...protocol import Badge
from ...safe.budget import Budget
from ...safe.guard import module
from ...words.line import Word
from ...words.text import count, listed
from ..registry import look

torch: Any = module("torch")

Named = tuple[str, Any]


class Look:
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

    def words(self) -> list[str]:
        """Loud, or nothing where all is finite; what was not read must not seem so."""
        words: list[str] = [Word(f"{what} in {self._few(names)}", loud=True) for what, names in self._found()]
        return words if self.is_whole() else [*words, Word(self._how_much(), loud=True)]

    def badges(self) -> list[Badge]:
        part: Badge = "sampled" if self.read else "unread"
        found: list[tuple[Badge, object]] = [("nan", self.nan), ("inf", self.inf), (part, not self.is_whole())]
        return [badge for badge, is_so in found if is_so]

    def rows(self) -> list[list[str]]:
        rows = [[f"{what} in", listed(names, not self.is_whole(), 300)] for what, names in self._found()]
        if self.is_whole():
            return rows or ([["NaN and Inf", "none in all values"]] if self.total else [])
        return [*rows, ["NaN and Inf", f"{'' if rows or not self.read else 'none seen, '}{self._how_much()}"]]

    def is_whole(self) -> bool:
        return self.complete and self.read == self.total

    def _found(self) -> list[tuple[str, list[str]]]:
        return [(what, names) for what, names in (("NaN", self.nan), ("Inf", self.inf)) if names]

    def _few(self, names: list[str]) -> str:
        more = f"{len(names) - 1}{'' if self.is_whole() else '+'} more"
        return names[0] if len(names) == 1 else f"{names[0]} and {more}"

    def _how_much(self) -> str:
        """``≈ 24 % read``, never all of it, never nothing; ``only 3.1K values read`` of nobody knows how many."""
        if not self.read:
            return f"values not read{': no time' if self.late else ''}"
        if not self.complete:
            return f"only {count(self.read)} values read"
        percent = 100 * self.read // self.total
        return f"≈ {percent} % read" if percent else "≈ <1 % read"


def look_at(tensors: list[Named], budget: Budget, complete: bool = True) -> Look:
    """All named tensors are read, or as much of each as there is time for; ``complete``: these are all there are."""
    can = [(name, tensor) for name, tensor in tensors if _can_hold_some(tensor)] if budget.reads else []
    fresh = [tensor for _, tensor in can if _known(tensor, budget) is None]
    search = _Search(fresh, budget)
    found = {id(tensor): (ref(tensor), at in search.nan, at in search.inf) for at, tensor in enumerate(fresh)}
    if search.read == search.total:
        budget.searched.update(found)
    told = [(name, _known(tensor, budget) or found[id(tensor)]) for name, tensor in can]
    again = sum(element_count(tensor) or 0 for _, tensor in can) - sum(element_count(tensor) or 0 for tensor in fresh)
    return Look(
        [name for name, (_, nan, _) in told if nan],
        [name for name, (_, _, inf) in told if inf],
        search.read + again,
        search.total + again,
        budget.spent(),
        complete or not budget.reads,
    )


def look_at_gradients_too(tensors: list[Named], budget: Budget) -> Look:
    """The same of the tensors and of their gradients, named ``NAME.grad``."""
    gradients = ((f"{name}.grad", grad_of(tensor)) for name, tensor in tensors)
    return look_at([*tensors, *((name, grad) for name, grad in gradients if grad is not None)], budget)


def _known(tensor: Any, budget: Budget) -> tuple[ref[Any], bool, bool] | None:
    """What was found when it was read before, for the same answer."""
    found = budget.searched.get(id(tensor))
    return found if found is not None and found[0]() is tensor else None


class _Search:
    """The tensors with plain memory are read together, all others by their statistics."""

    def __init__(self, tensors: list[Any], budget: Budget) -> None:
        self._budget = budget
        self._others: list[tuple[int, Any]] = []
        self.total = sum(element_count(tensor) or 0 for tensor in tensors)
        self.nan, self.inf, self.read = not_finite(torch, self._in_plain_memory(tensors), budget)
        for at, other in self._others:
            self._add(at, other)

    def _in_plain_memory(self, tensors: list[Any]) -> Iterator[tuple[int, Any]]:
        for at, tensor in enumerate(tensors):
            form: Any = look(tensor, self._budget)
            elements = form.elements() if form.is_dense() and can_be_summed(torch, dtype_of(tensor)) else None
            if elements is None:
                self._others.append((at, form))
            elif not isinstance(elements, Unread):
                yield at, elements

    def _add(self, at: int, other: Any) -> None:
        reading = other.reading()
        if isinstance(reading, Unread):
            return
        counts: Any = reading.get("abs", reading)
        self.total += counts["count"] - (element_count(other.value) or 0)  # of a sparse one, what is stored
        self.read += counts["read"]
        for badge, found in (("nan", self.nan), ("inf", self.inf)):
            if badge in badges(reading):
                found.add(at)


def _can_hold_some(tensor: Any) -> bool:
    dtype = dtype_of(tensor)
    return bool(dtype.is_floating_point or dtype.is_complex) and device_of(tensor).type != "meta"
