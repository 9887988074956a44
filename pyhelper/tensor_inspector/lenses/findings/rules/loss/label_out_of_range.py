"""Labels lie beyond the classes of the output that a loss will get.

Why: The loss raises, or a GPU stops with a device-side assert.

Example:
    y = torch.tensor([1, 2, 3])  # counted from 1
    loss = F.cross_entropy(model(x), y)  # three classes

Instead:
    loss = F.cross_entropy(model(x), y - 1)

Silent when:
    - the loss is computed already, or a condition may keep it from being
    - the labels are floats, or only the label that is ignored lies outside
    - the source does not tell which label is ignored
    - the scores have one dimension
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import shape_of
from ....flow.constants.conditions import is_foretold
from ....flow.losses import loss_calls
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.ignore_index import ignore_index_of


@rule(
    "error",
    why="The loss raises, or a GPU stops with a device-side assert.",
    suggestion="count labels from 0, or widen the head",
    needs="source",
)
def label_out_of_range(step: Step) -> Iterator[Violation]:
    for one in loss_calls(step):
        if one.function not in ("cross_entropy", "nll_loss") or one.target is None or one.input is None:
            continue
        if not is_foretold(step, one.call.lineno, one.level):
            continue
        scores, target = one.input.value, one.target.value
        sizes = tuple(shape_of(scores))
        if len(sizes) < 2 or target.dtype.is_floating_point or one.call.lineno < step.sources[one.level].lineno:
            continue
        stats, index = step.stats(target), ignore_index_of(step, one)
        classes = sizes[1]
        if stats is None or stats["min"] is None or index is None:
            continue
        if not is_plain(target) or 0 <= stats["min"] <= stats["max"] < classes:
            continue
        counted = bare(target)[bare(target) != index]
        outside = int(((counted < 0) | (counted >= classes)).sum())
        if outside:
            lowest, highest = int(counted.min()), int(counted.max())
            yield Violation(
                (
                    f"{one.target.name} runs from {lowest} to {highest}",
                    ", ",
                    f"but the {classes} classes are 0…{classes - 1}: {outside} of {counted.numel()} out of range",
                ),
                (one.target.name, f"{lowest}…{highest}, {outside} out of range"),
                (one.input.name, f"{classes} classes"),
                line=(step.sources[one.level].file, one.call.lineno),
            )
            return
