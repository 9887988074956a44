"""The gradients that backward gives: of each element of the result, for some entries of each input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...measure.stats.layout import index_of
from ...measure.torch.graph import Graph
from ...safe.budget import Budget
from ...safe.guard import module
from ...safe.record import Record
from .doubt import CHECKPOINT
from .entries import chosen_entries
from .evaluation import Evaluation, Leaf, as_gradients, error_text, flat

if TYPE_CHECKING:
    from ...protocol import GradcheckWhy
    from .entries import Verdict

torch: Any = module("torch")
_PROBED = 32  #: numbers of a result that are each looked at, and
_SAMPLED = 16  #: how many of more than those, beside all of them weighted
_ENTRIES = 64  #: of each input
_UNUSED = 4  #: of an input that has no gradient
_GOLDEN = 0.6180339887498949


class Checked(Record):
    """What is known of one input, or part of one, or parameter: first what its backward says at some ``places``."""

    name: str
    leaf: int  #: its number among those of a call
    shape: tuple[int, ...]
    is_parameter: bool
    is_complex: bool
    without: bool  #: its backward gives it no gradient
    typical: float  #: how large its entries are
    places: list[int]
    gradients: list[list[complex]]  #: for each probe, for each place
    largest: list[float]  #: of all places, for each probe
    agree: int = 0
    wrong: int = 0
    kinks: int = 0
    unsure: int = 0

    def count(self) -> int:
        return math.prod(self.shape)

    def checked_count(self) -> int:
        return self.agree + self.wrong + self.kinks + self.unsure

    def note(self, verdict: Verdict) -> None:
        self.agree += verdict == "agrees"
        self.wrong += verdict == "wrong"
        self.kinks += verdict == "kink"
        self.unsure += verdict == "unsure"


class Analytic:
    """The gradients of one call; ``why`` there are none, and the ``error`` that was raised.

    ``probes`` are the numbers of the result that are looked at, of its outputs as one vector: None is all of them,
    weighted. Where no input requires a gradient it is as if all did.
    """

    def __init__(self) -> None:
        self.forced = False
        self.unmoved: Any = None  #: all numbers of the result, where no entry is moved
        self.shapes: list[tuple[tuple[int, ...], bool]] = []
        self.probes: list[int | None] = []
        self.leaves: list[Checked] = []
        self.not_asked: list[str] = []  #: names of inputs that require no gradient, where others do
        self.why: GradcheckWhy | None = None
        self.error: str | None = None
        self.ops: frozenset[str] = frozenset()  #: of the graph
        self.custom: frozenset[str] = frozenset()  #: those among them whose backward Python runs
        self._differentiable: list[bool] = []

    def wants(self, leaf: Leaf) -> bool:
        return self.forced or bool(leaf.tensor.requires_grad)

    def outputs(self, call: Evaluation) -> list[Any] | None:
        """Those through which a gradient goes; None where another call has other ones."""
        if len(call.outputs) != len(self._differentiable):
            return None
        return [output for output, has in zip(call.outputs, self._differentiable) if has]

    def output_of(self, place: int | None) -> tuple[int | None, list[int] | None]:
        """Which output a number of the result is in, and where; None of all, weighted."""
        for number, (shape, is_complex) in enumerate(self.shapes if place is not None else ()):
            length = math.prod(shape) * (2 if is_complex else 1)
            if place is not None and place < length:
                return number, index_of(place // 2 if is_complex else place, shape)
            place = None if place is None else place - length
        return None, None

    def probed(self, values: Any) -> list[float]:
        """The numbers of the result, out of all outputs as one vector."""
        return [float(values[at] if at is not None else (values * weighted(len(values))).sum()) for at in self.probes]

    def read(self, call: Evaluation, is_over: Callable[[], bool]) -> None:
        """Reads the gradients of a call that was made; where the time is over, those of one number of the result."""
        self._differentiable = [bool(output.requires_grad) for output in call.outputs]
        outputs = self.outputs(call) or []
        if not outputs:
            self.why = "no_graph" if call.outputs else "no_tensor"
            self.error = None if call.outputs else call.result
            return
        self.unmoved = flat(outputs)
        if not len(self.unmoved):
            self.why = "empty"
            return
        self.shapes = [(tuple(one.shape), bool(one.is_complex())) for one in outputs]
        nodes = Graph([one.grad_fn for one in outputs], Budget()).nodes
        self.ops = frozenset(node.op for node in nodes)
        self.custom = frozenset(node.op for node in nodes if node.is_custom)
        del nodes
        if not bool(torch.isfinite(self.unmoved).all()):
            self.why = "not_finite"
            return
        try:
            self._differentiate(call.leaves, outputs, is_over)
        except (Exception, SystemExit, GeneratorExit) as error:
            self.why, self.error = "backward_raised", error_text(error)

    def _differentiate(self, leaves: list[Leaf], outputs: list[Any], is_over: Callable[[], bool]) -> None:
        wanted = [(number, leaf) for number, leaf in enumerate(leaves) if leaf.tensor.requires_grad]
        self.not_asked = [one.name for one in leaves if not one.tensor.requires_grad and not one.is_parameter]

        def gradients(weights: Any) -> list[Any]:
            inputs = [leaf.tensor for _, leaf in wanted]
            pairs = [(output, part) for output, part in zip(outputs, as_gradients(weights, outputs)) if part.any()]
            used, given = zip(*pairs)  # of the others the backward is given None, as where a program uses one alone
            differentiate = _accumulated if CHECKPOINT in self.ops else torch.autograd.grad
            found = differentiate(used, inputs, given, retain_graph=True, allow_unused=True)
            return [None if one is None else _dense(one) for one in found]

        length = len(self.unmoved)
        whole = gradients(weighted(length))
        for (number, leaf), gradient in zip(wanted, whole):
            self.leaves.append(_checked(number, leaf, gradient))
        for probe, weights in _probes(length):
            if self.probes and is_over():
                break
            self.probes.append(probe)
            for checked, gradient in zip(self.leaves, whole if probe is None else gradients(weights)):
                if gradient is None:
                    checked.gradients.append([0j] * len(checked.places))
                    checked.largest.append(0.0)
                else:
                    picked = gradient.reshape(-1)[checked.places]
                    checked.without = False
                    checked.gradients.append([complex(entry) for entry in picked.tolist()])
                    checked.largest.append(_largest(gradient))


def _accumulated(outputs: Any, inputs: list[Any], given: Any, **_: Any) -> list[Any]:
    """By ``backward()``, since a reentrant checkpoint takes nothing else. The inputs are copies."""
    for one in inputs:
        one.grad = None
    torch.autograd.backward(outputs, given, retain_graph=True)
    return [one.grad for one in inputs]


def weighted(length: int) -> Any:
    """Weights for all numbers of a result, no two alike."""
    return 0.5 + (torch.arange(length, dtype=torch.float64, device="cpu") * _GOLDEN).frac()


def _probes(length: int) -> Iterator[tuple[int | None, Any]]:
    for at in range(length) if length <= _PROBED else chosen_entries(length, _SAMPLED, None):
        weights = torch.zeros(length, dtype=torch.float64, device="cpu")
        weights[at] = 1.0
        yield at, weights
    if length > 1:
        yield None, None


def _checked(number: int, leaf: Leaf, gradient: Any) -> Checked:
    shape, tensor = tuple(leaf.tensor.shape), leaf.tensor.detach()
    most = min(math.prod(shape), _UNUSED if gradient is None else _ENTRIES)
    found = chosen_entries(math.prod(shape), most, None if gradient is None else gradient.reshape(-1))
    mean = float(tensor.abs().mean()) if found else 0.0
    typical = mean if 0 < mean < math.inf else 1.0
    is_complex = bool(tensor.is_complex())
    return Checked(leaf.name, number, shape, leaf.is_parameter, is_complex, gradient is None, typical, found, [], [])


def _largest(gradient: Any) -> float:
    found = float(gradient.abs().max()) if gradient.numel() else 0.0
    return found if found < math.inf else 0.0


def _dense(gradient: Any) -> Any:
    found = gradient.detach()
    return found.to_dense() if found.layout != torch.strided else found
