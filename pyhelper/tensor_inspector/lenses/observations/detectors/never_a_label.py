"""Coverage: a number that ends every row of the ids, and that no label has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import is_exact_tensor, is_integer
from ....safe.guard import module
from ...findings.finding import Violation
from ...step.sight import VisibleVariable
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

torch: Any = module("torch")


class _Ended:
    """A table of whole numbers, all rows of which end in the number ``last``."""

    __slots__ = ("last", "values", "variable")

    def __init__(self, variable: VisibleVariable, values: Any, last: int) -> None:
        self.variable = variable
        self.values = values
        self.last = last


@detector(
    30,
    because="rows end in a token that is learned; where all are padded to one length they end in padding",
    why="The model is never told to give it: a text that ends in it is never ended.",
    suggestion="ignore the padding by its place, not by its number: labels[attention_mask == 0] = -100",
)
def never_a_label(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """Each row of the ids ends in the end token, which is the padding too, so that all of them are ignored."""
    alike: dict[tuple[Any, ...], list[_Ended]] = {}
    for variable in reading.each(step.tensors):
        with reading.of(variable.name):
            table = _table(variable, reading)
            if table is not None:
                where = variable.level, table.values.device, tuple(table.values.shape)
                alike.setdefault(where, []).append(table)
    pairs = ((ids, labels) for tables in alike.values() for ids in tables for labels in tables)
    for ids, labels in reading.each(pairs):
        if ids.last < 0 or ids.last == labels.last:  # a number below 0 is no token
            continue
        if not step.sources[ids.variable.level].are_of_one_round(ids.variable.key, labels.variable.key):
            continue
        with reading.of(labels.variable.name):
            if reading.takes(labels.variable.name, 2 * labels.values.numel()):
                yield from _met(step, ids, labels)


def _met(step: Step, ids: _Ended, labels: _Ended) -> Iterator[Violation]:
    token, hidden = ids.last, labels.last
    ignored = ids.values != labels.values
    count = int(ignored.sum())
    if 2 * count > ignored.numel() or not bool((labels.values[ignored] == hidden).all()):
        return
    if bool((ids.values == hidden).any()) or bool((labels.values == token).any()):
        return
    if _end_alike(labels.values, hidden):  # another number ends each row, and is a label
        return
    yield Violation(
        (f"no label is {token}", ": ", f"all {len(ids.values)} rows of {ids.variable.name} end with it"),
        (ids.variable.name, f"{int((ids.values == token).sum())} times {token}, in each row"),
        (labels.variable.name, f"never {token}; {count} are {hidden}"),
        line=step.sources[labels.variable.level].line_of(labels.variable.key),
    )


def _end_alike(labels: Any, hidden: int) -> bool:
    """Whether the last label that is not ignored is the same in all rows."""
    kept = labels != hidden
    places = torch.arange(labels.shape[1], device=labels.device)
    at = torch.where(kept, places, -1).amax(1)
    ends = labels.gather(1, at.clamp(min=0)[:, None])[at >= 0]
    return not len(ends) or bool((ends == ends[0]).all())


def _table(variable: VisibleVariable, reading: BoundedReading) -> _Ended | None:
    """The elements of a table of whole numbers, with several rows and columns, if all rows end in one number."""
    tensor = variable.value
    if not is_exact_tensor(tensor) or not is_integer(tensor.dtype) or tensor.dim() != 2 or min(tensor.shape) < 2:
        return None
    values = bare(tensor)
    ends = None if values is None else values[:, -1]
    if ends is None or ends[0] != ends[1] or not reading.takes(variable.name, len(ends)):
        return None
    return _Ended(variable, values, int(ends[0])) if bool((ends == ends[0]).all()) else None
