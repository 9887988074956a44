"""A checkpoint whose recomputation, in backward, is not what its forward was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....findings.finding import Violation
from ...error_context import ErrorContext

_COUNTS = re.compile(r"during forward: (\d+).*?during recomputation: (\d+)", re.DOTALL)
_FIT = "let what it computes depend on its inputs alone: on no counter, list, mode or autocast that changes in between"
_TENSOR = re.compile(
    r"tensor at position (\d+):\s*saved metadata: \{'shape': torch.Size\((\[[\d, ]*\])\), 'dtype': torch\.(\w+).*?\}"
    r"\s*recomputed metadata: \{'shape': torch.Size\((\[[\d, ]*\])\), 'dtype': torch\.(\w+)",
    re.DOTALL,
)


def recomputation_differs(context: ErrorContext) -> Violation | None:
    """How many tensors were saved then and now, or which of them has become another."""
    counts = _COUNTS.search(context.message)
    if counts is not None:
        then, now = counts[1], counts[2]
        title = ("a checkpoint computes something else the second time", ": ", f"{then} tensors were saved, then {now}")
        return context.found(
            title, (None, f"{then} tensors saved in forward"), (None, f"{now} in backward"), suggestion=_FIT
        )
    others = list(_others(context.message))
    if not others:
        return None
    title = ("a checkpoint computes something else the second time", ": ", others[0][1])
    return context.found(title, *others[:4], suggestion=_FIT)


def _others(text: str) -> Iterator[tuple[str | None, str]]:
    for at, shape, dtype, other, changed in _TENSOR.findall(text):
        yield None, f"saved tensor {at} was {dtype}{shape}, and is {changed}{other}"
