"""Empty: a selection that leaves nothing, of which a mean or a loss is taken."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ....measure.torch.metadata import element_count, is_parameter, shape_of
from ....words.text import shape
from ...findings.finding import Violation
from ...step.calls import Call
from ...step.expressions import last_name, root_of, text_of
from ...step.sight import VisibleVariable
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_MAKING = frozenset(
    "empty new_empty new_tensor new_zeros tensor Tensor zeros".split()
)  #: calls that may begin with nothing


#: Calls whose result for nothing is NaN, or an error.
_REDUCING = frozenset("amax amin argmax argmin max mean median min quantile std var".split())


@detector(
    100,
    because="a selection may leave nothing; who takes the mean or a loss of one expects something there",
    why="Its mean is NaN, its sum is 0, and a loss of it trains nothing.",
    suggestion="look at the mask or index that it was selected by",
)
def nothing_left(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``x[mask]`` where no entry of the mask is True."""
    for variable in reading.each(step.tensors):
        tensor, source = variable.value, step.sources[variable.level]
        if element_count(tensor) != 0 or is_parameter(tensor) or not tensor.dim():
            continue
        if not _begins_empty(source, variable.key) and _is_reduced(step, variable):
            yield Violation(
                (f"{variable.name} holds nothing", ": ", f"its shape is {shape(shape_of(tensor))}"),
                (variable.name, f"shape {shape(shape_of(tensor))}, 0 elements"),
                line=source.line_of(variable.key),
            )


def _is_reduced(step: Step, variable: VisibleVariable) -> bool:
    """Whether a loss is made of it, or its mean or the like is taken, with nothing asked before."""
    source, key = step.sources[variable.level], variable.key
    if variable.level == step.level and any(
        not source.is_conditional(loss.backward.lineno, seen_from=source.lineno)
        and root_of(key) in source.bindings_behind(loss.name)
        for loss in step.losses
    ):
        return True
    optional = [node for node in source.nodes if isinstance(node, (ast.BoolOp, ast.IfExp))]
    chosen = {id(below) for node in optional for below in ast.walk(node)}
    return any(
        source.surely_ran(call.node) if source.is_done(call) else source.will_reach(call.lineno)
        for call in source.calls
        if id(call.node) not in chosen
        and _reduces(call, key)
        and source.is_current(key, call.lineno, call.node.col_offset)
    )


def _reduces(call: Call, key: str) -> bool:
    name = last_name(call.node.func).lower()
    given = [text_of(one) for one in call.args]
    if name in _REDUCING:
        return text_of(call.receiver) == key or given[:1] == [key]
    is_loss = name.endswith(("loss", "cross_entropy", "kl_div")) or name.startswith(("criterion", "loss"))
    return is_loss and key in given


def _begins_empty(source: Source, name: str) -> bool:
    """Whether the source makes it so, to be filled: ``torch.empty(0)``, ``torch.tensor([])``. Or a loop gives it so."""
    nodes = [node for _, node in source.bindings.get(name, ())]
    return any(isinstance(node, (ast.For, ast.AsyncFor)) for node in nodes) or any(
        isinstance(below, ast.Call) and last_name(below.func) in _MAKING for node in nodes for below in ast.walk(node)
    )
