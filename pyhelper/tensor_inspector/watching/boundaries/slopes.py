"""Hooks on the few nodes of a graph whose slope may not be finite, for as long as a backward runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...measure.torch.graph import MAX_NODES, Graph
from ...safe.budget import Budget
from ...safe.guard import class_name, module
from ...safe.untouched import Untouched
from ..finite import find, found_in, is_readable
from ..hits import FaultKind, FaultOrigin
from ..places import SourceLine
from .looks import unsound
from .standing import UNKNOWN_PLACE, line_of, names_of

if TYPE_CHECKING:
    from types import FrameType

    from ..verdict import Verdict

torch: Any = module("torch")

_STEEP = frozenset(
    "Sqrt Rsqrt Log Log2 Log10 Log1P Acos Asin Atan2 Acosh Atanh Hypot Reciprocal Norm LinalgVectorNorm Std Var"
    " StdMean VarMean Cdist Logit Erfinv Xlogy Prod LinalgEigh LinalgSvd".split()
)
_PythonNode: Any = torch.autograd.function.BackwardCFunction
_sequence: Any = getattr(torch.autograd, "_get_sequence_nr", None)
_LIMIT = 1000  #: milliseconds in which the graph is read on a hit


class Slopes:
    """What was found in the backward that runs, or ran last."""

    def __init__(self, verdict: Verdict) -> None:
        self.origin: FaultOrigin | None = None  #: of the gradients that the last backward has left
        self.leaves: list[ref[Any]] = []  #: what it gave gradients to
        self._verdict = verdict
        self._first: Any = None  #: the node, and what is not finite
        self._made = 0  #: the number of the node that was made last before a backward
        self._plain: Any = None  #: how many nodes the round of a graph without a steep one has made

    def hook(self, roots: list[Any], wants_leaves: bool) -> list[Any]:
        """One walk of the graph. Returns what removes the hooks.

        A graph that had nothing to hook is not walked again, as long as each round makes as many nodes.
        """
        self.origin = self._first = None
        made, self._made = self._made, 0 if _sequence is None else _sequence()
        round = (self._made - made, len(roots))
        if round == self._plain and not wants_leaves:
            return []
        self.leaves = []
        found = list(self._hooks([node for node in (root.grad_fn for root in roots) if node is not None]))
        self._plain = None if found or _sequence is None else round
        return found

    def settle(self, roots: list[Any], frame: FrameType) -> FaultOrigin | None:
        """The backward is done: what was found matters if it has reached a leaf."""
        first, self._first = self._first, None
        if first is None or not unsound(leaf.grad for leaf in self.living() if leaf.grad is not None):
            return None
        node, found = first
        kind: FaultKind = "nan" if found.nan else "inf"
        if isinstance(node, _PythonNode):  # what in its backward made it is not seen
            self.origin = FaultOrigin(kind, "backward", None, UNKNOWN_PLACE, None)
            return self.origin
        with Untouched():
            graph = Graph([root.grad_fn for root in roots], Budget(_LIMIT))
            known = graph.of(node)
            place = None if known is None else line_of(graph, known, roots[0], names_of(roots[0], frame))
        line = UNKNOWN_PLACE if place is None else SourceLine(*place[:2], None)
        self.origin = FaultOrigin(kind, "backward", node.name(), line, None)
        return self.origin

    def living(self) -> list[Any]:
        """The leaves that the program has not dropped."""
        return [leaf for leaf in (one() for one in self.leaves) if leaf is not None]

    def _hooks(self, waiting: list[Any]) -> Iterator[Any]:
        met = {None, *waiting}
        while waiting and len(met) < MAX_NODES:
            node = waiting.pop()
            cls: Any = type(node)
            deed = _deeds.get(cls)
            if deed is None:
                deed = _deeds[cls] = _deed(cls)
            if deed == "leaf":
                self.leaves.append(ref(node.variable))
                continue
            if deed != "plain" and (deed == "steep" or _DOUBTFUL[deed](node)):
                yield node.register_hook(partial(self._verdict.quietly, self._after, node))
            for below, _ in node.next_functions:
                if below not in met:
                    met.add(below)
                    waiting.append(below)

    def _after(self, node: Any, results: Any, gradients: Any) -> None:
        if self._first is not None or self._verdict.is_over:
            return
        for result in results or ():
            found = found_in(result)
            if found is not None:
                if not any(find(one) for one in gradients if is_readable(one)):
                    self._first = (node, found)
                return


def _divides(node: Any) -> bool:
    """Whether a gradient goes to what it divides by: to what is divided it is steep only where the result is too."""
    return len(node.next_functions) > 1 and node.next_functions[1][0] is not None


def _is_root(node: Any) -> bool:
    exponent = getattr(node, "_saved_exponent", None)
    return not isinstance(exponent, (int, float)) or exponent < 1


#: Operations that are steep only for some operands.
_DOUBTFUL: dict[str, Callable[[Any], bool]] = {"Div": _divides, "Pow": _is_root}
_deeds: dict[Any, str] = {}


def _deed(cls: type) -> str:
    name = class_name(cls)
    if name == "AccumulateGrad":
        return "leaf"
    op = name[: name.rindex("Backward")] if "Backward" in name else name
    if op in _DOUBTFUL:
        return op
    return "steep" if op in _STEEP or issubclass(cls, _PythonNode) else "plain"
