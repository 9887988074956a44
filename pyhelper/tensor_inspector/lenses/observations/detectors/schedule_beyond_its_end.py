"""Sizes: a schedule was stepped more often than it is long."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.optimizers import turns_of
from ....safe.guard import class_name, instance_dict
from ...findings.finding import Violation
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="a cosine is most often to end with the training; who wants it again takes CosineAnnealingWarmRestarts",
    why="Beyond T_max the rate goes up again. T_max is counted in calls of step(): epochs or batches.",
    suggestion="give T_max in what step() is called for: epochs * len(loader) where that is a batch",
)
def schedule_beyond_its_end(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``CosineAnnealingLR(optimizer, T_max=epochs)``, stepped for each batch."""
    for variable in reading.each(step.schedulers):
        length, turns = instance_dict(variable.value).get("T_max"), turns_of(variable.value)
        if class_name(type(variable.value)) == "CosineAnnealingLR" and type(length) is int and turns > length > 0:
            yield Violation(
                (f"{variable.name} was stepped {turns:,} times", ", ", f"and its T_max is {length:,}"),
                (f"{variable.name}.T_max", f"{length:,}"),
                (f"{variable.name}.last_epoch", f"{turns:,}: the rate goes up again"),
                line=step.sources[variable.level].line_of(variable.key),
            )
