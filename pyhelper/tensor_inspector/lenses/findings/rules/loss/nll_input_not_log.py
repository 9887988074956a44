"""nll_loss is given scores that no log_softmax has made.

Why: nll_loss only picks and negates: without log_softmax it is unbounded.

Example:
    loss = F.nll_loss(model(x), y)

Instead:
    loss = F.nll_loss(F.log_softmax(model(x), 1), y)

Silent when:
    - a log_softmax has made them
    - they come from another operation than a layer, a norm or an activation, and none is above 0 or can be read
    - they are the logarithm of a density, which may be above 0
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.elements import version_of
from .....measure.torch.graph import VIEWS
from .....measure.torch.node import AutogradNode
from .....words.text import number
from ....flow.written import written
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

_NO_LOG = tuple("Addmm Mm Softmax Sigmoid Relu Convolution NativeBatchNorm NativeLayerNorm Tanh Gelu".split())


@rule(
    "error",
    why="nll_loss only picks and negates: without log_softmax it is unbounded.",
    suggestion="log_softmax first, or cross_entropy",
)
def nll_input_not_log(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("NllLoss", "NllLoss2D"):
        below = step.graph.through_views(step.graph.input(node))
        if below is None or below.op == "LogSoftmax":
            continue
        saved, variable = node.tensor("self"), step.tensor_at(below)
        given = saved
        if saved is None and variable is not None and not version_of(variable.value):
            given = variable.value  # after a backward nothing is saved
        stats = step.stats(given) if given is not None else None
        is_positive = stats is not None and stats["max"] is not None and stats["max"] > 1e-4
        is_positive = is_positive and not _is_log_density(step, below)
        if below.op in _NO_LOG or is_positive:
            found = written(step, below)
            seen = (
                f", it runs from {number(stats['min'])} to {number(stats['max'])}"
                if stats is not None and stats["min"] is not None
                else ""
            )
            yield Violation(
                (
                    "nll_loss was given no log-probabilities",
                    ": ",
                    f"{found.name or 'its input'} comes from {below.op}{seen}",
                ),
                (found.expression, f"grad ← {below.op}Backward0{seen}"),
                line=found.line,
            )
            return


_EACH = frozenset("Add Div Expand Mul Neg Rsub Sub Sum".split())


def _is_log_density(step: Step, node: AutogradNode) -> bool:
    """Whether it is the logarithm of a density, which may be above 0: a square, less the logarithm of a width."""
    waiting, ops = [node], set[str]()
    while waiting:
        one = waiting.pop()
        ops.add(one.op)
        if one.op in _EACH or one.op in VIEWS:
            waiting += step.graph.inputs(one)
    return "Pow" in ops and bool(ops & {"Exp", "Log", "Softplus"})
