"""The values that flow through a graph, as far as they are known: variables, saved tensors, and what simple arithmetic
makes of these. No code of the program runs, and autograd sees nothing of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, prod
from typing import Any

from ...safe.guard import NUMBERS, module
from ...safe.record import Record
from .elements import bare
from .graph import VIEWS, Graph
from .metadata import gradient_of
from .node import AutogradNode

torch: Any = module("torch")
_READ = 1 << 24  #: elements of a value that is looked at
_MADE = 1 << 16  #: elements of a value that is worked out
_ALL_MADE = 1 << 24  #: elements of all these

#: What an operation takes, in its order, by the names under which it may save that.
_TAKEN: dict[str, tuple[str, ...]] = {
    "Addmm": ("self", "mat1", "mat2"),
    "Addcmul": ("self", "tensor1", "tensor2"),
    "Addcdiv": ("self", "tensor1", "tensor2"),
    "Baddbmm": ("self", "batch1", "batch2"),
    "Mm": ("self", "mat2"),
    "Bmm": ("self", "mat2"),
    "Mv": ("self", "vec"),
    "Dot": ("self", "tensor"),
    "Convolution": ("input", "weight", "bias"),
    "NativeBatchNorm": ("input", "weight", "bias"),
    "NativeLayerNorm": ("input", "weight", "bias"),
    "NativeGroupNorm": ("input", "weight", "bias"),
    "Pow": ("self", "exponent"),
    "Where": ("self", "other"),
}
_USUALLY_TAKEN = ("self", "other")
_RESULTS = ("result", "result0", "result1", "result2", "result3", "output", "values", "total_weight")


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

    ``is_tensor`` is False of what may as well be a number.
    """

    value: Any
    node: AutogradNode | None
    is_tensor: bool = True


class Flow:
    """``live`` are values by the numbers of the nodes that made them. Nodes are to be entered in the order in which
    they were made, so that what is worked out of others finds these."""

    def __init__(self, graph: Graph, live: Mapping[int, Any]) -> None:
        self._graph = graph
        self._live = live
        self._values: dict[int, Any] = {}
        self._counts: dict[int, Counts | None] = {}
        self._left = _ALL_MADE

    def enter(self, node: AutogradNode) -> None:
        self._values[node.index] = self._known(node)

    def value(self, node: AutogradNode) -> Any:
        """What a node has made; of a leaf the leaf itself. None where it is not known."""
        if node.index not in self._values:
            self.enter(node)
        return self._values[node.index]

    def counts(self, node: AutogradNode) -> Counts | None:
        if node.index not in self._counts:
            self._counts[node.index] = counts_of(self.value(node))
        return self._counts[node.index]

    def operands(self, node: AutogradNode) -> list[NodeInput]:
        found, named = [], set()
        for position in range(len(node.inputs)):
            below, saved = self._graph.input(node, position), saved_input(node, position)
            named.add(None if saved is None else taken_as(node, position))
            value: Any = None
            if saved is not None:
                value = bare(saved)
            elif below is not None:
                value = self.value(below)
            found.append(NodeInput(value, below, is_tensor=below is not None or saved is not None))
        found += [NodeInput(bare(value), None) for value in _ctx_tensors(node) if not self._is_made_by(node, value)]
        for name in node.saves():
            saved = None if name in named or name in _RESULTS else node.tensor(name)
            if saved is not None and saved.is_floating_point():
                found.append(NodeInput(bare(saved), None))
        return found

    def _known(self, node: AutogradNode) -> Any:
        if node.leaf is not None:
            return bare(node.leaf)
        if node.index in self._live:
            return bare(self._live[node.index])
        made = next((value for value in _ctx_tensors(node) if self._is_made_by(node, value)), None)
        if made is not None and tuple(made.shape) == node.sizes():
            return bare(made)
        result = node.tensor("result") if "result" in node.saves() else None
        if result is not None:
            return bare(result)
        for user, position in self._graph.users(node):
            saved = saved_input(user, position)
            if saved is not None and tuple(saved.shape) == node.sizes():
                return bare(saved)
        return self._made(node)

    def _is_made_by(self, node: AutogradNode, value: Any) -> bool:
        """Whether a tensor that a function has saved is its own result."""
        return gradient_of(value).function is node.function

    def _made(self, node: AutogradNode) -> Any:
        """The result that an operation must have had, from its inputs."""
        work, sizes = WORK.get(node.op), node.sizes()
        if node.is_custom or sizes is None or not (work or node.op in _SHAPES):
            return None
        count = prod(sizes)
        operands = [operand.value for operand in self.operands(node)]
        large = max([count, *(value.numel() for value in operands if value is not None)])
        if large > _MADE or large > self._left or any(value is None for value in operands) or not operands:
            return None
        try:
            made = operands[0].reshape(sizes) if work is None else work(node, *operands)
        except Exception:
            return None
        if tuple(made.shape) != sizes or made.dtype is not node.dtype():
            return None
        self._left -= count
        return made


