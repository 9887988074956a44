"""Counts the memory of the tensors and arrays in a container, and the autograd graphs that they keep."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from ..measure.memory.extents import extents_of_each, has_memory
from ..safe.budget import Budget
from ..safe.guard import module
from .contained import ContainedValues

if TYPE_CHECKING:
    from ..protocol import HeldFacts

_NODES = 10_000  #: visited of all graphs together
_NODES_EACH = 1024  #: visited of each graph, on average
_FIRST = 4  #: if the first tensors share one graph, the others are assumed to share it
_SHARE = 0.1  #: the share of the time that it may take


class ContainedMemory:
    """The memory of held tensors and arrays; shared bytes count once. ``complete`` is true where all was walked
    through. ``graphs`` counts the graphs of the first ``graphs_of`` tensors, or of all where that is None: a further
    tensor could join two of them into one.
    """

    def __init__(self, contained: ContainedValues, budget: Budget) -> None:
        values: dict[int, Any] = {}
        for run in contained.runs:
            if not run.inside and has_memory(run.cls):
                values.update(zip(map(id, run.values), run.values))
        self.tensors = len(values)
        self.bytes = 0
        self.complete = not contained.cut
        self.graphs = 0
        self.graphs_of = None if self.complete else self.tensors
        if values:
            self._measure(list(values.values()), budget.share(_SHARE))

    def _measure(self, values: list[Any], budget: Budget) -> None:
        if module("torch") is None:
            self.bytes = _bytes_of(values)
            return
        from ..measure.memory.storages import bytes_of_tensors
        from ..measure.torch.metadata import EXACT_TENSORS, grad_fn_of, is_tensor, requires_grad

        are_exact = EXACT_TENSORS.include(map(type, values))
        known = bytes_of_tensors(values) if are_exact else None
        self.bytes = _bytes_of(values) if known is None else known
        if are_exact and not any(map(requires_grad, values)):
            return
        functions = [grad_fn_of(value) if is_tensor(value) else None for value in values]
        indices = [index for index, function in enumerate(functions) if function is not None]
        self.graphs = min(1, len(indices))
        if len(indices) > 1:
            self._count_graphs([functions[index] for index in indices], indices, budget)

    def _count_graphs(self, roots: list[Any], indices: list[int], budget: Budget) -> None:
        """Counts the graphs of ``roots``, the ``grad_fn`` of the tensors at ``indices``."""
        from ..measure.memory.graphs import Graphs

        if len(roots) > _FIRST:
            first = Graphs(roots[:_FIRST], _NODES_EACH * _FIRST)
            first.go_on(budget)
            if first.count() == 1:
                self.graphs_of = indices[first.whole()]
                return
        graphs = Graphs(roots, min(_NODES, _NODES_EACH * len(roots)))
        graphs.go_on(budget)
        self.graphs, whole = max(1, graphs.count()), max(1, graphs.whole())
        if whole < len(roots):
            self.graphs_of = indices[whole]

    def data(self) -> HeldFacts:
        return {
            "tensors": self.tensors,
            "bytes": self.bytes,
            "complete": self.complete,
            "graphs": self.graphs,
            "graphs_of": self.graphs_of,
        }


def _bytes_of(values: list[Any]) -> int:
    from ..measure.memory.blocks import MemoryBlocks  # compiled only where it is needed

    return sum(MemoryBlocks(list(chain.from_iterable(extents_of_each(values)))).bytes)
