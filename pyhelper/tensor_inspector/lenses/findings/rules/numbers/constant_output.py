"""A model gives the same output for every sample.

Why: Such a model says nothing about its input.

Example:
    nn.init.zeros_(model[0].weight)
    out = model(x)

Instead:
    nn.init.kaiming_uniform_(model[0].weight)
    out = model(x)

Silent when:
    - the inputs are the same for every sample too
    - rows of the output differ by more than rounding
    - the batch has fewer than 8 samples, or the output has one dimension
    - an optimizer has stepped since the call, or the name means something else by now
    - the layer nearest to the output has weights of 0, as a new head has
    - the model uses only the shape of its input, as an embedding of positions does
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.modules import Member
from .....safe.guard import module
from ....flow.definitions import uses
from ....flow.losses import model_inputs
from ....step.classes import forward_of, is_library
from ....step.expressions import text_of
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.products import weight_of

torch: Any = module("torch")


@rule(
    "warning",
    why="Such a model says nothing about its input.",
    suggestion="look at the activations, layer by layer",
    needs="module source thorough",
)
def constant_output(step: Step) -> Iterator[Violation]:
    for given in model_inputs(step):
        call, source = given.call, step.sources[given.level]
        if (
            call.target is None
            or call.lineno >= source.lineno
            or not source.is_current(call.target, call.lineno + 1)
            or not given.is_first()
            or any(call.lineno < other.lineno < source.lineno for other in source.calls_of("step"))
        ):
            continue
        value = step.value(call.target, given.level)
        if (
            not any(variable.value is value for variable in step.tensors)
            or not is_plain(value)
            or not is_plain(given.tensor)
        ):
            continue
        out, x = bare(value), bare(given.tensor)
        if (
            out.dim() < 2
            or not out.dtype.is_floating_point
            or out.shape[0] < 8
            or x.dim() < 2
            or x.shape[0] != out.shape[0]
            or out.numel() > 1 << 22
            or x.numel() > 1 << 22
        ):
            continue
        if not _takes_values(given.model.value):
            continue
        if _are_alike(out) and bool((x != x[:1]).any()) and not _has_zero_head(step, value):
            yield Violation(
                (f"{call.target} is the same for all {out.shape[0]} samples", ", ", f"though {given.name} is not"),
                (call.target, f"{out.shape[0]} equal rows"),
                (given.name, "rows differ"),
                line=(source.file, call.lineno),
            )
            return


def _takes_values(model: Any, rounds: int = 4) -> bool:
    """Whether a model may use more of what it is given than its shape, as embeddings of positions do not."""
    source = None if is_library(type(model)) else forward_of(type(model))
    names = [] if source is None else source.arguments
    if source is None or len(names) < 2 or not rounds:
        return True
    parts = dict(Member(model).items("_modules"))
    for path in (path for statement in source.body for path in uses(statement, names[1])):
        around = path[-2] if len(path) > 1 else None
        is_given = isinstance(around, ast.Call) and any(path[-1] is one for one in around.args[:1])
        owner, _, name = text_of(around.func).rpartition(".") if isinstance(around, ast.Call) else ("", "", "")
        part = parts.get(name) if is_given and owner == names[0] else None
        if part is None or _takes_values(part, rounds - 1):
            return True
    return False


def _are_alike(out: Any) -> bool:
    """Whether all rows are the first one, but for what rounding makes of them."""
    apart, size = float((out - out[:1]).abs().max()), float(out.abs().max())
    is_exact = out.dtype in (torch.float32, torch.float64)
    return apart == 0 or (is_exact and apart <= 8 * torch.finfo(torch.float32).eps * min(size, 1.0))


def _has_zero_head(step: Step, value: Any) -> bool:
    """Whether the layer nearest to the output has weights of 0, as a new head may."""
    node = step.node_of(value)
    for below in step.graph.below(node, most=12) if node is not None else ():
        weight = weight_of(step, below)
        if weight is not None:
            stats = step.stats(weight.tensor)
            return stats is not None and stats["zeros"] == stats["count"]
    return node is None
