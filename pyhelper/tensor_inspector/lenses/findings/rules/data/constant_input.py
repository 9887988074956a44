"""A whole batch that a model is given is one value.

Why: What is the same for every sample tells nothing about any.

Example:
    x = (torch.tensor(pixels) // 256).float()  # a division of integers: all 0
    out = model(x)

Instead:
    x = torch.tensor(pixels).float() / 256
    out = model(x)

Silent when:
    - the input needs gradients, has fewer than 4 rows or 64 elements, or is not the model's first
    - the source makes it of one value on purpose: `torch.zeros`, `ones`, `full` and the like
    - a loop carries it on: it is the state to begin with
    - the model is given other numbers beside it, which differ
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import element_count, is_exact_tensor, requires_grad
from .....words.text import number
from ....flow.losses import ModelInput, model_inputs
from ....step.expressions import names_in
from ....step.source import Source
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.raw_inputs import is_carried, where_made


@rule(
    "warning",
    why="What is the same for every sample tells nothing about any.",
    suggestion="look at where the batch is made: a division of integers, a wrong scale",
    needs="module optimizer source",
)
def constant_input(step: Step) -> Iterator[Violation]:
    for given in model_inputs(step):
        tensor = given.tensor
        if not given.is_first() or not tensor.dtype.is_floating_point or tensor.dim() < 2 or requires_grad(tensor):
            continue
        stats = step.stats(tensor) if tensor.shape[0] >= 4 and (element_count(tensor) or 0) >= 64 else None
        if stats is None or stats["min"] is None or stats["min"] != stats["max"] or stats["nan"]:
            continue
        if any(_is_written_constant(source, given.name) for source in step.sources) or is_carried(step, given):
            continue
        if _has_more_to_learn_from(step, given):
            continue
        yield Violation(
            (
                f"all {stats['count']:,} elements of {given.name} are {number(stats['min'])}",
                ": ",
                f"{given.model.name} is given nothing to learn from",
            ),
            (given.name, f"{stats['count']:,} times {number(stats['min'])}"),
            line=where_made(step, given),
        )
        return


def _has_more_to_learn_from(step: Step, given: ModelInput) -> bool:
    """Whether the model is given other numbers beside, which differ: a time is the same for all states of a batch."""
    for argument in (*given.call.args, *given.call.keywords.values()):
        variable = step.operand(argument, given.level, given.call.lineno)
        others = names_in(argument) if variable is None else [variable.key]
        tensors = (step.value(name, given.level) for name in others)
        if any(is_exact_tensor(one) and one.dtype.is_floating_point and _differs(step, one) for one in tensors):
            return True
    return False


def _differs(step: Step, tensor: Any) -> bool:
    stats = step.stats(tensor)
    return stats is None or stats["min"] is None or stats["min"] != stats["max"]


def _is_written_constant(source: Source, name: str) -> bool:
    """Whether it is made as one value on purpose: ``torch.zeros(…)``."""
    words = ("zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full")
    nodes = [node for _, node in source.bindings_of(name)]
    return any(isinstance(below, ast.Attribute) and below.attr in words for node in nodes for below in ast.walk(node))
