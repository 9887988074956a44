"""What the nodes of a graph do to gradients, as a watch of a backward must know, and what made them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from ...safe.guard import class_name, module
from ..finite import plain
from ..places import CodePlace

torch: Any = module("torch")

#: leaf: gives a gradient to a tensor; moves: its results are what it was given, at other places; adds up: what it was
#: given, where that was expanded; custom: runs code of the program; computes: new values.
NodeKind = Literal["leaf", "moves", "adds up", "custom", "computes"]
_LEAF = "AccumulateGrad"
_VIEWS = ("View", "Transpose", "Permute", "Squeeze", "Unsqueeze", "AsStrided", "Alias", "Detach", "TBackward")
_MOVES = frozenset(f"{op}Backward0" for op in "Cat Clone Select Slice Split SplitWithSizes Stack Unbind".split())
_EXPANDS = "ExpandBackward0"
_MATMUL = "matmul"  #: in the names of `torch.matmul` and of the operator ``@``
_NEXT = 64  #: sequence numbers after a node's own, among which that of its operation is looked for
_UNNAMED = "CppFunction"  #: the class of nodes that have none of their own
_PythonNode: Any = torch.autograd.function.BackwardCFunction
Made = tuple[str, CodePlace]  #: the name of an operation forward, and where it was called
known_nodes: dict[Any, tuple[NodeKind, str]] = {}  #: by the class: the kind, and the name


def kind_and_name(node: Any) -> tuple[NodeKind, str]:
    """Of a node whose class was not seen yet."""
    name: str = node.name()
    cls: Any = type(node)
    if issubclass(cls, _PythonNode):
        return "custom", name
    found = _kind(name), name
    if class_name(cls) != _UNNAMED:
        known_nodes[cls] = found
    return found


def _kind(name: str) -> NodeKind:
    if name.endswith(_LEAF):
        return "leaf"
    if name == _EXPANDS:
        return "adds up"
    return "moves" if name in _MOVES or any(view in name for view in _VIEWS) else "computes"


def adds_nothing_up(node: Any, operation: Made | None) -> bool:
    """Whether ``matmul`` has expanded a matrix that had that shape already, where no hook of the program can be."""
    if operation is None or _MATMUL not in operation[0]:
        return False
    try:
        return bool(node._saved_self_sym_sizes == tuple(node._input_metadata[0].shape))
    except Exception:  # an older torch does not tell
        return False


def _number_of(node: Any) -> int:
    """The sequence number of a node, which rises with each that is made; -1 where torch does not tell."""
    try:
        return node._sequence_nr()  # type: ignore[no-any-return]
    except AttributeError:  # before torch 2.1
        return -1


def made_by(node: Any, made: dict[int, Made]) -> Made | None:
    """The operation that made a node: the first after which the next sequence number was beyond the node's."""
    number = _number_of(node)
    found = made.get(number + 1)
    if found is not None:  # as of most
        return found
    return next((made[at] for at in range(number + 2, number + _NEXT) if at in made), None) if number >= 0 else None


def nodes_behind(roots: list[Any], made: dict[int, Made]) -> Iterator[tuple[Any, NodeKind, str, Made | None]]:
    """The leaves behind some tensors, and the nodes that compute: each with its kind, its name, and what made it."""
    waiting = [node for node in (plain(root).grad_fn for root in roots) if node is not None]
    met = {None, *waiting}
    while waiting:
        node = waiting.pop()
        kind, name = known_nodes.get(type(node)) or kind_and_name(node)
        if kind == "leaf":
            yield node, kind, name, None
            continue
        if kind != "moves":
            operation = made_by(node, made)
            if kind != "adds up" or not adds_nothing_up(node, operation):
                yield node, kind, name, operation
        for below, _ in node.next_functions:
            if below not in met:
                met.add(below)
                waiting.append(below)
