"""Collects all memory that names reach, that graphs keep, and, on request, that no name reaches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from itertools import compress
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...measure.memory.blocks import Extent
from ...measure.memory.extents import extents_of
from ...safe.budget import Budget, Steps
from ...safe.guard import module
from .roots import frames_of, roots
from .walk import MOST, Walk

if TYPE_CHECKING:
    from ...measure.memory.retained import Retained

PARTS = ("model", "gradients", "optimizer", "variables", "saved", "unnamed")
_INDEX_BITS = 40  #: bits of a rank that hold an index


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
        most: int = MOST,
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
        self._functions: dict[int, tuple[int, int, Any]] = {}  #: rank, index and node of a tensor, by its id
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
        return (0.0, 0.4, 0.6, 0.8, 0.9, 1.0)[self._stage]

    def part(self, number: int) -> str:
        return PARTS[self.ranks[number] >> (_INDEX_BITS + 2)]

    def unnamed(self) -> list[tuple[Any, Sequence[Extent]]]:
        """The tensors that no name has reached, with their memory."""
        return [(one, extents_of(one)) for one in unnamed_tensors(self._measured)]

    @property
    def complete(self) -> bool:
        return self.walk.complete and not self.walk.uncounted and (self.graphs is None or self.graphs.complete)

    def _walk(self, budget: Budget) -> bool:
        return self.walk.go_on(budget)

    def _enter_named(self, budget: Budget) -> bool:
        steps, walk = Steps(budget), self.walk
        while self._at < len(walk.met):
            if steps.end():
                return False
            index = walk.met[self._at]
            self._at += 1
            rank = not walk.given[index], walk.group(index) == index
            self._enter(walk.values[index], walk.roles[index], *rank, index)
        return True

    def _enter(self, value: Any, part: str, is_taken: bool, is_group: bool, index: int, op: str | None = None) -> None:
        """What a module says is its own stands before what it is elsewhere, what is in a variable before itself."""
        order = index if index >= 0 and op is None else len(self.ranks)
        rank = ((PARTS.index(part) * 2 + is_taken) * 2 + is_group) << _INDEX_BITS | order
        known = self._measured.get(id(value))
        if known is None:
            known = self._measured[id(value)] = extents_of(value)
        for extent in known:
            if op is not None:
                self.ops[len(self.ranks)] = op
            self.extents.append(extent)
            self.ranks.append(rank)
            self.indices.append(index)
            self.values.append(value)
        function = None if op is not None or self._function_of is None else self._function_of(value)
        if function is not None:
            before = self._functions.get(id(value))
            below = rank & ((1 << _INDEX_BITS + 2) - 1)
            if before is None or below < before[0]:
                self._functions[id(value)] = below, index, function

    def _enter_unnamed(self, budget: Budget) -> bool:
        if not self.is_thorough or self._function_of is None:
            return True
        if not self._at:
            self._unnamed = unnamed_tensors(self._measured)
        steps = Steps(budget)
        while self._at < len(self._unnamed):
            if steps.end():
                return False
            self._enter(self._unnamed[self._at], "unnamed", True, True, -1)
            self._at += 1
        return True

    def _go_through_graphs(self, budget: Budget) -> bool:
        if self.graphs is None and self._functions:
            from ...measure.memory.retained import Retained

            known = sorted(self._functions.values(), key=lambda one: (one[1] < 0, one[0]))
            self.root_indices = [index for _, index, _ in known]
            self.graphs = Retained([function for _, _, function in known])
        return self.graphs is None or self.graphs.go_on(budget)

    def _enter_saved(self, budget: Budget) -> bool:
        steps, graphs = Steps(budget), self.graphs
        while graphs is not None and self._at < len(graphs.kept):
            if steps.end():
                return False
            index = self.root_indices[graphs.roots[self._at]]
            self._enter(graphs.kept[self._at], "saved", True, True, index, graphs.ops[self._at])
            self._at += 1
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
