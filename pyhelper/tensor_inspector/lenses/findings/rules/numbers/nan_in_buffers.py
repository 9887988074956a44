"""Running statistics, or other buffers, of a model hold NaN or Inf.

Why: In eval mode these statistics are used, and make every output NaN.

Example:
    model.train()
    model(x)  # x has a NaN: running_mean keeps it

Instead:
    model.train()
    model(torch.nan_to_num(x))

Silent when:
    - another buffer than `running_mean` and `running_var` has NaN, and every loss is finite
    - such a buffer has Inf and no NaN, as a mask of −inf
    - the buffer has 65,536 elements or more
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import element_count
from .....words.text import listed
from ....step.step import Step
from ...finding import Violation
from ...finite import count_not_finite
from ...rule import rule
from .parts.not_finite import buffers_not_finite, numbers_not_finite

_STATISTICS = ("running_mean", "running_var")  #: of batch norms; extremes that run begin at infinity


@rule(
    "error",
    why="In eval mode these statistics are used, and make every output NaN.",
    suggestion="reset_running_stats()",
    needs="module",
)
def nan_in_buffers(step: Step) -> Iterator[Violation]:
    small = [
        (name, tensor)
        for name, tensor, _ in step.buffers
        if name.rpartition(".")[2] in _STATISTICS and (element_count(tensor) or 0) < 1 << 16
    ]
    bad = [small[at][0] for at in numbers_not_finite(step, (tensor for _, tensor in small))]
    if not bad:
        yield from _kept_by_the_program(step)
    else:
        finite = next((loss.name for loss in step.losses if count_not_finite(step, loss.tensor) == 0), None)
        then = f"; {finite} is finite in train mode, in eval mode it will not be" if finite else ""
        yield Violation(
            (
                f"{listed(bad, False, 60)} {'is' if len(bad) == 1 else 'are'} not finite",
                ": ",
                f"a batch before this one had NaN or Inf{then}",
            ),
            *((name, "NaN or Inf") for name in bad[:4]),
            suggestion="reset_running_stats(), and keep such batches out",
        )


def _kept_by_the_program(step: Step) -> Iterator[Violation]:
    """NaN in a buffer that is no running statistic, where a loss is not finite."""
    loss = next((loss.name for loss in step.losses if count_not_finite(step, loss.tensor)), None)
    if loss is None:
        return
    bad = buffers_not_finite(step)
    if bad:
        yield Violation(
            (f"{listed(bad, False, 60)} {'is' if len(bad) == 1 else 'are'} NaN", ", ", f"and so {loss} is not finite"),
            *((name, "NaN") for name in bad[:4]),
            (loss, "not finite"),
            certain=False,
            suggestion="look at where it is updated: a division by a count of 0, a mean of nothing",
        )
