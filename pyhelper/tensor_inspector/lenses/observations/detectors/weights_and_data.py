"""Sizes that don't belong together: the weights of a sampler and the data that it draws from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import is_exact_tensor, shape_of
from ....safe.guard import class_name, instance_dict, mro
from ...findings.finding import Violation
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading, length_of


@detector(
    1000,
    because="a weight is that of a sample: there are as many of the one as of the other",
    why="A sampler draws the numbers from 0 to that of its last weight: no other sample ever comes.",
    suggestion="give a weight to each sample: class_weights[labels]",
)
def weights_and_data(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``WeightedRandomSampler(class_weights, …)`` with a weight for each class."""
    for variable in reading.each(step.loaders):
        attributes = instance_dict(variable.value)
        sampler = attributes.get("sampler")
        if "WeightedRandomSampler" not in map(class_name, mro(type(sampler))):
            continue
        weights: Any = instance_dict(sampler).get("weights")
        samples = length_of(attributes.get("dataset"))
        if samples is None or not is_exact_tensor(weights) or weights.dim() != 1:
            continue
        count = int(shape_of(weights)[0])
        if count != samples:
            name = variable.name
            yield Violation(
                (f"{name} has {count:,} weights for {samples:,} samples", ": ", _what_follows(count, samples)),
                (f"{name}.sampler.weights", f"{count:,} weights"),
                (f"{name}.dataset", f"{samples:,} samples"),
                line=step.sources[variable.level].line_of(variable.key),
            )


def _what_follows(weights: int, samples: int) -> str:
    if weights < samples:
        return f"only the first {weights:,} samples are ever drawn"
    return f"the last {weights - samples:,} stand for no sample"
