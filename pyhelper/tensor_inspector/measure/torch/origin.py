"""Finds where NaN or Inf began in a graph: the first operation with finite inputs and an output that is not finite."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from ...safe.budget import Budget
from ..stats.first import first_special
from .elements import bare
from .flow import Counts, Flow, NodeInput, counts_of
from .graph import VIEWS, Graph
from .node import AutogradNode
from .operations.finite import keeps_finite, makes_no_nan
from .operations.singular import STDS, has_singular, is_std_of_one, proves_log_of_zero, singular

SOFTMAX = ("Softmax", "LogSoftmax", "SafeSoftmax", "ScaledDotProductFlashAttentionForCpu", "Logsumexp")
_PRODUCTS = ("Div", "Mul")
#: Operations that put −inf where a mask is, on purpose, and those that hand it on.
_MASKS = VIEWS.union(
    "MaskedFill Where Add Sub IndexPut IndexFill CopySlices Cat Stack MaskedScatter Expand Slice Select Index Gather"
    " Topk".split()
)


class Origin:
    """An operation with what it has made. ``given`` is what it was given that is not finite either: a leaf, or what is
    no node, as a batch; None where its inputs are finite as far as they are known (``certain``: all are). ``value`` and
    ``counts`` are of what is not finite: of ``given``, else of the result. ``is_hidden``: it may as well have begun
    further up, since what the operation was given is not known after a backward has freed it, or nodes made it that are
    too many to be followed. ``others`` are operations in which it may have begun as well, and ``seen`` is the one whose
    result ``value`` is. ``mask`` is what hides every place of rows that a softmax was given, ``masked`` how many rows
    those are."""

    __slots__ = (
        "certain", "counts", "given", "is_hidden", "mask", "masked", "node", "operands", "others", "seen", "value",
    )  # fmt: skip

    def __init__(
        self,
        node: AutogradNode,
        value: Any,
        counts: Counts,
        operands: list[NodeInput],
        given: NodeInput | None,
        certain: bool,
    ) -> None:
        self.node = node
        self.value = value
        self.counts = counts
        self.operands = operands
        self.given = given
        self.certain = certain
        self.is_hidden = False
        self.others: list[AutogradNode] = []
        self.seen = node
        self.masked = 0
        self.mask: Any = None

    def take_given(self, node: AutogradNode, given: NodeInput) -> None:
        """Take what an operation was given for what was not finite first."""
        self.node, self.given, self.certain = node, given, False
        self.value, self.counts = given.value, counts_of(given.value) or Counts()

    def others_named(self) -> list[str]:
        """The names of the further operations in which it may have begun, each once."""
        return list(dict.fromkeys(one.op for one in self.others if one.op != self.node.op))

    def takes_finite(self) -> bool:
        """Whether all that the operation was given is finite."""
        given = (counts_of(one.value) for one in self.operands)
        return self.certain and not any(one is not None and one.any() for one in given)

    def is_softmax(self) -> bool:
        """Whether it is NaN that a softmax has made."""
        return self.node.op in SOFTMAX and bool(self.counts.nan)

    def take_mask(self, mask: Any, hides: Any) -> bool:
        """Whether what a tensor hides are the rows of this softmax that are NaN, all of them: they are then certain."""
        dim = self.node.dim()
        if dim is None or self.value is None or not self.value.dim() or not hides.dim():
            return False
        dim = dim if dim < 0 else dim - self.value.dim()  # a mask may have fewer dimensions: it is for the last ones
        if -dim > hides.dim():
            return False
        rows, spoiled = hides.all(dim), self.value.isnan().all(dim)
        shapes = (shaped for one in (rows, *_of_heads(rows, spoiled)) for shaped in _aligned(one, spoiled.dim()))
        if not bool(rows.any()) or not any(_is_same(shaped, spoiled) for shaped in shapes):
            return False
        self.mask, self.masked, self.certain = mask, int(spoiled.sum()), True
        return True

    def first(self, budget: Budget) -> list[int] | None:
        """The index of the first element that is NaN or infinite; None where that value is not known."""
        if self.value is None:
            return None
        found = [index for index in first_special(self.value, budget) if index is not None]
        return min(([int(at) for at in index] for index in found), default=None)


class OriginSearch:
    """Visits a graph in the order in which the program made it, until the first result that is not finite."""

    def __init__(self, graph: Graph, flow: Flow, nodes: Iterable[AutogradNode]) -> None:
        self.flow = flow
        self.unknown: set[str] = set()
        self.found: Origin | None = None
        self._graph = graph
        self._waiting = sorted((node for node in nodes if node.leaf is None), key=_made_at, reverse=True)
        self._total = max(1, len(self._waiting))

    def go_on(self, budget: Budget) -> bool:
        while self._waiting and self.found is None:
            self._examine(self._waiting.pop())
            if budget.spent():
                break
        return self.found is not None or not self._waiting

    def progress(self) -> float:
        return 1 - len(self._waiting) / self._total

    def _examine(self, node: AutogradNode) -> None:
        self.flow.enter(node)
        counts, operands = self.flow.counts(node), self.flow.operands(node)
        if counts is None:
            self.unknown.add(_why_unknown(node))
            if node.is_custom:  # whatever its name is
                return
            if is_std_of_one(node, operands) or any(singular(node, operands)):
                self.found = Origin(node, None, Counts(), operands, None, all(map(_is_known, operands)))
            elif node.op in _PRODUCTS:  # by NaN it is NaN, whatever the other factor is
                given = next((one for one in operands if _is_source(one) and _has_nan(one)), None)
                if given is not None:
                    self.found = Origin(node, given.value, counts_of(given.value) or Counts(), operands, given, False)
            return
        if not _is_bad(node, counts, operands):
            return
        taken = operands[: len(node.inputs)] if node.is_custom else operands  # what follows may be made inside
        given = next((one for one in taken if _is_source(one) and _is_bad_source(one)), None)
        self.found = self._begun_at(node, counts, operands, given)
        if given is None and not self.found.certain and not self.found.is_hidden:
            self._take_suspects(self.found)

    def _begun_at(
        self, node: AutogradNode, counts: Counts, operands: list[NodeInput], given: NodeInput | None
    ) -> Origin:
        """The origin, if it is this operation, or what it was given."""
        is_known = all(_is_known(one) for one in operands) or proves_log_of_zero(node, counts)
        certain = is_known and not node.is_custom
        value = self.flow.spoiled(node) if given is None else given.value
        if given is not None:
            counts = counts_of(value) or counts
        found = Origin(node, value, counts, operands, given, certain)
        if given is None and found.is_softmax():
            _find_mask(found, self._graph)
            certain = found.certain
        if given is None and any(map(_may_be_beyond, operands)):
            self._hide(found)
        elif given is None and not certain and not node.is_custom:
            is_freed = node.is_freed() or "freed" in self.unknown
            found.is_hidden = is_freed and any(not _is_source(one) and not _is_known(one) for one in operands)
        return found

    def _hide(self, origin: Origin) -> None:
        """Of what may have begun in a node that is too many to be followed."""
        self.unknown.add("too_many")
        origin.is_hidden, origin.certain = True, False

    def _take_suspects(self, origin: Origin) -> None:
        """Blame the operations in which it may have begun: this one, and those above that gave it what is not known."""
        waiting, seen = [origin.node], {origin.node.index}
        suspects, handing, is_beyond = list[AutogradNode](), list[AutogradNode](), False
        while waiting:
            node = waiting.pop()
            is_beyond = is_beyond or any(map(_may_be_beyond, self.flow.operands(node)))
            (handing if _only_hands_on(node, origin.counts) else suspects).append(node)
            for operand in self.flow.operands(node) if not node.is_custom else ():
                below = operand.node
                if operand.value is None and below is not None and below.leaf is None and below.index not in seen:
                    seen.add(below.index)
                    waiting.append(below)
        for node in (*suspects, *handing):
            given = next((one for one in self.flow.operands(node) if _is_source(one) and _is_bad_source(one)), None)
            if given is not None and not node.is_custom:
                origin.take_given(node, given)
                return
        if is_beyond:
            self._hide(origin)
            return
        if not suspects:
            self._take_unknown_given(origin, handing)
            return
        suspects.sort(key=lambda node: (not _is_singular(node), *_made_at(node)))
        operands = self.flow.operands(suspects[0])
        is_proven = all(keeps_finite(node.op) for node in handing) and all(map(_is_known, operands))
        origin.certain = len(suspects) == 1 and is_proven and not suspects[0].is_custom
        origin.node, origin.operands, origin.others = suspects[0], operands, suspects[1:]

    def _take_unknown_given(self, origin: Origin, handing: list[AutogradNode]) -> None:
        """Blame what an operation that only hands on was given, though it is not known: no operation has made it."""
        for node in handing:
            given = next((one for one in self.flow.operands(node) if one.node is None and one.value is None), None)
            if given is not None:
                origin.take_given(node, given)
                return


def _is_singular(node: AutogradNode) -> bool:
    """Whether there are usual numbers for which an operation has no finite result."""
    return node.is_custom or has_singular(node.op) or node.op in (*STDS, *SOFTMAX, "Exp")


def _only_hands_on(node: AutogradNode, counts: Counts) -> bool:
    """Whether what is not finite in a result can't have begun in an operation."""
    if node.is_custom:
        return False
    return keeps_finite(node.op) or (not counts.inf and makes_no_nan(node.op))


