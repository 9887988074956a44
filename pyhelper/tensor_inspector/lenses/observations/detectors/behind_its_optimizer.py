"""Weights stand still: the optimizer has stepped a parameter less often than the others beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import number_of
from ....measure.torch.metadata import is_exact_tensor
from ....measure.torch.optimizers import states
from ....words.text import plural
from ...findings.finding import Violation
from ...step.roles import Parameter
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_LEAST = 3  #: steps of the others


@detector(
    30,
    because="parameters of one optimizer are stepped together; one that joined later, or is used at times, is behind",
    why="A step leaves out what has no gradient then: it was cleared, detached, or not reached in those steps.",
    suggestion="look at which steps leave its gradient None",
)
def behind_its_optimizer(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """Adam has counted 3 steps of one weight and 200 of the others, though it has a gradient now."""
    for variable in reading.each(step.optimizers):
        kept = states(variable.value)
        counts: dict[int, int] = {}
        for one in reading.each(step.trained()):
            count = _count_of(kept.get(id(one.tensor)))
            if count is not None and id(one.tensor) in kept:
                counts[id(one.tensor)] = count
        if len(counts) < 2:
            continue
        usual, times = Counter(counts.values()).most_common(1)[0]
        if usual < _LEAST or 2 * times <= len(counts):
            continue
        late = [one for one in step.trained() if counts.get(id(one.tensor), usual) < usual - 1 and _has_grad(step, one)]
        if late:
            first = late[0]
            yield Violation(
                (
                    f"{first.name} was stepped {counts[id(first.tensor)]} times",
                    ", ",
                    f"the others of {variable.name} {usual} times",
                ),
                *((one.name, f"{plural(counts[id(one.tensor)], 'step')}, has a gradient") for one in late[:4]),
                line=step.line_of(first.name),
            )


def _count_of(kept: Any) -> int | None:
    """The number of steps that an optimizer has counted of a parameter."""
    found = None if kept is None else kept.get("step")
    if type(found) is int:
        return found
    number = number_of(found) if is_exact_tensor(found) else None
    return None if number is None else int(number)


def _has_grad(step: Step, one: Parameter) -> bool:
    return step.grad(one.tensor) is not None
