"""What an exception was about: the operands of the failing line by name, the one that disagrees, and what would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from ...safe.budget import Budget
from ...safe.guard import module
from ..step.step import Step
from . import operands
from .failure import Failure
from .finding import Finding, Findings, Found
from .rule import Rule
from .run import RULES, folded
from .run import told as as_data

torch: Any = module("torch")


def explain(error: BaseException, frame: FrameType | None = None) -> Findings:
    failure = Failure(error, frame, lambda views: Step(views, Budget(), thorough=True, grad_mode=True))
    if not failure.is_known:
        return Findings(skipped=[("all", "no frame of the user in the traceback")])
    checked = []
    for rule, words, check in EXPLANATIONS:
        if not any(word in failure.message for word in words):
            continue
        checked.append(rule.id)
        found = [as_data(rule, one) for one in check(failure)]
        if found:
            return Findings(folded(found[:1]), checked)
    if any(word in failure.message for word in _BACKWARD):
        return _of_backward(failure)
    return Findings(checked=checked)


def _of_backward(failure: Failure) -> Findings:
    """Errors that backward raises are found by the rules that would have said so before."""
    found: list[Finding] = []
    checked: list[str] = []
    for rule in RULES:
        if rule.id in _SAID_BEFORE:
            checked.append(rule.id)
            found.extend(as_data(rule, one) for one in rule.check(failure.step))
    return Findings(folded(found), checked)


_BACKWARD = (
    "grad can be implicitly created",
    "backward through the graph a second time",
    "modified by an inplace operation",
    "does not require grad and does not have a grad_fn",
)
_SAID_BEFORE = (
    "loss-not-scalar",
    "graph-freed",
    "inplace-modified",
    "frozen-params",
    "grad-mode-off",
    "nondifferentiable",
    "loss-without-grad",
)


_Check = Callable[[Failure], Iterator[Found]]


def _rule(id: str, why: str, suggestion: str) -> Rule:
    return Rule(id, lambda step: iter(()), "", "error", why, suggestion)


_DEVICES = ("on the same device", "on the expected device", "meta tensor", "should be the same", "two devices")
_DTYPES = (
    "same dtype",
    "scalar type",
    "target dtype",
    "should be the same",
    "Found dtype",
    "not implemented for",
    "floating point type",
    "can't be cast",
    "expected dtype",
    "dtypes",
)
_SHAPES = (
    "cannot be multiplied",
    "must match",
    "to have",
    "is invalid for input of size",
    "expects each tensor",
    "to match target",
    "must be equal",
    "expected input with shape",
    "should contain",
    "size mismatch",
    "expected size",
    "Expected size",
    "expected 2D",
    "expected 3D",
    "Expected 2D",
    "Expected 3D",
    "Expected 4D",
    "must have same number of dimensions",
    "different to the input size",
    "does not broadcast",
    "broadcast",
    "einsum",
    "same size",
    "equal size",
    "Expected input",
    "inconsistent tensor",
    "mat1",
    "expected input",
    "multi-target not supported",
)

EXPLANATIONS: list[tuple[Rule, tuple[str, ...], _Check]] = [
    (
        _rule("batchnorm-batch-of-one", "The variance of one value is not defined.", "drop_last=True, or eval mode"),
        ("more than 1 value per channel",),
        operands.batchnorm_batch_of_one,
    ),
    (
        _rule("label-out-of-range", "A label is the number of a class, counted from 0.", "check the labels"),
        ("Target ", "label out of range"),
        operands.label_out_of_range,
    ),
    (
        _rule("logits-to-prob-loss", "Logits are no probabilities.", "BCEWithLogitsLoss, or a sigmoid before"),
        ("between 0 and 1",),
        operands.logits_to_prob_loss,
    ),
    (
        _rule("device-mismatch", "An operation takes all operands from one device.", "move them to one device"),
        _DEVICES,
        operands.device_mismatch,
    ),
    (
        _rule("dtype-mismatch", "An operation takes operands of one dtype.", "convert the one that differs"),
        _DTYPES,
        operands.dtype_mismatch,
    ),
    (
        _rule(
            "channels-last-input",
            "Images of NumPy and PIL have their channels last, torch wants them first.",
            "permute",
        ),
        ("channels",),
        operands.channels_last_input,
    ),
    (
        _rule(
            "index-out-of-range",
            "An index counts from 0 to the size less one.",
            "check the indices, or make the table larger",
        ),
        ("index out of range", "out of bounds", "out of range"),
        operands.index_out_of_range,
    ),
    (
        _rule(
            "shape-mismatch", "The sizes do not fit each other.", "reshape the operand, or make the layer for this size"
        ),
        _SHAPES,
        operands.shape_mismatch,
    ),
]
