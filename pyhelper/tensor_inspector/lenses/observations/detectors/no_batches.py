"""Empty: a loader that gives no batch."""

from __future__ import annotations

from collections.abc import Iterator

from ....safe.guard import instance_dict
from ...findings.finding import Violation
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading, length_of


@detector(
    1000,
    because="a loader that gives nothing is of no use to anybody",
    why="A loop over it runs no round, and no error says so.",
    suggestion="give it a batch size that fits the data, or drop_last=False",
)
def no_batches(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``drop_last=True`` and fewer samples than a batch has."""
    for variable in reading.each(step.loaders):
        attributes = instance_dict(variable.value)
        batches = length_of(attributes.get("batch_sampler"))
        if batches == 0:
            size, samples = attributes.get("batch_size"), length_of(attributes.get("dataset"))
            known = f"{samples:,} samples in batches of {size}" if type(size) is int and samples is not None else ""
            yield Violation(
                (f"{variable.name} gives no batch", ": ", known) if known else f"{variable.name} gives no batch",
                (variable.name, "0 batches"),
                line=step.sources[variable.level].line_of(variable.key),
            )