def taken_as(node: AutogradNode, position: int) -> str | None:
    """The name under which an operation may save what it takes at a position; None where it saves none."""
    names = _TAKEN.get(node.op, _USUALLY_TAKEN)
    name = names[position] if position < len(names) else None
    return name if name in node.saves() else None


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
    total = value.sum()
    if bool((total - total == 0).item()):  # no addition loses a NaN or an infinity
        return Counts()
    if value.is_complex():
        return Counts(int(value.isnan().sum()), int(value.isinf().sum()))
    positive = int((value == inf).sum())
    return Counts(int(value.isnan().sum()), positive, int(value.isinf().sum()) - positive)


def _reduced(name: str) -> Callable[..., Any]:
    def work(node: AutogradNode, value: Any) -> Any:
        dims = node.dims()
        reduce = getattr(value, name)
        return reduce(dims, bool(node.setting("keepdim"))) if dims else reduce()

    return work


def _scaled(node: AutogradNode) -> Any:
    alpha = node.setting("alpha")
    return alpha if type(alpha) in NUMBERS else 1


def _power(node: AutogradNode, base: Any, exponent: Any = None) -> Any:
    return base.pow(node.setting("exponent") if exponent is None else exponent)


#: Operations whose results are worked out where they were not saved.
WORK: dict[str, Callable[..., Any]] = {
    "Abs": lambda node, x: x.abs(),
    "Acos": lambda node, x: x.acos(),
    "Add": lambda node, x, y: x.add(y, alpha=_scaled(node)),
    "Addmm": lambda node, bias, x, y: torch.addmm(bias, x, y),
    "Asin": lambda node, x: x.asin(),
    "Atanh": lambda node, x: x.atanh(),
    "Acosh": lambda node, x: x.acosh(),
    "Bmm": lambda node, x, y: x.bmm(y),
    "Div": lambda node, x, y: x.div(y),
    "Exp": lambda node, x: x.exp(),
    "Expand": lambda node, x: x.expand(node.sizes()),
    "Log": lambda node, x: x.log(),
    "Log10": lambda node, x: x.log10(),
    "Log1P": lambda node, x: x.log1p(),
    "Log2": lambda node, x: x.log2(),
    "Mean": _reduced("mean"),
    "Mm": lambda node, x, y: x.mm(y),
    "Mul": lambda node, x, y: x.mul(y),
    "Neg": lambda node, x: x.neg(),
    "Pow": _power,
    "Reciprocal": lambda node, x: x.reciprocal(),
    "Relu": lambda node, x: x.relu(),
    "Rsqrt": lambda node, x: x.rsqrt(),
    "Sigmoid": lambda node, x: x.sigmoid(),
    "Sqrt": lambda node, x: x.sqrt(),
    "Sub": lambda node, x, y: x.sub(y, alpha=_scaled(node)),
    "Sum": _reduced("sum"),
    "T": lambda node, x: x.t(),
    "Tanh": lambda node, x: x.tanh(),
    "ToCopy": lambda node, x: x.to(node.dtype()),
}
#: Those that only give another shape to the same elements in the same order.
_SHAPES = VIEWS - {"AsStrided", "Permute", "T", "ToCopy", "Transpose"}
