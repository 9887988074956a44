"""The live autograd graph as data: nodes, edges, leaves. No backward runs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import compress, count, islice
from typing import Any

from ...safe.budget import Budget, Steps
from .node import LEAF, AutogradNode, NodeClass, class_of
from .saved import WAS_FREED, WAS_MODIFIED

#: Nodes of one graph. A node that Python has seen is freed by a call inside that of the node above it: where a program
#: lets go of a chain of 45,000 such nodes, torch runs out of 8 MB of stack. A main thread on Windows has 2 MB.
MAX_NODES = 8_000 if sys.platform == "win32" else 20_000
#: Operations that change no value, but that a copy to another dtype may round it.
VIEWS = frozenset(
    "Alias AsStrided Clone Contiguous Permute Reshape ReshapeAlias Squeeze T ToCopy Transpose UnsafeView"
    " Unsqueeze View".split()
)


class Graph:
    """All that is reached from some nodes, each node once; an edge that is not followed any more ends in None.

    What the budget has no time for can be gone on with (`grow`); ``complete`` tells whether all was reached.

    It is kept as lists of numbers, and a node is made when it is asked for: thousands of objects that live through a
    stop would have the garbage collector go through all that the program has, which takes longer than the walk.
    """

    def __init__(self, roots: Iterable[Any], budget: Budget) -> None:
        self._functions: list[Any] = []  #: references, since an id is an identity only as long as its object lives
        self._made: dict[int, AutogradNode] = {}  #: those that were asked for, by their numbers
        self._saved_states: dict[int, int] = {}  #: what has become of what a node saved
        self._numbers: dict[int, int] = {}  #: of nodes, by the ids of their functions
        self._classes: dict[int, NodeClass] = {}  #: by the ids of classes
        self._edges: list[int | None] = []  #: the inputs of all nodes, one after another
        self._outputs: list[int] = []  #: which output of the node it leads to each of these edges is of
        self._cut: set[int] = set()  #: those of these edges that are not followed, since there are too many nodes
        self._ends: list[int] = [0]  #: where in them the inputs of each node begin, and those of the one before end
        self._below: dict[int, bytearray] = {}
        self._leaves: dict[int, list[Any]] = {}
        self._of_op: dict[str, list[int]] | None = None
        self._users: tuple[dict[int, int], list[int], list[int]] | None = None
        self.full = False  #: more nodes exist than are walked through
        for root in roots:
            if root is not None and id(root) not in self._numbers:
                self._enter(root)
        self.grow(budget)

    @property
    def nodes(self) -> list[AutogradNode]:
        return [self.node(number) for number in range(len(self._functions))]

    @property
    def complete(self) -> bool:
        return self._walked == len(self._functions) and not self.full

    @property
    def _walked(self) -> int:
        """How many nodes there are whose inputs are known: the first ones."""
        return len(self._ends) - 1

    def grow(self, budget: Budget) -> bool:
        """Walk on while there is time. Whether there is no more to reach."""
        steps, functions, numbers = Steps(budget), self._functions, self._numbers
        edges, outputs, ends, classes = self._edges, self._outputs, self._ends, self._classes
        start = at = self._walked
        while at < len(functions) and not steps.end():
            function = functions[at]
            known = classes.get(id(type(function))) or self._class_of(function)
            for below, output in known.next_functions(function):
                number = numbers.get(id(below))
                if number is None and below is not None:
                    number = self._enter(below)
                    if number is None:
                        self._cut.add(len(edges))
                edges.append(number)
                outputs.append(output)
            ends.append(len(edges))
            at += 1
        for number, node in self._made.items():
            if number >= start:
                node.inputs = self._inputs(number)
        self._below.clear()
        self._leaves.clear()
        self._users = None
        self._of_op = None
        return at == len(functions)

    def _enter(self, function: Any) -> int | None:
        """The number of a node that is met for the first time; None where it would be one too many."""
        number = len(self._functions)
        if number >= MAX_NODES:
            self.full = True
            return None
        self._numbers[id(function)] = number
        self._functions.append(function)
        return number

    def _class_of(self, function: Any) -> NodeClass:
        known = self._classes.get(id(type(function)))
        if known is None:
            known = self._classes[id(type(function))] = class_of(type(function))
        return known

    def _inputs(self, number: int) -> list[int | None]:
        return self._edges[self._ends[number] : self._ends[number + 1]] if number < self._walked else []

    def node(self, number: int) -> AutogradNode:
        known = self._made.get(number)
        if known is None:
            known = self._made[number] = AutogradNode(self._functions[number], number, self._inputs(number))
        return known

    def of(self, function: Any) -> AutogradNode | None:
        """The node of a ``grad_fn``."""
        number = self._numbers.get(id(function))
        return None if function is None or number is None else self.node(number)

    def by(self, *ops: str) -> list[AutogradNode]:
        """The nodes of operations of these names."""
        return [self.node(number) for number in self._numbers_by(ops)]

    def _numbers_by(self, ops: Iterable[str]) -> list[int]:
        known = self._by_op()
        return sorted(number for op in dict.fromkeys(ops) for number in known.get(op, ()))

    def ops(self) -> list[str]:
        """The names of the operations that it has, each once."""
        return list(self._by_op())

    def _by_op(self) -> dict[str, list[int]]:
        if self._of_op is None:
            self._of_op = {}
            for number, function in enumerate(self._functions):
                self._of_op.setdefault(self._class_of(function).op, []).append(number)
        return self._of_op

    def input(self, node: AutogradNode, position: int = 0) -> AutogradNode | None:
        if position >= len(node.inputs):
            return None
        number = node.inputs[position]
        return None if number is None else self.node(number)

    def is_cut(self, node: AutogradNode, position: int) -> bool:
        """Whether an input was made by a node that is one too many."""
        return bool(self._cut) and self._ends[node.index] + position in self._cut

    def output(self, node: AutogradNode, position: int = 0) -> int:
        """Which output of the node below an input is: those of ``chunk`` are different values of one node."""
        return self._outputs[self._ends[node.index] + position] if position < len(node.inputs) else 0

    def inputs(self, node: AutogradNode) -> Iterator[AutogradNode]:
        return (self.node(number) for number in node.inputs if number is not None)

    def inputs_behind_views(self, node: AutogradNode) -> list[AutogradNode]:
        """The nodes that it takes; where one only reshapes, reorders or copies, what that is made of."""
        return [below for one in self.inputs(node) if (below := self.through_views(one)) is not None]

    def users(self, node: AutogradNode) -> list[tuple[AutogradNode, int]]:
        """The nodes that take its output, and as which of their inputs."""
        if self._users is None:
            self._users = self._find_users()
        latest, earlier, owners = self._users
        found, edge = list[tuple[AutogradNode, int]](), latest.get(node.index, -1)
        while edge >= 0:
            found.append((self.node(owners[edge]), edge - self._ends[owners[edge]]))
            edge = earlier[edge]
        found.reverse()
        return found

    def _find_users(self) -> tuple[dict[int, int], list[int], list[int]]:
        """The latest edge to each node; of each edge the one before it to the same node, and whose input it is."""
        latest: dict[int, int] = {}
        earlier, owners = list[int](), list[int]()
        for owner in range(self._walked):
            for edge in range(self._ends[owner], self._ends[owner + 1]):
                number = self._edges[edge]
                owners.append(owner)
                earlier.append(-1 if number is None else latest.get(number, -1))
                if number is not None:
                    latest[number] = edge
        return latest, earlier, owners

    # Below a node

    def below(self, node: AutogradNode, *ops: str, most: int | None = None) -> list[AutogradNode]:
        """The node and all that it is computed from, nearest first; where names are given, the operations of these."""
        return [self.node(number) for number in islice(self._numbers_below(node, ops), most)]

    def size_below(self, node: AutogradNode) -> int:
        """How many nodes that are."""
        return self._all_below(node).count(1)

    def freed_below(self, node: AutogradNode, most: int | None = None) -> AutogradNode | None:
        """The nearest of the first ones below that an earlier backward has freed."""
        numbers = islice(self._numbers_below(node), most)
        return next((self.node(number) for number in numbers if self._saved_state(number) & WAS_FREED), None)

    def modified_below(self, node: AutogradNode) -> tuple[AutogradNode, str] | None:
        """The nearest one below that has saved what was modified since, and under which name."""
        numbers = self._numbers_below(node)
        found = next((self.node(number) for number in numbers if self._saved_state(number) & WAS_MODIFIED), None)
        name = None if found is None else found.modified()
        return None if found is None or name is None else (found, name)

    def _saved_state(self, number: int) -> int:
        known = self._saved_states.get(number)
        if known is None:
            function = self._functions[number]
            known = self._saved_states[number] = self._class_of(function).saved_state(function)
        return known

    def reaches(self, node: AutogradNode, other: AutogradNode) -> bool:
        return bool(self._all_below(node)[other.index])

    def leaves(self, node: AutogradNode) -> list[Any]:
        """The tensors whose ``.grad`` a backward from here would add to."""
        if node.index not in self._leaves:
            numbers = self._numbers_below(node, (LEAF,))
            found = (self._class_of(self._functions[number]).leaf(self._functions[number]) for number in numbers)
            self._leaves[node.index] = [leaf for leaf in found if leaf is not None]
        return self._leaves[node.index]

    def leaves_beside(self, node: AutogradNode, ops: tuple[str, ...]) -> list[Any]:
        """The leaves that are reached without going through torch's operations of these names."""
        seen, waiting, found = {node.index}, [node], []
        while waiting:
            current = waiting.pop()
            if current.leaf is not None:
                found.append(current.leaf)
            for below in self.inputs(current) if current.is_custom or current.op not in ops else ():
                if below.index not in seen:
                    seen.add(below.index)
                    waiting.append(below)
        return found

    def through_views(self, node: AutogradNode | None) -> AutogradNode | None:
        """The node, or the one that it only reshapes, reorders or copies."""
        while node is not None and node.op in VIEWS and not node.is_custom:
            node = self.input(node)
        return node

    def _numbers_below(self, node: AutogradNode, ops: Iterable[str] = ()) -> Iterator[int]:
        if not ops:
            return compress(count(), self._all_below(node))
        numbers = self._numbers_by(ops)
        below = self._all_below(node) if numbers else b""
        return (number for number in numbers if below[number])

    def _all_below(self, node: AutogradNode) -> bytearray:
        """For each number of a node whether that one is below, or this one."""
        known = self._below.get(node.index)
        if known is None:
            known = self._below[node.index] = bytearray(len(self._functions))
            known[node.index], waiting = 1, [node.index]
            edges, ends, walked = self._edges, self._ends, self._walked
            while waiting:
                at = waiting.pop()
                for number in edges[ends[at] : ends[at + 1]] if at < walked else ():
                    if number is not None and not known[number]:
                        known[number] = 1
                        waiting.append(number)
        return known
