"""The eps of an optimizer is 0 in the float16 of its weights.

Why: The division by √v + eps becomes 0/0, which is NaN.

Example:
    optimizer = torch.optim.Adam(model.half().parameters(), eps=1e-8)

Instead:
    optimizer = torch.optim.Adam(model.half().parameters(), eps=1e-4)

Silent when:
    - no weight that needs a gradient is float16 (bfloat16 has smaller numbers)
    - eps is more than 2⁻²⁵ (2.98e-8), or exactly 0
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import dtype_of, requires_grad
from .....measure.torch.optimizers import groups
from .....safe.guard import module
from .....words.text import number
from ....flow.lines import line_of_last_binding
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...rule import rule

torch: Any = module("torch")

_ROUNDS_TO_0 = 2**-25  #: halfway to the smallest float16 above 0, and rounded to even


@rule(
    "error",
    why="The division by √v + eps becomes 0/0, which is NaN.",
    suggestion="eps=1e-4, or float32 weights",
    causes=NOT_FINITE,
    needs="optimizer",
)
def eps_underflow(step: Step) -> Iterator[Violation]:
    for variable in step.optimizers:
        for at, group in enumerate(groups(variable.value)):
            eps = group.number("eps")
            halves = (tensor for tensor in group.tensors if dtype_of(tensor) is torch.float16)
            half = next(filter(requires_grad, halves), None)  # a frozen one has no gradient, and is left out
            if half is not None and eps is not None and 0 < eps <= _ROUNDS_TO_0:
                yield Violation(
                    (f"eps {number(eps)} of {variable.name} is 0 in float16", ": ", "a gradient of 0 makes 0/0"),
                    (f'{variable.name}.param_groups[{at}]["eps"]', number(eps)),
                    (step.name_of(half), "float16"),
                    line=line_of_last_binding(step, variable.key),
                )
                break
