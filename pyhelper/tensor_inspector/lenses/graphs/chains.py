"""A graph as rows for people: chains of nodes, their branches, and repeated parts."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Hashable, Iterator, Sequence
from typing import Any

from ...measure.torch.graph import Graph
from ...measure.torch.node import AutogradNode
from ...safe.record import Record

_LONGEST = 128  #: nodes of a part that is looked for again


class Input:
    """What a node takes: ``leaf`` (or a view of one; ``node`` adds to its ``.grad``), ``main`` (the next row of the
    chain), ``chain`` (``node`` begins one of its own), ``again`` (``node`` stands elsewhere), ``none`` (no gradient, or
    not followed).
    """

    __slots__ = ("kind", "node")

    def __init__(self, kind: str, node: AutogradNode | None) -> None:
        self.kind = kind
        self.node = node


class ChainPart(Record):
    """Rows ``start`` … of a chain that come ``times`` times, ``length`` rows each."""

    start: int
    length: int
    times: int


class Chains:
    """Each node stands in one chain, which follows the longest way to a leaf. The first chain begins at the root.

    They are laid out as far as `lay_out` was gone through.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._depths: dict[int, int] = {}
        self._chains: dict[int, list[AutogradNode]] = {}
        self._positions: dict[int, tuple[int, int]] = {}  #: of each node: the first of its chain, and which it is there
        self._keys: dict[int, Hashable] = {}

    def lay_out(self, root: AutogradNode) -> Iterator[None]:
        """Does the work in small parts, and yields after each."""
        order = yield from self._roots_first()
        for node in reversed(order):
            below = (self._depths[one.index] for one in self._graph.inputs(node))
            self._depths[node.index] = 1 + max(below, default=0)
            yield
        waiting = deque([root])
        while waiting:
            start = waiting.popleft()
            if start.index not in self._positions:
                waiting.extend((yield from self._follow(start)))
        for node in self._graph.nodes:
            if node.index in self._positions:
                self._keys[node.index] = self._key(node)
            yield

    def _roots_first(self) -> Generator[None, None, list[AutogradNode]]:
        """The nodes, each before those that it takes."""
        users = [0] * len(self._graph.nodes)
        for node in self._graph.nodes:
            for below in self._graph.inputs(node):
                users[below.index] += 1
            yield
        waiting, order = [node for node in self._graph.nodes if not users[node.index]], []
        while waiting:
            node = waiting.pop()
            order.append(node)
            for below in self._graph.inputs(node):
                users[below.index] -= 1
                if not users[below.index]:
                    waiting.append(below)
            yield
        return order

    def chain(self, start: AutogradNode) -> list[AutogradNode]:
        return self._chains[start.index]

    def inputs(self, node: AutogradNode) -> Iterator[Input]:
        for number in node.inputs:
            below = None if number is None else self._leaf_or_node(self._graph.node(number))
            yield Input(self._kind(node, below), below)

    def parts(self, nodes: Sequence[AutogradNode]) -> list[ChainPart]:
        """The nodes in parts, each as often as it repeats."""
        return parts([self._keys[node.index] for node in nodes])

    def _follow(self, start: AutogradNode) -> Generator[None, None, list[AutogradNode]]:
        """Lays out the chain from a node. Returns where others may begin."""
        chain: list[AutogradNode] = []
        sides: list[AutogradNode] = []
        self._chains[start.index] = chain
        node: AutogradNode | None = start
        while node is not None:
            self._positions[node.index] = start.index, len(chain)
            chain.append(node)
            below = [one for one in self._graph.inputs(node) if self._leaf_or_node(one).leaf is None]
            free = [one for one in below if one.index not in self._positions]
            node = max(free, key=lambda one: self._depths[one.index], default=None)
            sides.extend(one for one in below if one is not node)
            yield
        return sides

    def _leaf_or_node(self, node: AutogradNode) -> AutogradNode:
        """The leaf of which a node is only a view; else the node itself."""
        end = self._graph.through_views(node)
        return node if end is None or end.leaf is None else end

    def _kind(self, node: AutogradNode, below: AutogradNode | None) -> str:
        if below is None:
            return "none"
        if below.leaf is not None:
            return "leaf"
        (chain, at), (start, position) = self._positions[node.index], self._positions[below.index]
        if chain == start and position == at + 1:
            return "main"
        is_here = position == 0 and self._graph.users(below)[0][0] is node
        return "chain" if is_here else "again"

    def _key(self, node: AutogradNode) -> Hashable:
        """What is the same of two nodes that are alike."""
        taken: list[Hashable] = []
        for one in self.inputs(node):
            taken.append(one.kind)
            if one.node is None:
                continue
            leaf: Any = one.node.leaf
            if one.kind == "leaf":
                taken.append(tuple(leaf.shape))
            elif one.kind == "chain":
                taken.append(tuple(below.op for below in self.chain(one.node)))
            elif one.kind == "again":
                (chain, at), (start, position) = self._positions[node.index], self._positions[one.node.index]
                taken.append(position - at if chain == start else None)
        return node.op, node.sizes(), tuple(taken)


def parts(keys: Sequence[Hashable]) -> list[ChainPart]:
    """A sequence as parts that repeat: each begins where it covers the most.

    >>> [(part.start, part.length, part.times) for part in parts("xababab")]
    [(0, 1, 1), (1, 2, 3)]
    """
    found, at = [], 0
    while at < len(keys):
        best = ChainPart(at, 1, 1)
        for length in range(1, min(_LONGEST, (len(keys) - at) // 2) + 1):
            if keys[at] != keys[at + length]:
                continue
            times = 1
            while keys[at : at + length] == keys[at + times * length : at + (times + 1) * length]:
                times += 1
            if times * length > max(2, best.times * best.length) and times > 1:
                best = ChainPart(at, length, times)
            if best.times * best.length == len(keys) - at:
                break
        found.append(best)
        at += best.times * best.length
    return found
