"""`Moment`: the numbers of a stop that later stops are compared with."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType, ref

from ...measure.torch.elements import bare, bare_each, version_of
from ...measure.torch.metadata import element_count
from ...measure.torch.optimizers import highest_rate, turns_of
from .step import Step

_PARAMETERS = 400
_ELEMENTS = 1 << 20  #: of all parameters whose norms are taken


class ParameterState:
    """A parameter: its version and norm, its gradient's memory, version and norm; None where it was not read."""

    __slots__ = ("_grad_memory", "grad_norm", "grad_version", "norm", "version")

    def __init__(
        self,
        version: int,
        norm: float | None,
        grad_memory: ReferenceType[Any] | None,
        grad_version: int,
        grad_norm: float | None,
    ) -> None:
        self.version = version
        self.norm = norm
        self._grad_memory = grad_memory
        self.grad_version = grad_version
        self.grad_norm = grad_norm

    def had(self, grad: Any) -> bool:
        """Whether a gradient is the one of then: it lies in the same memory, which has lived since."""
        then = None if self._grad_memory is None else self._grad_memory()
        now = None if then is None else _memory(bare(grad))
        return now is not None and now() is then


class Moment:
    """A stop: its line, the losses, the weights by name, how many nodes the graph of the losses has, the order of the
    last one that was made, the highest rates of the optimizers, how often each scheduler was stepped."""

    __slots__ = ("lineno", "losses", "newest", "nodes", "rates", "turns", "weights")

    def __init__(self, line: int, losses: dict[str, float], weights: dict[str, ParameterState], nodes: int) -> None:
        self.rates: dict[str, float] = {}
        self.turns: dict[str, int] = {}
        self.lineno = line
        self.losses = losses
        self.weights = weights
        self.nodes = nodes
        self.newest = -1


def moment_of(step: Step) -> Moment:
    losses = {}
    for loss in step.losses:
        number = step.number(loss.tensor)
        if number is not None:
            losses[loss.name] = float(number)
    roots = step.loss_nodes()
    nodes = max(map(step.graph.size_below, roots), default=0)
    moment = Moment(step.source.lineno, losses, _weights(step), nodes)
    moment.newest = max((root.order() for root in roots if root.leaf is None), default=-1)
    for variable in step.optimizers:
        rate = highest_rate(variable.value)
        if rate is not None:
            moment.rates[variable.name] = rate
    for variable in step.schedulers:
        moment.turns[variable.name] = turns_of(variable.value)
    return moment


def _weights(step: Step) -> dict[str, ParameterState]:
    """The parameters that are trained, by their names; the norms of the first ones are read."""
    parameters, left = step.trained()[:_PARAMETERS], _ELEMENTS
    grads = step.grads([one.tensor for one in parameters])
    weights = {}
    for one, grad, values in zip(parameters, grads, bare_each(grads)):
        left -= 2 * (element_count(one.tensor) or 0)
        norm, version = step.norm(one.tensor) if left > 0 else None, version_of(one.tensor)
        if grad is None:
            weights[one.name] = ParameterState(version, norm, None, -1, None)
        else:
            slope = step.norm(grad) if left > 0 else None
            weights[one.name] = ParameterState(version, norm, _memory(values), version_of(grad), slope)
    return weights


def _memory(values: Any) -> ReferenceType[Any] | None:
    """A reference to a tensor's memory that does not keep it alive. (One to the tensor would forbid to swap it.)"""
    return None if values is None else ref(values.untyped_storage())
