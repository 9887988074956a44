"""Finds the parameters, buffers and tensors that hold NaN or Inf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ......measure.stats.finite import NotFiniteTensors, not_finite, summed_dtypes
from ......measure.torch.elements import bare_each
from ......measure.torch.metadata import element_count, requires_grad
from ......safe.guard import module
from .....step.step import Step

torch: Any = module("torch")


def buffers_not_finite(step: Step) -> list[str]:
    """The buffers with NaN; −inf in one may be a mask."""
    held = [(name, tensor) for name, tensor, _ in step.buffers if (element_count(tensor) or 0) < 1 << 16]
    return [held[at][0] for at in sorted(_not_finite(step, (tensor for _, tensor in held)).nan)]


def numbers_not_finite(step: Step, tensors: Iterable[Any]) -> list[int]:
    """Which of some tensors hold NaN or Inf; those that are None, or can't be read, are passed over."""
    found = _not_finite(step, tensors)
    return sorted(found.nan | found.inf)


def parameters_not_finite(step: Step) -> list[str]:
    """The parameters with NaN or Inf; of a frozen one only NaN counts, since it may be a mask that is made of −inf."""
    held = list(step.parameters.values())
    found = _not_finite(step, (one.tensor for one in held))
    infinite = {at for at in found.inf if requires_grad(held[at].tensor)}
    return [held[at].name for at in sorted(found.nan | infinite)]


def _not_finite(step: Step, tensors: Iterable[Any]) -> NotFiniteTensors:
    summed = summed_dtypes(torch)
    numbers = (
        (at, values)
        for at, values in enumerate(bare_each(list(tensors)))
        if values is not None and values.dtype in summed
    )
    return not_finite(torch, numbers, step.budget.share())
