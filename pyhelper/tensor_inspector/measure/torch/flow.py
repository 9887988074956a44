"""The values that flow through a graph, as far as they are known: variables, saved tensors, and what simple arithmetic
makes of these. No code of the program runs, and autograd sees nothing of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, prod
from typing import Any

from ...safe.record import Record
from .elements import bare
from .graph import Graph
from .metadata import gradient_of, output_number, shape_of
from .node import AutogradNode
from .operations.saved_names import output_saved_as, taken_names
from .operations.work import can_work_out, result_of

_READ = 1 << 24  #: elements of a value that is looked at
_MADE = 1 << 16  #: elements of a value that is worked out
_ALL_MADE = 1 << 24  #: elements of all these
_NORMS = ("NativeBatchNorm", "NativeGroupNorm", "NativeLayerNorm")


class Counts(Record):
    """What is not finite in a value."""

    nan: int = 0
    positive: int = 0
    negative: int = 0

    @property
    def inf(self) -> int:
        return self.positive + self.negative

    def any(self) -> bool:
        return bool(self.nan or self.positive or self.negative)


class NodeInput(Record):
    """One of the tensors that an operation was given: its value and the node that made it, where these are known.

    ``is_tensor`` is False of what may as well be a number. ``is_cut``: a node made it that is too many to be followed.
    """

    value: Any
    node: AutogradNode | None
    is_tensor: bool = True
    is_cut: bool = False


class Flow:
    """``visible`` are values in sight. Nodes are to be entered in the order in which they were made, so that what is
    worked out of others finds these. A value is known by its node and by which of the node's outputs it is."""

    def __init__(self, graph: Graph, visible: Iterable[Any]) -> None:
        self._graph = graph
        self._visible = _by_output(graph, visible)
        self._values: dict[tuple[int, int], Any] = {}
        self._counts: dict[tuple[int, int], Counts | None] = {}
        self._left = _ALL_MADE

    def enter(self, node: AutogradNode) -> None:
        for output in self._outputs(node):
            self._values[node.index, output] = self._known(node, output)

    def value(self, node: AutogradNode, output: int = 0) -> Any:
        """What a node has made; of a leaf the leaf itself. None where it is not known."""
        if (node.index, output) not in self._values:
            self._values[node.index, output] = self._known(node, output)
        return self._values[node.index, output]

    def spoiled(self, node: AutogradNode) -> Any:
        """The first output of a node that is known not to be finite; None of none."""
        values = (self.value(node, output) for output in self._outputs(node))
        return next((value for value in values if (counts := counts_of(value)) is not None and counts.any()), None)

    def counts(self, node: AutogradNode) -> Counts | None:
        """What is not finite in all that a node has made; None where all that is known is finite, and not all is."""
        each = [self._counts_of(node, output) for output in self._outputs(node)]
        known = [counts for counts in each if counts is not None]
        total = Counts(
            sum(one.nan for one in known), sum(one.positive for one in known), sum(one.negative for one in known)
        )
        return total if total.any() or len(known) == len(each) else None

    def _counts_of(self, node: AutogradNode, output: int) -> Counts | None:
        if (node.index, output) not in self._counts:
            self._counts[node.index, output] = counts_of(self.value(node, output))
        return self._counts[node.index, output]

    def _outputs(self, node: AutogradNode) -> list[int]:
        """The outputs of a node that are taken by others, or in sight."""
        taken = {self._graph.output(user, position) for user, position in self._graph.users(node)}
        return sorted(taken.union(self._visible.get(node.index, ()))) or [0]

    def operands(self, node: AutogradNode) -> list[NodeInput]:
        found, named = [], set()
        for position in range(len(node.inputs)):
            below, saved = self._graph.input(node, position), saved_input(node, position)
            is_cut = below is None and self._graph.is_cut(node, position)
            if below is None and saved is None and not is_cut and _is_left_out(node, position):
                continue
            named.add(None if saved is None else taken_as(node, position))
            value: Any = None
            if saved is not None:
                value = bare(saved)
            elif below is not None:
                value = self.value(below, self._graph.output(node, position))
            is_tensor = below is not None or saved is not None or is_cut
            found.append(NodeInput(value, below, is_tensor, is_cut))
        found += [NodeInput(bare(value), None) for value in _ctx_tensors(node) if not _is_made_by(node, value)]
        for name in node.saves():
            is_result = output_saved_as(node.op, name) is not None
            saved = None if name in named or is_result else node.tensor(name)
            if saved is not None and saved.is_floating_point():
                found.append(NodeInput(bare(saved), None))
        return found

    def _known(self, node: AutogradNode, output: int) -> Any:
        if node.leaf is not None:
            return bare(node.leaf)
        visible = self._visible.get(node.index, {}).get(output)
        if visible is not None:
            return bare(visible)
        for value in self._saved_as_result(node, output):
            if tuple(value.shape) == node.sizes(output):
                return bare(value)
        for user, position in self._graph.users(node):
            saved = saved_input(user, position) if self._graph.output(user, position) == output else None
            if saved is not None and tuple(saved.shape) == node.sizes(output):
                return bare(saved)
        return self._made(node, output)

    def _saved_as_result(self, node: AutogradNode, output: int) -> Iterator[Any]:
        """What a node has saved as this output."""
        yield from (
            value for value in _ctx_tensors(node) if _is_made_by(node, value) and output_number(value) == output
        )
        for name in node.saves():
            value = node.tensor(name) if output_saved_as(node.op, name) == output else None
            if value is not None:
                yield value

    def _made(self, node: AutogradNode, output: int) -> Any:
        """The result that an operation must have had, from its inputs."""
        sizes = node.sizes(output)
        if node.is_custom or sizes is None or not can_work_out(node.op):
            return None
        count = prod(sizes)
        operands = [operand.value for operand in self.operands(node)]
        large = max([count, *(value.numel() for value in operands if value is not None)])
        if large > _MADE or large > self._left or any(value is None for value in operands) or not operands:
            return None
        try:
            made = result_of(node, output, operands)
        except Exception:
            return None
        if tuple(made.shape) != sizes or made.dtype is not node.dtype(output):
            return None
        self._left -= count
        return made


