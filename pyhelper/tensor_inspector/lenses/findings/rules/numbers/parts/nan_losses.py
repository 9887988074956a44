"""Finds the losses that are NaN."""

from __future__ import annotations

from .....step.backpropagated import Loss
from .....step.step import Step


def nan_losses(step: Step) -> list[Loss]:
    """The losses that are NaN."""
    numbers = [(loss, step.number(loss.tensor)) for loss in step.losses]
    return [loss for loss, number in numbers if number is not None and number != number]
