"""Where what is not finite at a stop began, asked once for all rules."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.flow import Flow
from .....measure.torch.graph import Node
from .....measure.torch.origin import Origin, OriginSearch
from ....step.step import Step


class Begin:
    """Where what is not finite began: the operation, and the value in sight that is not finite because of it."""

    __slots__ = ("name", "origin", "tensor")

    def __init__(self, origin: Origin, name: str, tensor: Any) -> None:
        self.origin = origin
        self.name = name
        self.tensor = tensor


begins: WeakKeyDictionary[Step, Begin | None] = WeakKeyDictionary()


def begin_of(step: Step) -> Begin | None:
    """Where the first loss that is not finite began to be so, else the first value in sight.

    None where it was in what the operations were given, as the batch or a parameter.
    """
    if step not in begins:
        found = _search(step)
        if step.budget.spent():
            return None
        begins[step] = found
    return begins[step]


def _search(step: Step) -> Begin | None:
    live: dict[int, Any] = {}
    for thing in step.tensors:
        node = step.node_of(thing.value)
        if node is not None and node.leaf is None and node.sizes() == tuple(thing.value.shape):
            live.setdefault(node.index, thing.value)
    losses = {id(loss.tensor) for loss in step.losses}
    for root, name, tensor in _bad_results(step):
        search = OriginSearch(step.graph, Flow(step.graph, live), step.graph.below(root))
        search.go_on(step.budget.share())
        found = search.found
        if found is None:
            continue
        if found.given is not None:
            return None
        if found.is_hidden:
            continue
        if found.node is root and not found.certain and not root.keeps():
            continue
        if masked_rows(step, found) and id(tensor) not in losses:
            continue  # such rows may be replaced before they matter
        return Begin(found, name, tensor)
    return None


def masked_rows(step: Step, origin: Origin) -> int:
    """How many rows a softmax was given that are −inf everywhere."""
    node = origin.node
    dim = node.dim()
    if node.op not in ("Softmax", "LogSoftmax") or dim is None or origin.value is None or not origin.counts.nan:
        return 0
    below = step.graph.through_views(step.graph.input(node))
    mask = below.tensor("mask") if below is not None and below.op == "MaskedFill" else None
    if mask is not None and is_plain(mask) and mask.dim():
        return int(bare(mask).all(dim if dim < 0 or mask.dim() > dim else -1).sum())
    before = origin.operands[0].value if origin.operands else None
    if before is None or not before.dim():
        return 0
    return int((before == -float("inf")).all(dim).sum())


def bad_roots(step: Step) -> list[tuple[Node, str]]:
    """Results in sight that are not finite, with their nodes: losses first."""
    return [(node, name) for node, name, _ in _bad_results(step)]


def _bad_results(step: Step) -> list[tuple[Node, str, Any]]:
    """Masked scores, of −inf alone, are none; nor is what a finite result in sight was made of: it was replaced there."""
    bad, finite = [], []
    losses = {id(loss.tensor) for loss in step.losses}
    named = [
        *((loss.tensor, loss.name) for loss in step.losses),
        *((thing.value, thing.name) for thing in step.tensors),
    ]
    for tensor, name in named:
        node = step.node_of(tensor)
        stats = step.stats(tensor) if node is not None and tensor.dtype.is_floating_point else None
        if node is None or stats is None:
            continue
        if stats["nan"] or stats["pos_inf"] or (stats["neg_inf"] and stats["count"] == 1):
            bad.append((node, name, tensor))
        elif not stats["neg_inf"] and stats["count"]:
            finite.append(node)
    return [
        (node, name, tensor)
        for node, name, tensor in bad
        if id(tensor) in losses or not any(step.graph.reaches(other, node) for other in finite if other is not node)
    ]
