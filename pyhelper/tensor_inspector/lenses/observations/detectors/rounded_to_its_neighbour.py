"""Precision: whole numbers in a dtype that does not have all of them, so that some became equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count
from ....safe.guard import module
from ....safe.torch_name import torch_name
from ...findings.finding import Violation
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

torch: Any = module("torch")
#: Up to which whole number a dtype has all: 2 to the number of its digits, IEEE 754 and bfloat16.
_ALL = {torch.float16: 2048, torch.bfloat16: 256}
_FIRST = 64  #: elements that tell of most tensors that they count nothing


@detector(
    100,
    because="who counts in half precision counts little; positions and steps are whole numbers to be told apart",
    why="Beyond that number the dtype has no odd ones any more: neighbours are equal.",
    suggestion="count in int64 or float32, and convert what is computed from it",
)
def rounded_to_its_neighbour(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``torch.arange(1000).to(torch.bfloat16)``"""
    for variable in reading.each(step.tensors):
        limit, tensor = _ALL.get(variable.value.dtype), variable.value
        if limit is None or tensor.dim() != 1 or limit >= (element_count(tensor) or 0):
            continue
        values = bare(tensor)
        if values is None or not _may_count(values) or not reading.takes(variable.name, len(values)):
            continue
        if not _counts(values):
            continue
        kinds = len(values.unique())
        if kinds == len(values) or int(values.max()) <= limit or kinds < limit // 2:
            continue
        dtype = torch_name(tensor.dtype)
        yield Violation(
            (
                f"{len(values)} whole numbers in {variable.name} are {kinds} in {dtype}",
                ": ",
                f"it has all up to {limit}",
            ),
            (variable.name, f"{dtype}, up to {int(values.max())}, {kinds} that differ"),
            line=step.sources[variable.level].line_of(variable.key),
        )


def _may_count(values: Any) -> bool:
    return _counts(values[:_FIRST])


def _counts(values: Any) -> bool:
    """Whether they are whole numbers in their order."""
    return bool((values == values.round()).all()) and bool((values[1:] >= values[:-1]).all())
