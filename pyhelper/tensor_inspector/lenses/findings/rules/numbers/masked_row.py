"""A softmax is taken over a row of −inf alone.

Why: A softmax needs one finite score at least.

Example:
    scores = scores.masked_fill(mask, -torch.inf)  # one row is all masked
    weights = scores.softmax(-1)

Instead:
    mask[:, 0] = False  # one place of each row stays
    weights = scores.masked_fill(mask, -torch.inf).softmax(-1)

Silent when:
    - no row is masked as a whole
    - the NaN has not reached a loss, and no product of a training step will carry it into gradients: such rows may be
      replaced
    - the program itself replaces such values (`torch.where`, `nan_to_num`)
    - the NaN began at an earlier operation
"""

from __future__ import annotations

from collections.abc import Iterator

from .....words.text import plural
from ....flow.lines import line_of_binding_or_call
from ....step.step import Step
from ...consequences import NOT_FINITE
from ...finding import Violation
from ...finite import words_of
from ...rule import rule
from .parts.nan_onset import onset_of
from .parts.nan_words import line_of_node


@rule(
    "error",
    why="A softmax needs one finite score at least.",
    suggestion="leave one place unmasked, or skip such rows",
    causes=NOT_FINITE,
)
def masked_row(step: Step) -> Iterator[Violation]:
    onset = onset_of(step)
    rows = 0 if onset is None else onset.origin.masked
    result = step.stats(onset.origin.value) if onset is not None and rows else None
    if onset is None or result is None:
        return
    node, mask = onset.origin.node, onset.origin.mask
    below = step.graph.through_views(step.graph.input(node))
    name, by = step.title_of(node), None if mask is None else step.owner_of(mask)
    where = "every place is masked there" if by is None else f"{by} masks every place there"
    yield Violation(
        (
            f"softmax over {plural(rows, 'row')} of −inf alone is NaN",
            ": ",
            f"{name or 'its result'} has {words_of(result)}, {where}",
        ),
        (name, words_of(result)),
        (None if below is None else step.title_of(below), f"{plural(rows, 'row')} all masked"),
        *([(by, f"hides every place of {plural(rows, 'row')}")] if by is not None else []),
        line=line_of_node(step, node) or line_of_binding_or_call(step, "softmax", name),
    )
