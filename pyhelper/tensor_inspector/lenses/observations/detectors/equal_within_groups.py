"""Degenerate: each row of a table is one number many times."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.metadata import grad_fn_of
from ...findings.finding import Violation
from ...step.expressions import constant_of, text_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading
from ..tables import are_equal, table_of

_COMPARING = frozenset("log_softmax mean softmax std std_mean var var_mean".split())


@detector(
    100,
    because="numbers that are grouped to be compared with each other differ within a group",
    why="What is compared within a group is 0 everywhere, as an advantage that nothing can be learned from.",
    suggestion="look at what tells the members of a group apart: a reward that does not depend on the answer",
)
def equal_within_groups(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """Each row of a table is one number many times, and the rows differ."""
    for variable in reading.each(step.tensors):
        tensor = variable.value
        if tensor.dim() != 2 or not tensor.dtype.is_floating_point or grad_fn_of(tensor) is not None:
            continue
        rows = None if id(tensor) in step.parameters else table_of(tensor)
        if rows is None or min(rows.shape) < 3:
            continue
        with reading.of(variable.name):
            columns, source = rows.t(), step.sources[variable.level]
            if not _is_compared(source, variable.key) or not are_equal(reading, variable.name, columns):
                continue
            if bool((rows[:, 0] == rows[0, 0]).all()):
                continue
            yield Violation(
                (f"each of the {rows.shape[0]} rows of {variable.name} is one number", ": ", f"{rows.shape[1]} times"),
                (variable.name, f"rows differ, their {rows.shape[1]} entries don't"),
                line=source.line_of(variable.key),
            )


def _is_compared(source: Source, name: str) -> bool:
    """Whether the source takes the mean, the spread or a softmax within each row: ``grouped.mean(1)``."""
    for call in source.calls:
        if call.name not in _COMPARING:
            continue
        is_method = text_of(call.receiver) == name
        rest = call.args if is_method else call.args[1:]
        if not is_method and [text_of(one) for one in call.args[:1]] != [name]:
            continue
        along = call.keywords.get("dim") or call.keywords.get("axis") or next(iter(rest), None)
        dim = None if along is None else constant_of(along)
        if dim in (1, -1, (1,), (-1,), [1], [-1]):
            return True
    return False
