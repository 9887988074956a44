"""Nodes of a graph as rows: chains down to the leaves, repeated parts as one row, saved tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...kinds import Child, Rows, TextRow
from ...measure.torch.graph import Graph
from ...measure.torch.metadata import dtype_and_shape, grad_hooks_of, hooks_of
from ...measure.torch.node import AutogradNode
from ...measure.torch.saved import Saved
from ...safe.guard import class_name
from ...words.line import head, line_of
from ...words.text import joined, listed, plural, shape
from ..surroundings import Names
from .chains import ChainPart, Chains

_NAMED = 60  #: characters of a list of names on a line
_SHOWN = ("tensor", "freed", "hooked", "modified")  #: states of what is saved that have a row


class GraphRows:
    """Makes rows of nodes when they are shown."""

    def __init__(self, chains: Chains, names: Names, graph: Graph) -> None:
        self._chains = chains
        self._names = names
        self._graph = graph

    def chain(self, line: str, nodes: Sequence[AutogradNode]) -> Rows:
        """The nodes as rows; a part that repeats is one row, with each of its turns below it."""
        parts = self._chains.parts(nodes)

        def some(start: int, count: int) -> Iterator[Child]:
            for part in parts[start : start + count]:
                yield self._part(part, nodes)

        return Rows(line, len(parts), some, "graph")

    def _part(self, part: ChainPart, nodes: Sequence[AutogradNode]) -> Child:
        turns = [nodes[part.start + at * part.length :][: part.length] for at in range(part.times)]
        if part.times == 1:
            return self._node(turns[0][0])

        def some(start: int, count: int) -> Iterator[Child]:
            for number, turn in enumerate(turns[start : start + count], start):
                yield self._node(turn[0]) if len(turn) == 1 else Child(f"[{number}]", self._turn(turn), "")

        ops = listed([node.op for node in turns[0]], False, _NAMED)
        return Child(f"× {part.times} alike", Rows(ops, part.times, some, "graph"), "")

    def _turn(self, nodes: Sequence[AutogradNode]) -> Rows:
        return self.chain(joined([plural(len(nodes), "operation"), self._first_leaf(nodes)]), nodes)

    def _first_leaf(self, nodes: Sequence[AutogradNode]) -> str | None:
        leaves = (leaf for node in nodes for leaf in self._leaves(node))
        return next((name for name in map(self._names.of, leaves) if name), None)

    def _leaves(self, node: AutogradNode) -> Iterator[Any]:
        """The leaves that it takes."""
        for one in self._chains.inputs(node):
            if one.kind == "leaf" and one.node is not None:
                yield one.node.leaf

    def _node(self, node: AutogradNode) -> Child:
        def some(start: int, count: int) -> list[Child]:
            return list(self._below(node))[start : start + count]

        return Child(node.op, Rows(line_of(self._parts(node)), self._count(node), some, "graph"), "")

    def _parts(self, node: AutogradNode) -> Iterator[str | None]:
        yield self._names.result_name(self._graph, node)
        sizes = node.sizes()
        if sizes is not None:
            yield head(node.dtype_name(), shape(sizes))
        if node.is_custom:
            yield "a custom Function"
        yield listed([self._names.of(leaf) or dtype_and_shape(leaf) for leaf in self._leaves(node)], False, _NAMED)
        state = node.state()
        saved_names = [name for name in node.saves() if node.saved(name).state == "tensor"]
        if state == "freed":
            yield "saved tensors freed"
        elif state == "modified":
            yield "modified in place since it was saved"
        elif state == "hooked":
            yield "saved with hooks"
        elif saved_names:
            yield f"saves {listed(saved_names, False, _NAMED)}"

    def _count(self, node: AutogradNode) -> int:
        rows = sum(one.kind in ("leaf", "chain", "again") for one in self._chains.inputs(node))
        hooks = sum(bool(_hooks(leaf)) for leaf in self._leaves(node))
        return rows + hooks + sum(node.saved(name).state in _SHOWN for name in node.saves())

    def _below(self, node: AutogradNode) -> Iterator[Child]:
        """What a node takes, and what it has saved."""
        for one in self._chains.inputs(node):
            if one.node is None:
                continue
            if one.kind == "leaf":
                yield from self._leaf(one.node.leaf)
            elif one.kind == "chain":
                yield self._branch(one.node)
            elif one.kind == "again":
                made = self._names.result_name(self._graph, one.node)
                yield Child(one.node.op, TextRow(joined(["≡ stands elsewhere", made])), "")
        for name in node.saves():
            saved = node.saved(name)
            if saved.state in _SHOWN:
                yield Child(f"saved {name}", saved.value if saved.state == "tensor" else TextRow(_why(saved)))

    def _leaf(self, leaf: Any) -> Iterator[Child]:
        name = self._names.of(leaf)
        yield Child(name or class_name(type(leaf)), leaf, name)
        hooks = _hooks(leaf)
        if hooks:
            yield Child(f"hooks of {name or 'the leaf'}", TextRow(plural(hooks, "hook")), "")

    def _branch(self, start: AutogradNode) -> Child:
        nodes = self._chains.chain(start)
        return self._node(start) if len(nodes) == 1 else Child(f"{start.op} …", self._turn(nodes), "")


def _hooks(leaf: Any) -> int:
    """The number of hooks on the gradient of a leaf. Other tensors of a graph do not list theirs."""
    return len(hooks_of(leaf) or ()) + len(grad_hooks_of(leaf) or ())


def _why(saved: Saved) -> str:
    """Why a saved tensor is not shown."""
    if saved.state == "freed":
        return "freed by an earlier backward"
    if saved.state == "hooked":
        return "not read: saved-tensor hooks"
    versions = f": at version {saved.found}, saved at {saved.expected}" if saved.found >= 0 else ""
    return f"modified in place since it was saved{versions}"