def _is_bad(node: AutogradNode, counts: Counts, operands: list[NodeInput]) -> bool:
    """Whether a node's result is a fault: −inf alone may be a mask, or come from one."""
    if counts.nan or counts.positive or not counts.negative:
        return bool(counts.nan or counts.positive)
    given = (counts_of(one.value) for one in operands)
    return node.op not in _MASKS and not any(one is not None and one.negative for one in given)


def _is_source(operand: NodeInput) -> bool:
    """Whether no operation has made it."""
    return not operand.is_cut and (operand.node is None or operand.node.leaf is not None)


def _may_be_beyond(operand: NodeInput) -> bool:
    """Whether a node that is too many to be followed made it, and it is not finite, or not known."""
    counts = counts_of(operand.value) if operand.is_cut else None
    return operand.is_cut and (counts is None or counts.any())


def _is_bad_source(operand: NodeInput) -> bool:
    counts = counts_of(operand.value)
    return counts is not None and bool(counts.nan or counts.positive)


def _has_nan(operand: NodeInput) -> bool:
    counts = counts_of(operand.value)
    return counts is not None and bool(counts.nan)


def _is_known(operand: NodeInput) -> bool:
    return counts_of(operand.value) is not None


def _made_at(node: AutogradNode) -> tuple[int, int]:
    return node.order(), -node.index


