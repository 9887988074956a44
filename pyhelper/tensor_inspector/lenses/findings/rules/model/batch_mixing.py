"""A model's output for a sample depends on the other samples.

Why: A prediction must not depend on what else is in the batch.

Example:
    def forward(self, x):
        return x.softmax(0) @ self.weight  # over the batch

Instead:
    def forward(self, x):
        return x.softmax(1) @ self.weight

Silent when:
    - the model can't be run with this one tensor alone, differs from run to run, or fails with a row less
    - the rows may be a sequence or nodes of a graph: time-first recurrent layers, attention over rows, `unsqueeze(0)`
    - a batch norm takes no running statistics, or a module keeps a statistic of its own
    - the batch has fewer than 3 rows, or the output has not one row for each sample
    - the difference is no larger than another order of summing may make
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare
from .....measure.torch.metadata import shape_of
from .....measure.torch.modules import Member, is_of
from .....safe.guard import module
from .....words.text import number
from ....flow.losses import ModelInput
from ....step.classes import is_library, methods_of
from ....step.expressions import last_name, text_of
from ....step.step import Step
from ...finding import Violation
from ...rule import NotAsked, rule
from .parts.model_runs import (
    SUMMING_NOISE,
    line_of_forward,
    members_inside,
    methods_in_model,
    output_again,
    relative_difference,
    runnable_inputs,
)

torch: Any = module("torch")


@rule(
    "warning",
    why="A prediction must not depend on what else is in the batch.",
    suggestion="reduce and reshape along the dimensions of a sample only",
    needs="module source run",
    tier="likely",
)
def batch_mixing(step: Step) -> Iterator[Violation]:
    failed: list[str] = []
    for given in runnable_inputs(step):
        x = bare(given.tensor)
        if x.shape[0] < 3 or _works_over_rows(step, given):
            continue
        if _keeps_statistics(step, given):
            continue  # a batch norm of the program's own
        changed, at = x.clone(), -1 if _has_recurrence_over_rows(step, given) else 0
        changed[at] = changed[1] + (changed[2] - changed[1]) / 2
        first, again, other = (output_again(given, one, failed, evaluates=True) for one in (x, x, changed))
        fewer = output_again(given, x[:-1], [], evaluates=True)
        if first is None or again is None or other is None or not torch.equal(first, again):
            continue
        if _is_one_sample(step, given) or (_attends_over_rows(step, given) and not _gives_one_a_row(x, first)):
            continue
        if fewer is None:
            continue  # its rows are no batch: the nodes of one graph, say
        if (
            first.dim() < 2
            or first.shape[0] != x.shape[0]
            or first.shape[1] == x.shape[0]
            or other.shape != first.shape
        ):
            continue
        if at == -1 and (first.dim() > 2 or first.shape[1] == x.shape[1]):
            continue  # of each time, for each sequence
        which, rest, own = ("first", slice(1, None), slice(1)) if at == 0 else ("last", slice(-1), slice(-1, None))
        apart = relative_difference(first[rest], other[rest])
        if apart > SUMMING_NOISE and relative_difference(first[own], other[own]) > 0:
            yield Violation(
                (
                    f"what {given.model.name} gives for a sample depends on the others in {given.name}",
                    ": ",
                    f"with another {which} one the rest moved by up to {number(apart, 2)}",
                ),
                (given.name, f"{x.shape[0]} samples, the {which} replaced"),
                (given.call.target, "the other rows differ"),
                line=line_of_forward(given) or (step.sources[given.level].file, given.call.lineno),
            )
            return
    if failed:
        raise NotAsked(failed[0])


def _works_over_rows(step: Step, given: ModelInput) -> bool:
    """Whether the first dimension may be no batch: a sequence, or the nodes of a graph."""
    for member in members_inside(step, given):
        if _is_time_first(member) and not _are_samples(given.tensor, member):
            return True
        if is_of(member.module, "_BatchNorm") and member.setting("track_running_stats") is not True:
            return True
    return False


def _attends_over_rows(step: Step, given: ModelInput) -> bool:
    """Whether the rows may be a sequence to an attention: one that takes the batch second."""
    return any(
        is_of(member.module, "MultiheadAttention") and member.setting("batch_first") is not True
        for member in members_inside(step, given)
    )


def _is_one_sample(step: Step, given: ModelInput) -> bool:
    """Whether a class in the model makes a batch of one of what it is given: ``x.unsqueeze(0)``, as of the words of a text."""
    nodes = (node for source in methods_in_model(step, given) for node in source.nodes)
    return any(
        (isinstance(node, ast.Call) and last_name(node.func) == "unsqueeze" and text_of(node.args[-1:][0]) == "0")
        if isinstance(node, ast.Call) and node.args
        else isinstance(node, ast.Subscript) and text_of(node.slice) == "None"
        for node in nodes
    )


def _gives_one_a_row(x: Any, out: Any) -> bool:
    """Whether what is given has a vector for each row of the input and none for each column: the rows are samples."""
    rows, columns = int(x.shape[0]), int(x.shape[1])
    return x.dim() == 3 and out.dim() == 2 and rows != columns and out.shape[0] == rows and out.shape[1] != columns


def _keeps_statistics(step: Step, given: ModelInput) -> bool:
    """Whether a module makes a buffer of its own anew, an element a feature: a mean that runs along, and no counter."""
    for member in members_inside(step, given):
        if is_library(type(member.module)):
            continue
        buffers = [name for name, one in member.items("_buffers") if one is not None and len(shape_of(one))]
        for name, source in methods_of(type(member.module)) if buffers else ():
            kept = (f"{source.self_name}.{buffer}" for buffer in buffers)
            if name != "__init__" and any(source.changes(key) for key in kept):
                return True
    return False


def _is_time_first(member: Member) -> bool:
    return is_of(member.module, "RNNBase", "RNN", "LSTM", "GRU") and member.setting("batch_first") is not True


def _are_samples(x: Any, member: Member) -> bool:
    """Whether the rows of an input may be samples though a recurrent layer takes the time first: no other dimension is
    as long, and the last row, which changes nothing before it where rows are times, can be told from the others."""
    return x.dim() > 2 and int(x.shape[0]) not in map(int, x.shape[1:]) and member.setting("bidirectional") is False


def _has_recurrence_over_rows(step: Step, given: ModelInput) -> bool:
    return any(_is_time_first(member) for member in members_inside(step, given))
