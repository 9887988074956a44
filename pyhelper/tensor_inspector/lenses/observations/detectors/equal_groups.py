"""Degenerate: a table whose numbers are the same along a dimension, though they differ along the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.graph import VIEWS
from ....measure.torch.metadata import element_count, grad_fn_of, is_exact_tensor
from ....measure.torch.node import AutogradNode
from ...findings.finding import Violation
from ...findings.losses import ModelInput, model_inputs
from ...step.expressions import constant_of, shown, text_of
from ...step.source import Source
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_FIRST = 16  #: places along each dimension that tell most tables apart
_COMPARING = frozenset("log_softmax mean softmax std std_mean var var_mean".split())
_REPEATING = frozenset((*VIEWS, "Expand", "Repeat"))


@detector(
    10,
    because="what a model made of different samples differs, but at its first step, by a head of zeros",
    why="The model answers every sample alike: what it was given makes no difference.",
    suggestion="look at what the samples go through: dead units, a pooled or detached input, one object many times",
)
def the_same_for_every_sample(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """All rows of what a model made are equal."""
    seen: set[int] = set()
    for given in reading.each(model_inputs(step)):
        name, source = given.call.target, step.sources[given.level]
        made = None if name is None else source.binding_of(name)
        if name is None or made is None or getattr(made[1], "value", None) is not given.call.node:
            continue
        value = step.value(name, given.level)
        if not is_exact_tensor(value) or id(value) in seen or not _may_depend(step, given, value):
            continue
        known = shown(name)
        with reading.of(known):
            rows = _table(value)
            if rows is None or rows.shape[0] < 3 or not _are_equal(reading, known, rows) or _is_one_number(rows[0]):
                continue
            samples = _table(given.tensor)
            if samples is None or samples.shape[0] != rows.shape[0] or _are_equal(reading, given.name, samples):
                continue
            seen.add(id(value))
            yield Violation(
                (f"all {rows.shape[0]} rows of {known} are equal", "; ", f"those of {given.name} differ"),
                (known, f"{rows.shape[0]} equal rows of {rows[0].numel():,}"),
                line=source.line_of(name),
            )


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
        rows = None if id(tensor) in step.parameters else _table(tensor)
        if rows is None or min(rows.shape) < 3:
            continue
        with reading.of(variable.name):
            columns, source = rows.t(), step.sources[variable.level]
            if not _is_compared(source, variable.key) or not _are_equal(reading, variable.name, columns):
                continue
            if bool((rows[:, 0] == rows[0, 0]).all()):
                continue
            yield Violation(
                (f"each of the {rows.shape[0]} rows of {variable.name} is one number", ": ", f"{rows.shape[1]} times"),
                (variable.name, f"rows differ, their {rows.shape[1]} entries don't"),
                line=source.line_of(variable.key),
            )


def _may_depend(step: Step, given: ModelInput, made: Any) -> bool:
    """Whether a result is more than a weight that is repeated, and has in its graph what its input has one of."""
    node = step.node_of(made)
    if node is None:
        return False
    inner = step.node_of(given.tensor)
    if inner is not None and not step.graph.reaches(node, inner):
        return False
    below: list[AutogradNode] = [node]
    while len(below) == 1 and below[0].op in _REPEATING:
        below = list(step.graph.inputs(below[0]))
    return any(one.leaf is None for one in below)


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


def _table(tensor: Any) -> Any:
    """The elements, where there are several for each index of the first dimension, and each is one of its own."""
    if not element_count(tensor) or tensor.dim() < 2:
        return None
    values = bare(tensor)
    return None if values is None or any(not step for step in values.stride()) else values


def _are_equal(reading: BoundedReading, name: str, rows: Any) -> bool:
    """Whether all rows of a table are equal, as far as that is read. The first places tell of most that they differ."""
    first = rows[(slice(_FIRST),) * rows.dim()]
    if not bool((first == first[:1]).all()) or not reading.takes(name, rows.numel()):
        return False
    return bool((rows == rows[:1]).all())


def _is_one_number(row: Any) -> bool:
    return bool((row == row.flatten()[:1]).all())
