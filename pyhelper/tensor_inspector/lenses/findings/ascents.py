"""Whether an error is made to grow on purpose, as far as facts tell."""

from __future__ import annotations

from math import log
from typing import Any

from ...measure.torch.node import AutogradNode
from ..step.backpropagated import Loss
from ..step.step import Step
from .losses import KINDS, loss_calls, modules_behind

_MEAN = 1  #: the reduction, as the graph keeps it


def is_on_purpose(step: Step, loss: Loss, error: AutogradNode, path: list[str]) -> bool:
    """``path`` are the operations between the loss and the error that it is the negative of.

    What a model has made is no truth to be missed by accident: outputs are pushed apart. And who minimises the negative
    of an error by accident never sees it far below what a guess gets: what was learnt is made to be forgotten.
    """
    calls = [one for one in loss_calls(step) if one.kind in KINDS[error.op]]
    if any(True for one in calls for _ in modules_behind(step, one.call.argument(1, "target"), one.view)):
        return True
    guess = _of_a_guess(step, error) if path == ["Neg"] and error.setting("reduction") in (_MEAN, None) else None
    known = [step.number(loss.tensor), *(moment.losses.get(loss.name) for moment in step.moments)]
    return guess is not None and any(number is not None and -number < guess / 2 for number in known)


def _of_a_guess(step: Step, error: AutogradNode) -> float | None:
    """The error of one who knows nothing: that of all classes alike, or of the mean of the targets."""
    if error.op == "MseLoss":
        target: Any = error.tensor("target")
        stats = None if target is None else step.stats(target)
        return None if stats is None or stats["std"] is None else float(stats["std"]) ** 2
    below = step.graph.input(error)
    sizes = (None if below is None else below.sizes()) or ()
    if error.op in ("NllLoss", "NllLoss2D"):
        return log(sizes[1]) if len(sizes) > 1 and sizes[1] > 1 else None
    return log(2) if error.op.startswith("BinaryCrossEntropy") else None
