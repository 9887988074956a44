"""Meaning: a mask hides nothing, though rows end in padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count, is_exact_tensor, is_integer, shape_of
from ...findings.finding import Violation
from ...step.sight import VisibleVariable
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    100,
    because="a mask is made to hide the padding; one that is all 1 beside padded rows hides none",
    why="The padding is attended to, and counts as data.",
    suggestion="make it of the ids: (ids != pad).long()",
)
def mask_hides_nothing(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``attention_mask = torch.ones_like(ids)`` of rows that end in runs of 0."""
    masks = [one for one in step.tensors if "mask" in one.key.lower() and _is_table(one.value)]
    for mask in reading.each(masks):
        with reading.of(mask.name):
            values = bare(mask.value)
            if values is None or not reading.takes(mask.name, values.numel()) or not bool((values == 1).all()):
                continue
        for ids in reading.each(_beside(step, mask)):
            with reading.of(ids.name):
                padding, rows = _padding(ids, reading)
                if rows:
                    yield Violation(
                        (
                            f"{mask.name} is all 1",
                            ", ",
                            f"and {rows} of {len(ids.value)} rows of {ids.name} are padded",
                        ),
                        (mask.name, "no 0"),
                        (ids.name, f"{rows} rows end in runs of {padding}"),
                        line=step.sources[mask.level].line_of(mask.key),
                    )


def _is_table(value: Any) -> bool:
    return is_exact_tensor(value) and value.dim() == 2 and min(value.shape) > 1 and value.dtype.itemsize <= 8


def _beside(step: Step, mask: VisibleVariable) -> Iterator[VisibleVariable]:
    """Tables of whole numbers of the mask's shape, in its frame and of its round."""
    source, shape = step.sources[mask.level], shape_of(mask.value)
    for one in step.tensors:
        if one.level != mask.level or "mask" in one.key.lower() or not _is_table(one.value):
            continue
        is_alike = is_integer(one.value.dtype) and shape_of(one.value) == shape
        if is_alike and source.are_of_one_round(mask.key, one.key):
            yield one


def _padding(ids: VisibleVariable, reading: BoundedReading) -> tuple[int, int]:
    """The number that rows end in runs of, and how many do so; 0 where it is not most rows, or all are alike."""
    values = bare(ids.value)
    if values is None or not reading.takes(ids.name, element_count(ids.value) or 0):
        return 0, 0
    last = values[:, -1]
    padding = int(last.mode().values)
    padded = (last == padding) & (values[:, -2] == padding)
    inside = (values[padded] == padding).sum(1)
    rows = int(padded.sum())
    is_ragged = rows > 0 and (rows < len(values) or bool((inside != inside[0]).any()))
    return padding, (rows if 2 * rows > len(values) and is_ragged and bool((inside < values.shape[1]).all()) else 0)
