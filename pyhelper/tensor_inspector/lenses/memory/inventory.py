"""Collects all memory that names reach, that graphs keep, and, on request, that no name reaches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from itertools import compress
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...measure.memory.blocks import Extent
from ...measure.memory.extents import extents_of_each
from ...safe.budget import Budget
from ...safe.guard import module
from .roots import frames_of, roots
from .walk import MAX_INDICES, Walk

if TYPE_CHECKING:
    from ...measure.memory.retained import Retained

PARTS = ("model", "gradients", "optimizer", "variables", "saved", "unnamed")
_ORDER = {part: order for order, part in enumerate(PARTS)}
_INDEX_BITS = 40  #: bits of a rank that hold an index
_SAVED = (_ORDER["saved"] * 2 + 1) * 2 + 1  #: what stands in a rank before the index, of what a graph has saved
_AT_ONCE = 128  #: values whose memory is asked for between two looks at the clock
_PROGRESS = (0.0, 0.4, 0.6, 0.8, 0.9, 1.0)  #: before each stage, and after the last


class Inventory:
    """Extents of memory, and who holds each: found in slices of time, and kept in parallel lists.

    ``indices`` are those of `Walk`, −1 for a value without a name; for a tensor that a graph saved, of the variable
    with the graph, and its operation is in ``ops``. Of several that share memory the one of the lowest rank counts.
    ``thorough`` looks for tensors without a name too; without ``shares`` there is only the walk, which meets what is
    ``watched``.
    """

    def __init__(
        self,
        frame: FrameType | None,
        *,
        thorough: bool = False,
        watched: frozenset[int] = frozenset(),
        most: int = MAX_INDICES,
        shares: bool = True,
    ) -> None:
        self.walk = Walk(roots(frame), watched, most, frames_of(frame))
        self.extents: list[Extent] = []
        self.ranks: list[int] = []
        self.indices: list[int] = []
        self.values: list[Any] = []
        self.ops: dict[int, str] = {}
        self.graphs: Retained | None = None
        self.root_indices: list[int] = []  #: of the tensors whose graphs are gone through, in their order
        self.is_thorough = thorough
        self._shares = shares
        self._measured: dict[int, Sequence[Extent]] = {}  #: by the ids of values, which are kept
        self._nodes: dict[int, Any] = {}  #: of the named that a graph has made, by their ids
        self._first: dict[int, tuple[int, int]] = {}  #: the lowest rank of each of these, and its index
        self._function_of = None if module("torch") is None else _function_of()
        self._stage = 0
        self._at = 0
        self._unnamed: list[Any] = []

    def go_on(self, budget: Budget) -> bool:
        """Work on while there is time. Whether all is done."""
        if not self._shares:
            return self._walk(budget)
        stages = (self._walk, self._enter_named, self._enter_unnamed, self._go_through_graphs, self._enter_saved)
        while self._stage < len(stages):
            if not stages[self._stage](budget):
                return False
            self._stage, self._at = self._stage + 1, 0
        return True

    def progress(self) -> float:
        return _PROGRESS[self._stage]

    @property
    def is_walked(self) -> bool:
        """Whether all that names reach was met."""
        return self._stage > 0

    def end_walk(self) -> None:
        """Leave out what was not met yet."""
        self._stage = max(self._stage, 1)

    def part(self, number: int) -> str:
        return PARTS[self.ranks[number] >> (_INDEX_BITS + 2)]

    def unnamed(self) -> list[tuple[Any, Sequence[Extent]]]:
        """The tensors that no name has reached, with their memory."""
        found = unnamed_tensors(self._measured)
        return list(zip(found, extents_of_each(found)))

    @property
    def complete(self) -> bool:
        is_done = not self._shares or self._stage == len(_PROGRESS) - 1
        return (
            is_done and self.walk.complete and not self.walk.uncounted and (self.graphs is None or self.graphs.complete)
        )

    def _walk(self, budget: Budget) -> bool:
        return self.walk.go_on(budget)

    def _enter_named(self, budget: Budget) -> bool:
        walk = self.walk
        while some := walk.met[self._at : self._at + _AT_ONCE]:
            self._at += len(some)
            self._measure([walk.values[index] for index in some], self._function_of)
            for index in some:
                is_taken, is_group = not walk.given[index], walk.group(index) == index
                self._enter_value(walk.values[index], walk.roles[index], is_taken, is_group, index)
            if budget.spent():
                return False
        return True

    def _measure(self, values: Sequence[Any], function_of: Callable[[Any], Any] | None = None) -> None:
        """Asks for the memory of those that are new, and for their nodes."""
        new = {id(value): value for value in values if id(value) not in self._measured}
        self._measured.update(zip(new, extents_of_each(list(new.values()))))
        if function_of is not None:
            nodes = zip(new, map(function_of, new.values()))
            self._nodes.update((key, node) for key, node in nodes if node is not None)

    def _enter_value(self, value: Any, part: str, is_taken: bool, is_group: bool, index: int) -> None:
        """What a module says is its own stands before what it is elsewhere, what is in a variable before itself."""
        below = (is_taken * 2 + is_group) << _INDEX_BITS | (index if index >= 0 else len(self.ranks))
        self._enter(value, (_ORDER[part] << _INDEX_BITS + 2) + below, index)
        if id(value) in self._nodes:
            self._first[id(value)] = min(self._first.get(id(value), (below, index)), (below, index))

    def _enter(self, value: Any, rank: int, index: int) -> None:
        for extent in self._measured[id(value)]:
            self.extents.append(extent)
            self.ranks.append(rank)
            self.indices.append(index)
            self.values.append(value)

    def _enter_unnamed(self, budget: Budget) -> bool:
        if not self.is_thorough or self._function_of is None:
            return True
        if not self._at:
            self._unnamed = unnamed_tensors(self._measured)
        while some := self._unnamed[self._at : self._at + _AT_ONCE]:
            self._at += len(some)
            self._measure(some, self._function_of)
            for value in some:
                self._enter_value(value, "unnamed", True, True, -1)
            if budget.spent():
                return False
        return True

    def _go_through_graphs(self, budget: Budget) -> bool:
        if self.graphs is None and self._nodes:
            from ...measure.memory.retained import Retained

            known = sorted(self._first.items(), key=lambda one: (one[1][1] < 0, one[1][0]))
            self.root_indices = [index for _, (_, index) in known]
            self.graphs = Retained([self._nodes[key] for key, _ in known])
        return self.graphs is None or self.graphs.go_on(budget)

    def _enter_saved(self, budget: Budget) -> bool:
        graphs = self.graphs
        while graphs is not None and (some := graphs.kept[self._at : self._at + _AT_ONCE]):
            self._measure(some)
            for at, value in enumerate(some, self._at):
                first = len(self.ranks)
                self._enter(value, _SAVED << _INDEX_BITS | first, self.root_indices[graphs.roots[at]])
                self.ops.update(dict.fromkeys(range(first, len(self.ranks)), graphs.ops[at]))
            self._at += len(some)
            if budget.spent():
                return False
        return True


def unnamed_tensors(known: dict[int, Any]) -> list[Any]:
    """The tensors of the process that are not known by their ids.

    Told by their classes alone: an object may be one that is only being made. Nothing of Python runs for each.
    """
    from ...measure.torch.metadata import Base

    classes = [Base]
    for base in classes:  # which grows
        classes += type.__subclasses__(base)
    objects = gc.get_objects()
    tensors = compress(objects, map(frozenset(map(id, classes)).__contains__, map(id, map(type, objects))))
    return [one for one in tensors if id(one) not in known]


def _function_of() -> Callable[[Any], Any]:
    """The node of the autograd graph that has made a tensor."""
    from ...measure.torch.metadata import grad_fn_of, is_tensor

    return lambda value: grad_fn_of(value) if is_tensor(value) else None