def _why_unknown(node: AutogradNode) -> str:
    if node.is_custom:
        return "custom"
    state = node.state()
    return state if state in ("freed", "hooked", "modified") else "not_saved"


def _of_heads(rows: Any, spoiled: Any) -> list[Any]:
    """Rows of a mask for attention whose first dimension is samples by heads: each sample's once for each head."""
    samples = int(rows.shape[0]) if rows.dim() else 0
    heads, rest = divmod(int(spoiled.shape[0]), samples) if samples and spoiled.dim() else (0, 1)
    return [rows.repeat_interleave(heads, 0)] if heads > 1 and not rest else []


def _aligned(rows: Any, dims: int) -> list[Any]:
    """Rows of a mask as a result of more dimensions may take them: for its last dimensions, or for its first ones."""
    more = dims - rows.dim()
    return [] if more < 0 else [rows, rows.reshape((*rows.shape, *(1,) * more))]


def _is_same(rows: Any, spoiled: Any) -> bool:
    """Whether rows are the spoiled ones, as far as they are not the same in a dimension."""
    pairs = zip(reversed(rows.shape), reversed(spoiled.shape))
    return all(size in (1, whole) for size, whole in pairs) and bool((rows == spoiled).all())


def _find_mask(origin: Origin, graph: Graph) -> None:
    """The rows that a softmax was given that are −inf everywhere, by its input, or by the mask that was filled in."""
    dim, before = origin.node.dim(), origin.operands[0].value if origin.operands else None
    below = graph.through_views(graph.input(origin.node))
    mask = bare(below.tensor("mask")) if below is not None and below.op == "MaskedFill" else None
    if mask is not None:
        origin.take_mask(mask, mask)
    if before is not None and before.dim() and dim is not None:
        origin.masked = origin.masked or int((before == -inf).all(dim).sum())
