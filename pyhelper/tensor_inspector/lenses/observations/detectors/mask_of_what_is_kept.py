"""Meaning: a boolean mask whose True says "leave out" to the call that is given it, and "keep" to who made it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import element_count, is_exact_tensor
from ....safe.guard import module
from ...findings.finding import Violation
from ...step.expressions import shown_text
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

torch: Any = module("torch")
_LEAVING_OUT = ("key_padding_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask")


@detector(
    1000,
    because="padding stands at one end of a row: a row that is left out from end to end has nothing to say",
    why="In torch's attention True in a padding mask leaves a place out: here it leaves out what is meant.",
    suggestion="turn it round: ~mask, or (ids == padding)",
)
def mask_of_what_is_kept(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``encoder(x, src_key_padding_mask=ids != 0)``"""
    for level, source in enumerate(step.sources):
        for call in reading.each(source.calls):
            for name in _LEAVING_OUT:
                node = call.keywords.get(name)
                mask = None if node is None else _mask(step, node, level, call.lineno)
                if node is None or mask is None or not reading.takes(shown_text(node), mask.numel()):
                    continue
                if not _keeps_the_padding(mask):
                    continue
                text, rows = shown_text(node), len(mask)
                left = int(mask.sum())
                yield Violation(
                    (
                        f"{name} is True at the first place of all {rows} rows",
                        ": ",
                        f"{left} of {mask.numel()} are left out",
                    ),
                    (text, f"True at {left} of {mask.numel()} places, in {int(mask[:, -1].sum())} rows at all"),
                    line=(source.file, call.lineno),
                )


def _mask(step: Step, node: ast.expr, level: int, line: int) -> Any:
    """The elements of a table of booleans that is named there."""
    known = step.operand(node, level, line)
    tensor: Any = None if known is None else known.value
    if not is_exact_tensor(tensor) or tensor.dtype is not torch.bool or tensor.dim() != 2:
        return None
    return bare(tensor) if element_count(tensor) else None


def _keeps_the_padding(mask: Any) -> bool:
    """Whether each row is True up to some place, the longest to its end, as a mask of the tokens is.

    Rows that are padded on the left begin so too, but none of them is padding as a whole.
    """
    first, last = mask[:, 0], mask[:, -1]
    return (
        len(mask) > 1
        and bool(first.all())
        and bool(last.any())
        and not bool(last.all())
        and not bool((mask[:, 1:] & ~mask[:, :-1]).any())
    )
