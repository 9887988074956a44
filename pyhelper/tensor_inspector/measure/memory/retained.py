"""What autograd graphs keep for their backward, and which graphs there are: two that share a node are one."""

from __future__ import annotations

from typing import Any

from ...safe.budget import Budget, Steps
from ..torch.graph import MOST
from ..torch.node import LEAF, NodeClass, class_of


class Retained:
    """Goes through the graphs of nodes that are given in their order. Each node counts for the first that reaches it.

    A graph is all that hangs together without its leaves: the losses of two steps on one model have two. ``kept`` are
    the tensors, ``roots`` the numbers of the roots that reached them and ``ops`` the operations that keep them;
    ``unknown`` counts those that only hooks could tell.
    """

    def __init__(self, roots: list[Any]) -> None:
        self.kept: list[Any] = []
        self.roots: list[int] = []
        self.ops: list[str] = []
        self.unknown = 0
        self.complete = True
        self._starts = roots
        self._at = 0
        self._waiting: list[Any] = []
        self._functions: list[Any] = []  #: an id is an identity only as long as its object lives
        self._reached: dict[int, int] = {}  #: by which root a node was reached first, by the node's id
        self._joined = list(range(len(roots)))

    def go_on(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether all is reached."""
        steps = Steps(budget)
        while self._at < len(self._starts) or self._waiting:
            if steps.end():
                return False
            if not self._waiting:
                self._enter(self._starts[self._at], self._at, class_of(type(self._starts[self._at])))
                self._at += 1
                continue
            function = self._waiting.pop()
            for below, _ in class_of(type(function)).next_functions(function):
                if below is not None:
                    self._enter(below, self._at - 1, class_of(type(below)))
        return True

    def progress(self) -> float:
        return self._at / max(1, len(self._starts))

    def graph(self, root: int) -> int:
        """The number of a root's graph: the same for roots whose graphs are one."""
        while self._joined[root] != root:
            root = self._joined[root]
        return root

    def _enter(self, function: Any, root: int, known: NodeClass) -> None:
        first = self._reached.get(id(function))
        if first is not None:
            if known.op != LEAF:
                self._joined[self.graph(root)] = self.graph(first)
            return
        if len(self._functions) >= MOST:
            self.complete = False
            return
        self._functions.append(function)
        self._reached[id(function)] = root
        if known.op == LEAF:
            return
        self._waiting.append(function)
        found, unknown = known.held(function)
        self.kept += found
        self.roots += [root] * len(found)
        self.ops += [known.op] * len(found)
        self.unknown += unknown
