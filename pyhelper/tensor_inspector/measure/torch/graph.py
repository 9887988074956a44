"""The live autograd graph as data: nodes, edges, leaves. Walked without running any backward."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ...safe.budget import Budget, Steps
from .node import AutogradNode

#: Nodes of one graph. A node that Python has seen is freed by a call inside that of the node above it: where a program
#: lets go of a chain of 45,000 such nodes, torch runs out of 8 MB of stack. A main thread on Windows has 2 MB.
_MOST = 8_000 if sys.platform == "win32" else 20_000
#: Operations that change no value.
VIEWS = frozenset(
    "Alias AsStrided Clone Contiguous Permute Reshape ReshapeAlias Squeeze T ToCopy Transpose UnsafeView"
    " Unsqueeze View".split()
)


class Graph:
    """All that is reached from some nodes, each node once; an edge that is not followed any more ends in None.

    What the budget has no time for can be gone on with (`grow`); ``complete`` tells whether all was reached.
    """

    def __init__(self, roots: Iterable[Any], budget: Budget) -> None:
        self.nodes: list[AutogradNode] = []
        self._numbers: dict[int, int] = {}
        self._below: dict[int, dict[int, AutogradNode]] = {}
        self._leaves: dict[int, list[Any]] = {}
        self._users: dict[int, list[tuple[AutogradNode, int]]] | None = None
        self._full = False
        self._walked = 0  #: nodes whose inputs are known: the first ones
        for root in roots:
            if root is not None:
                self._number(root)
        self.grow(budget)

    @property
    def complete(self) -> bool:
        return self._walked == len(self.nodes) and not self._full

    def grow(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether there is no more to reach."""
        steps, nodes, self._users = Steps(budget), self.nodes, None
        self._below.clear()
        self._leaves.clear()
        while self._walked < len(nodes) and not steps.end():
            node = nodes[self._walked]
            self._walked += 1
            for below, _ in node.next_functions():
                node.inputs.append(None if below is None else self._number(below))
        return self._walked == len(nodes)

    def _number(self, function: Any) -> int | None:
        """The number of a node; None where it would be one too many."""
        known = self._numbers.get(id(function))
        if known is not None:
            return known
        number = len(self.nodes)
        if number >= _MOST:
            self._full = True
            return None
        self._numbers[id(function)] = number
        self.nodes.append(AutogradNode(function, number))
        return number

    def of(self, function: Any) -> AutogradNode | None:
        """The node of a ``grad_fn``."""
        number = self._numbers.get(id(function))
        return None if function is None or number is None else self.nodes[number]

    def input(self, node: AutogradNode, position: int = 0) -> AutogradNode | None:
        if position >= len(node.inputs):
            return None
        number = node.inputs[position]
        return None if number is None else self.nodes[number]

    def inputs(self, node: AutogradNode) -> Iterator[AutogradNode]:
        return (self.nodes[number] for number in node.inputs if number is not None)

    def users(self, node: AutogradNode) -> list[tuple[AutogradNode, int]]:
        """The nodes that take its output, and as which of their inputs."""
        if self._users is None:
            self._users = {}
            for above in self.nodes:
                for position, number in enumerate(above.inputs):
                    if number is not None:
                        self._users.setdefault(number, []).append((above, position))
        return self._users.get(node.index, [])

    def below(self, node: AutogradNode) -> list[AutogradNode]:
        """The node and all that it is computed from, nearest first."""
        return list(self._all_below(node).values())

    def reaches(self, node: AutogradNode, other: AutogradNode) -> bool:
        return other.index in self._all_below(node)

    def _all_below(self, node: AutogradNode) -> dict[int, AutogradNode]:
        known = self._below.get(node.index)
        if known is None:
            found, waiting = {node.index}, [node.index]
            while waiting:
                for number in self.nodes[waiting.pop()].inputs:
                    if number is not None and number not in found:
                        found.add(number)
                        waiting.append(number)
            known = self._below[node.index] = {number: self.nodes[number] for number in sorted(found)}
        return known

    def leaves(self, node: AutogradNode) -> list[Any]:
        """The tensors whose ``.grad`` a backward from here would add to."""
        if node.index not in self._leaves:
            self._leaves[node.index] = [below.leaf for below in self.below(node) if below.leaf is not None]
        return self._leaves[node.index]

    def leaves_beside(self, node: AutogradNode, ops: tuple[str, ...]) -> list[Any]:
        """The leaves that are reached without going through operations of these names."""
        seen, waiting, found = {node.index}, [node], []
        while waiting:
            current = waiting.pop()
            if current.leaf is not None:
                found.append(current.leaf)
            for below in self.inputs(current) if current.op not in ops else ():
                if below.index not in seen:
                    seen.add(below.index)
                    waiting.append(below)
        return found

    def through_views(self, node: AutogradNode | None) -> AutogradNode | None:
        """The node itself, or what it is only another shape, order or copy of."""
        while node is not None and node.op in VIEWS:
            node = self.input(node)
        return node
