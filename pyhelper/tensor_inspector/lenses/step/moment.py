"""The numbers of a stop that later ones are compared with."""

from __future__ import annotations

from typing import Any

from ...measure.stats.unread import Unread
from ...measure.torch.elements import bare, is_plain, version_of
from ...measure.torch.metadata import element_count, requires_grad
from .step import Step

_PARAMETERS = 400
_ELEMENTS = 1 << 20  #: of all parameters whose norms are taken


class Weight:
    """A parameter: its version and norm, its gradient's identity, version and norm; None where it was not read."""

    __slots__ = ("grad_id", "grad_norm", "grad_version", "norm", "version")

    def __init__(
        self, version: int, norm: float | None, grad_id: int, grad_version: int, grad_norm: float | None
    ) -> None:
        self.version = version
        self.norm = norm
        self.grad_id = grad_id
        self.grad_version = grad_version
        self.grad_norm = grad_norm


class Moment:
    """A stop: its line, the losses, the weights by name, how many nodes the graph of the losses has."""

    __slots__ = ("lineno", "losses", "nodes", "weights")

    def __init__(self, line: int, losses: dict[str, float], weights: dict[str, Weight], nodes: int) -> None:
        self.lineno = line
        self.losses = losses
        self.weights = weights
        self.nodes = nodes


def moment_of(step: Step) -> Moment:
    losses = {}
    for loss in step.losses:
        number = step.number(loss.tensor)
        if number is not None:
            losses[loss.name] = float(number)
    roots = [node for node in (step.node_of(loss.tensor) for loss in step.losses) if node is not None]
    nodes = max((len(step.graph.below(root)) for root in roots), default=0)
    weights, left = {}, _ELEMENTS
    for one in step.trained()[:_PARAMETERS]:
        count = element_count(one.tensor) or 0
        left -= 2 * count
        weights[one.name] = _weight(step, one.tensor, left > 0)
    return Moment(step.source.lineno, losses, weights, nodes)


def _weight(step: Step, tensor: Any, read: bool) -> Weight:
    grad = step.grad(tensor) if requires_grad(tensor) else None
    grad_version = -1 if grad is None else version_of(grad)
    norms = (norm_of(tensor), None if grad is None else norm_of(grad)) if read else (None, None)
    return Weight(version_of(tensor), norms[0], 0 if grad is None else id(grad), grad_version, norms[1])


def norm_of(tensor: Any) -> float | None:
    """The Euclidean norm, in float32 at least; None where it can't be read. Inf or NaN where it has such elements."""
    if not is_plain(tensor) or not tensor.dtype.is_floating_point:
        return None
    values = bare(tensor)
    if isinstance(values, Unread):
        return None
    found = (values.double() if values.numel() < 1 << 16 else values.float()).norm().item()
    return float(found)
