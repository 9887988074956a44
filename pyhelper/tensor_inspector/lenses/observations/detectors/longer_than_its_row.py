"""Sizes that don't belong together: the lengths of sequences, and the dimension that they are padded to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count, is_exact_tensor, is_integer, shape_of
from ....words.text import plural, shape
from ...findings.finding import Violation
from ...step.calls import Call
from ...step.expressions import text_of, without_moves
from ...step.sight import VisibleVariable
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_WORDS = ("length", "lens", "seqlen", "seq_len")


@detector(
    300,
    because="a length counts places of its row, so none is beyond the last",
    why="Places that a row does not have are counted, or rows were cut after their lengths were taken.",
    suggestion="take the lengths where the rows are padded or cut: lengths.clamp(max=x.shape[1])",
)
def longer_than_its_row(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``lengths`` of up to 60, and rows of 50 places."""
    for variable in reading.each(step.tensors):
        lengths = _lengths(variable.key, variable.value)
        if lengths is None or not reading.takes(variable.name, len(lengths)):
            continue
        source = step.sources[variable.level]
        rows = [
            one
            for one in step.tensors
            if one.level == variable.level and one.value.dim() in (2, 3) and shape_of(one.value)[0] == len(lengths)
            if source.are_of_one_round(variable.key, one.key)
        ]
        longest, places = int(lengths.max()), [int(shape_of(one.value)[1]) for one in rows]
        if not rows or longest <= max(places) or longest > 2 * max(places):
            continue  # far beyond, they count something else: samples of sound before they were made frames
        row = next((one for one in reading.each(rows) if _has_places(source, one, variable.key, reading)), None)
        if row is None:
            continue
        count = int(shape_of(row.value)[1])
        yield Violation(
            (f"{variable.name} goes up to {longest}", ": ", f"{row.name} has {plural(count, 'place')}"),
            (variable.name, f"{int((lengths > count).sum())} of {len(lengths)} beyond {count}"),
            (row.name, f"shape {shape(shape_of(row.value))}"),
            line=source.line_of(variable.key),
        )


def _lengths(name: str, tensor: Any) -> Any:
    """The elements of whole numbers that are called lengths, one a row."""
    last = name.rpartition(".")[2].lower()
    if not any(word in last for word in _WORDS) or not is_exact_tensor(tensor) or not is_integer(tensor.dtype):
        return None
    return bare(tensor) if tensor.dim() == 1 and (element_count(tensor) or 0) > 1 else None


def _has_places(source: Source, rows: VisibleVariable, lengths: str, reading: BoundedReading) -> bool:
    """Whether the second dimension counts places, and not features: ids, what is padded at its end, or is packed."""
    tensor = rows.value
    if any(_packs(call, rows.key, lengths) for call in source.calls):
        return True
    if tensor.dim() == 2:
        return is_integer(tensor.dtype)
    values = bare(tensor) if element_count(tensor) else None
    last = None if values is None else values[:, -1]
    return last is not None and reading.takes(rows.name, last.numel()) and bool((last == 0).all(1).any())


def _packs(call: Call, rows: str, lengths: str) -> bool:
    """``pack_padded_sequence(x, lengths.cpu())``"""
    given = [text_of(without_moves(one)) for one in (*call.args, *call.keywords.values())]
    return ("pack" in call.name or "mask" in call.name) and rows in given and lengths in given
