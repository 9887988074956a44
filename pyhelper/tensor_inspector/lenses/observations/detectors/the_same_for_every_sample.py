"""Degenerate: what a model makes is the same for every sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.graph import VIEWS
from ....measure.torch.metadata import is_exact_tensor
from ....measure.torch.node import AutogradNode
from ...findings.finding import Violation
from ...flow.losses import ModelInput, model_inputs
from ...step.expressions import shown
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading
from ..tables import are_equal, table_of

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
            rows = table_of(value)
            if rows is None or rows.shape[0] < 3 or not are_equal(reading, known, rows) or _is_one_number(rows[0]):
                continue
            samples = table_of(given.tensor)
            if samples is None or samples.shape[0] != rows.shape[0] or are_equal(reading, given.name, samples):
                continue
            seen.add(id(value))
            yield Violation(
                (f"all {rows.shape[0]} rows of {known} are equal", "; ", f"those of {given.name} differ"),
                (known, f"{rows.shape[0]} equal rows of {rows[0].numel():,}"),
                line=source.line_of(name),
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


def _is_one_number(row: Any) -> bool:
    return bool((row == row.flatten()[:1]).all())
