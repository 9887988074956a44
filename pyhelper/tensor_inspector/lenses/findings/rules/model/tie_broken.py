"""An embedding and a head have equal weights in two tensors.

Why: Tied weights are meant to be one tensor.

Example:
    self.head.weight.data = self.embedding.weight.data.clone()

Instead:
    self.head.weight = self.embedding.weight

Silent when:
    - the two share memory: they are tied
    - they are of two models, or differ in shape, dtype or a value
    - each may have these values by itself: they hold only one or two values, as an identity does
    - they have more than 2²⁴ elements
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, same_elements
from .....measure.torch.metadata import dtype_of, element_count
from .....measure.torch.modules import is_of
from ....step.expressions import text_of
from ....step.functions import sources_in_reach
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "warning",
    why="Tied weights are meant to be one tensor.",
    suggestion="assign the parameter itself",
    needs="module thorough",
)
def tie_broken(step: Step) -> Iterator[Violation]:
    tables = [one for one in step.parameters.values() if is_of(one.member.module, "Embedding")]
    heads = [one for one in step.parameters.values() if is_of(one.member.module, "Linear") and one.tensor.dim() == 2]
    for table in tables:
        for head in heads:
            a, b = table.tensor, head.tensor
            same = (
                a is not b and table.root.value is head.root.value and a.shape == b.shape and dtype_of(a) is dtype_of(b)
            )
            if (
                not same
                or not is_plain(a)
                or not is_plain(b)
                or same_elements(a, b)
                or (element_count(a) or 0) > 1 << 24
            ):
                continue
            if bool((bare(a) == bare(b)).all()) and not _are_of_a_formula(bare(a)):
                yield Violation(
                    (
                        f"{head.name} and {table.name} are equal",
                        ", ",
                        "but two tensors: they were tied, and will drift apart",
                    ),
                    (head.name, "equal to the embedding"),
                    (table.name, "another tensor"),
                    line=_copied(step, head.name) or _copied(step, table.name),
                    suggestion=f"{head.name} = {table.name}",
                )
                return


def _are_of_a_formula(weights: Any) -> bool:
    """Whether each of two tables may have these values by itself: one value, or the ones and zeros of an identity."""
    if not weights.numel():
        return True
    low, high = weights.min(), weights.max()
    return bool(((weights == low) | (weights == high)).all())


def _copied(step: Step, name: str) -> tuple[str, int] | None:
    """Where a weight was copied into, or else its layer put into the model: in a frame, or a function that it calls."""
    layer = name.rpartition(".")[0].rpartition(".")[2]
    for source in sources_in_reach(step):
        for key, bindings in source.bindings.items():
            if not key.endswith((f".{layer}", f".{layer}.weight")):
                continue
            line, node = bindings[-1]
            given = text_of(getattr(node, "value", None))
            copies = [
                call for call in source.calls_of("copy_") if text_of(call.receiver).startswith((f"{given}.", key))
            ]
            return source.file, copies[-1].lineno if copies else line
    return None