def _by_output(graph: Graph, visible: Iterable[Any]) -> dict[int, dict[int, Any]]:
    """Values in sight by the numbers of the nodes that made them, and by which of the outputs they are."""
    found: dict[int, dict[int, Any]] = {}
    for value in visible:
        node = graph.of(gradient_of(value).function)
        if node is None or node.leaf is not None:
            continue
        output = output_number(value)
        if node.sizes(output) == tuple(shape_of(value)):  # no part of what it made
            found.setdefault(node.index, {}).setdefault(output, value)
    return found


def _is_made_by(node: AutogradNode, value: Any) -> bool:
    """Whether a tensor that a function has saved is its own result."""
    return gradient_of(value).function is node.function


def taken_as(node: AutogradNode, position: int) -> str | None:
    """The name under which an operation may save what it takes at a position; None where it saves none."""
    names = taken_names(node.op)
    name = names[position] if position < len(names) else None
    return name if name in node.saves() else None


def _is_left_out(node: AutogradNode, position: int) -> bool:
    """Whether an optional tensor without a gradient was not given at all."""
    if node.op == "Convolution":
        return position == 2 and node.setting("bias_sym_sizes_opt") == (0,)
    return position > 0 and node.op in _NORMS and node.saved("weight").state == "none"


def saved_input(node: AutogradNode, position: int) -> Any:
    """What an operation has taken at a position, as it has saved it; None where that can't be read."""
    name = taken_as(node, position)
    return None if name is None else node.tensor(name)


def _ctx_tensors(node: AutogradNode) -> list[Any]:
    """The numbers with a fraction that a function of the program keeps for its backward."""
    return [value for value in node.ctx_tensors() if value.is_floating_point()] if node.is_custom else []


def counts_of(value: Any) -> Counts | None:
    """What is not finite in a tensor; None where that is not known."""
    if value is None or value.numel() > _READ:
        return None
    if not (value.is_floating_point() or value.is_complex()) or not value.numel():
        return Counts()
    value = value.reshape(-1) if not value.dim() else value  # the sum of a number that a node saved is not its value
    total = value.sum()
    if bool((total - total == 0).item()):  # no addition loses a NaN or an infinity
        return Counts()
    if value.is_complex():
        return Counts(int(value.isnan().sum()), int(value.isinf().sum()))
    positive = int((value == inf).sum())
    return Counts(int(value.isnan().sum()), positive, int(value.isinf().sum()) - positive)
