"""Tells whether a loss is maximised on purpose, as far as facts tell: its sign is then no mistake.

An error is a term of a loss that compares with a target, as in `signs`.
"""

from __future__ import annotations

import ast
from math import log
from typing import Any

from ...measure.torch.modules import Member
from ...measure.torch.node import AutogradNode
from ..flow.definitions import reaching_definitions
from ..flow.losses import LossCall, loss_calls, modules_behind
from ..flow.ops import ERRORS
from ..step.backpropagated import Loss
from ..step.functions import functions_called
from ..step.step import Step

_MEAN = 1  #: the reduction, as the graph keeps it


def is_of_two_outputs(step: Step, loss: Loss, error: AutogradNode) -> bool:
    """Whether a model has made the targets too: outputs are pushed apart, no truth is missed by accident."""
    targets = [(one, one.call.argument(1, "target")) for one in _calls_of(step, loss, error)]
    return bool(targets) and all(any(True for _ in modules_behind(step, to, one.level)) for one, to in targets)


def is_to_be_forgotten(step: Step, loss: Loss, error: AutogradNode, path: list[str]) -> bool:
    """Whether this run has learnt, and the error is far below what a guess gets: that is made to be forgotten.

    ``path`` are the operations between the loss and the error that it is the negative of.
    """
    is_mean = path == ["Neg"] and error.setting("reduction") in (_MEAN, None)
    if not is_mean or _is_weighed(error, _calls_of(step, loss, error)) or not _has_learnt(step, loss):
        return False
    guess = _of_a_guess(step, error)
    known = [step.number(loss.tensor), *(moment.losses.get(loss.name) for moment in step.moments)]
    return guess is not None and any(number is not None and -number < guess / 2 for number in known)


def _calls_of(step: Step, loss: Loss, error: AutogradNode) -> list[LossCall]:
    """The calls by which the source may have made the error."""
    behind = {id(node) for made in reaching_definitions(step.source, loss.name) for node in ast.walk(made.value)}
    calls = [one for one in loss_calls(step) if one.function in ERRORS[error.op]]
    return [one for one in calls if one.level != step.level or id(one.call.node) in behind]


def _is_weighed(error: AutogradNode, calls: list[LossCall]) -> bool:
    """Whether it has weights: they make it smaller than that of a guess. After a backward its calls alone tell."""
    names = ("weight", "pos_weight")
    kept = [error.tensor(name) for name in names]
    modules = [Member(one.criterion) for one in calls if one.criterion is not None]
    kept += [tensor for one in modules for name, tensor in one.items("_buffers") if name in names]
    given = [one.call.argument(2, "weight") or one.call.keywords.get("pos_weight") for one in calls]
    return any(one is not None for one in (*kept, *given))


def _has_learnt(step: Step, loss: Loss) -> bool:
    """Whether the error itself was minimised before: under this name, or by a function that a frame in sight calls."""
    if any(number > 0 for moment in step.moments for name, number in moment.losses.items() if name == loss.name):
        return True
    ours = {id(visible.frame.f_code) for visible in step.frames}
    called = functions_called(step, range(len(step.sources)))
    return any(one.source.backwards and id(one.code) not in ours for one in called)


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
