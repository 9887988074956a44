"""Finds the mask that hides whole rows of a softmax, so that these are NaN."""

from __future__ import annotations

from math import inf
from typing import Any

from ...measure.torch.elements import bare
from ...measure.torch.metadata import element_count, requires_grad
from ...measure.torch.origin import Origin
from ...safe.guard import module
from ..step.step import Step

torch: Any = module("torch")
_READ = 1 << 18  #: elements of a tensor that may be the mask
_SEEN = 64  #: such tensors


def find_mask(step: Step, origin: Origin) -> None:
    """Looks for it where the graph does not keep it: what is added is not saved."""
    if not origin.is_softmax() or origin.mask is not None or origin.value is None:
        return
    for variable in step.tensors[:_SEEN]:
        if step.budget.spent():
            return
        if requires_grad(variable.value) or not 1 < (element_count(variable.value) or 0) <= _READ:
            continue
        mask = bare(variable.value)
        hidden = [] if mask is None else _hidden(mask)
        if any(origin.take_mask(mask, hides) for hides in hidden):
            return


def _hidden(mask: Any) -> list[Any]:
    """What a mask may hide: where it is −inf; of Booleans where it is True, or False; of 0 and 1 where it is 0."""
    if mask.dtype is torch.bool:
        return [mask, ~mask]
    if bool(((mask == 0) | (mask == 1)).all()):
        return [mask == 0]
    return [mask == -inf] if mask.is_floating_point() else []
