"""Counts the autograd graphs behind some nodes: two that share a node are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...safe.budget import Budget, Steps
from ..torch.graph import MAX_NODES
from ..torch.node import LEAF, NodeClass, class_of


class Graphs:
    """Goes through the graphs of nodes that are given, the ``roots``, in their order, up to ``most`` nodes.

    A graph is all that hangs together without its leaves: the losses of two steps on one model have two. Each node
    counts for the first root that reaches it. Not ``complete`` where there are more nodes than that.
    """

    def __init__(self, roots: Sequence[Any], most: int = MAX_NODES) -> None:
        self.complete = True
        self._starts = roots
        self._most = most
        self._at = 0
        self._waiting: list[tuple[Any, NodeClass]] = []
        self._functions: list[Any] = []  #: an id is an identity only as long as its object lives
        self._reached: dict[int, int] = {}  #: by which root a node was reached first, by the node's id
        self._joined = list(range(len(roots)))
        self._first_cut: int | None = None  #: the first root whose graph has nodes that were left out

    def go_on(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether all is reached."""
        steps = Steps(budget)
        while self._at < len(self._starts) or self._waiting:
            if steps.end():
                return False
            if not self._waiting:
                self._enter(self._starts[self._at], self._at)
                self._at += 1
                continue
            function, known = self._waiting.pop()
            for below, _ in known.next_functions(function):
                if below is not None:
                    self._enter(below, self._at - 1)
        return True

    def progress(self) -> float:
        return self._at / max(1, len(self._starts))

    def graph(self, root: int) -> int:
        """The number of a root's graph: the same for roots whose graphs are one."""
        while self._joined[root] != root:
            root = self._joined[root]
        return root

    def whole(self) -> int:
        """How many of the first roots have been gone through to the last of their nodes."""
        if self._first_cut is not None:
            return self._first_cut
        return self._at - 1 if self._waiting else self._at

    def count(self) -> int:
        """How many graphs these have."""
        return len({self.graph(root) for root in range(self.whole())})

    def _enter(self, function: Any, root: int) -> None:
        first = self._reached.get(id(function))
        if first == root:
            return
        known = class_of(type(function))
        if first is not None:
            if known.op != LEAF:
                self._joined[self.graph(root)] = self.graph(first)
            return
        if len(self._functions) >= self._most:
            self.complete = False
            self._first_cut = root if self._first_cut is None else self._first_cut
            return
        self._functions.append(function)
        self._reached[id(function)] = root
        if known.op != LEAF:
            self._waiting.append((function, known))
            self._visit(function, root, known)

    def _visit(self, function: Any, root: int, known: NodeClass) -> None:
        """Called once for each node that is no leaf, for subclasses."""
