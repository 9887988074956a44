"""Modes: a model that follows another one by its weights, and not by its running statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import number_of, version_of
from ....measure.torch.metadata import is_exact_tensor, requires_grad, shape_of
from ....measure.torch.modules import Member
from ....words.text import plural
from ...findings.finding import Violation
from ...step.functions import sources_in_reach
from ...step.sight import VisibleVariable
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


class _Averaged:
    """A model that may average another: its parameters by their names, the batches that its norms have seen."""

    __slots__ = ("batches", "shapes", "tensors", "variable")

    def __init__(self, variable: VisibleVariable, members: list[Member]) -> None:
        self.variable = variable
        named = [(member.path + suffix, tensor) for member in members for suffix, tensor in member.parameters()]
        self.tensors = [tensor for _, tensor in named]
        self.shapes = [(name, tuple(shape_of(tensor))) for name, tensor in named]
        self.batches = [count for member in members if (count := _batches_of(member)) is not None]

    def is_frozen(self) -> bool:
        return not any(requires_grad(tensor) for tensor in self.tensors)

    def is_written(self) -> bool:
        """Whether its weights were changed since they were made."""
        return any(is_exact_tensor(tensor) and version_of(tensor) > 0 for tensor in self.tensors)


@detector(
    300,
    because="who averages or copies weights into a second model wants its outputs, which its norms decide too",
    why="Buffers are not among parameters(): in eval its batch norms use 0 and 1 instead of the running statistics.",
    suggestion="copy buffers() as well, or use torch.optim.swa_utils.AveragedModel(model, use_buffers=True)",
)
def weights_without_statistics(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """An average of the weights whose batch norms have seen no batch, beside a model whose norms have."""
    if any(source.mentions("buffers", "state_dict") for source in sources_in_reach(step)):  # they are on their way
        return
    models = [_Averaged(one, _members_of(step, one)) for one in reading.each(step.modules)]
    copies = [one for one in models if one.batches and not any(one.batches) and one.is_frozen() and one.is_written()]
    for copy in reading.each(copies):
        for other in models:
            if other is not copy and other.shapes == copy.shapes and all(other.batches) and not other.is_frozen():
                name = copy.variable.name
                yield Violation(
                    (
                        f"{name} has the weights of {other.variable.name}",
                        ", ",
                        f"and its {plural(len(copy.batches), 'batch norm')} saw no batch",
                    ),
                    (name, f"written by the program; {plural(len(copy.batches), 'batch norm')} with 0 batches"),
                    (other.variable.name, f"its batch norms saw {max(other.batches):,} batches"),
                    line=step.sources[copy.variable.level].line_of(copy.variable.key),
                )
                break


def _members_of(step: Step, variable: VisibleVariable) -> list[Member]:
    return [member for _, member in step.members.values() if member.top.module is variable.value]


def _batches_of(member: Member) -> int | None:
    """How many batches a batch norm has counted."""
    found: Any = dict(member.items("_buffers")).get("num_batches_tracked")
    number = number_of(found) if is_exact_tensor(found) else None
    return None if number is None else int(number)
