"""Why the result of an operation is not finite: a log of 0, a division by 0, an overflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...safe.guard import NUMBERS
from .flow import counts_of
from .origin import LOGS, SOFTMAX, STDS, Origin, divides_by_zero, is_std_of_one, proves_log_of_zero

if TYPE_CHECKING:
    from ...protocol import NanCause
    from .node import AutogradNode

_ROOTS = ("Sqrt", "Rsqrt", "Pow")
_DOMAINS = ("Acos", "Asin", "Acosh", "Atanh", "Lgamma", "Digamma", "Erfinv", "Logit", "SpecialLogit")
_SUMS = ("Mm", "Bmm", "Addmm", "Baddbmm", "Convolution", "Sum", "Cumsum", "LinalgVectorNorm", "Norm", "Dot", "Mv")
#: Operations that finite tensors make infinite only by an overflow; the second of two may be a number, which is known.
_OF_ONE = ("Exp", "Exp2", "Expm1", "Sinh", "Cosh", "Prod", "Mean", "ToCopy", "MseLoss")
_TAKEN_FROM_EACH_OTHER = ("Add", "Sub", "Rsub", "Sum", "Cumsum", "Mean", *SOFTMAX, *STDS)
_OF_TWO = ("Mul", "Div", "Add", "Sub", "Addcmul")


def cause_of(origin: Origin) -> NanCause:
    """The cause, judged by the inputs of the operation at the places that are not finite."""
    node = origin.node
    if node.is_custom or origin.others:
        return "unknown"
    op, first = node.op, origin.operands[0].value if origin.operands else None
    if is_std_of_one(node, origin.operands):
        return "one_sample"
    if op == "Div":
        return _of_division(origin)
    if op in ("Mean", "NllLoss", "NllLoss2D", "Nanmean"):
        return "mean_of_nothing" if origin.counts.nan else _by_counts(origin)
    if origin.masked:
        return "masked_row"
    if proves_log_of_zero(node, origin.counts):
        return "log_of_zero"
    if first is None or not first.is_floating_point():
        return _by_counts(origin)
    if op == "Xlogy":
        first = origin.operands[1].value if len(origin.operands) > 1 else None  # of which the logarithm is taken
        if first is None:
            return "unknown"
    if op in LOGS:
        shifted = first + 1 if op == "Log1P" else first
        return "log_of_negative" if bool((shifted < 0).any()) else "log_of_zero"
    if op in _ROOTS and bool((first < 0).any()) and origin.counts.nan:
        return "root_of_negative" if op != "Pow" else "power"
    if op in ("Rsqrt", "Reciprocal") or (op == "Pow" and _is_negative(node.setting("exponent"))):
        return "division_by_zero" if bool((first == 0).any()) else _by_counts(origin)
    if op in SOFTMAX and origin.counts.nan:
        return "inf_minus_inf"
    if op in _DOMAINS and (origin.counts.nan or op not in ("Lgamma", "Digamma")):
        return "domain"
    if op.startswith("NativeBatchNorm") and node.setting("training") is False:
        return _of_running_variance(origin)
    if op.startswith("NativeBatchNorm") or op.endswith(("LayerNorm", "GroupNorm")):
        return "zero_variance" if node.setting("eps") == 0 and _is_flat(node, first) else "unknown"
    return _by_counts(origin)


def _of_running_variance(origin: Origin) -> NanCause:
    """Of a batch norm that takes the variance that it has been given."""
    variance, eps = origin.node.tensor("running_var"), origin.node.setting("eps")
    if variance is None or eps is None:
        return "unknown"
    if bool((variance + eps < 0).any()):
        return "root_of_negative"
    return "zero_variance" if bool((variance + eps == 0).any()) else "unknown"


def _is_flat(node: AutogradNode, value: Any) -> bool:
    """Whether somewhere all is the same of what a norm takes together."""
    if node.op.endswith("LayerNorm"):
        together = value.flatten(-len(node.setting("normalized_shape") or (0,)))
    elif node.op.endswith("GroupNorm"):
        together = value.reshape(value.shape[0] * (node.setting("group") or 1), -1)
    else:
        together = value.transpose(0, 1).flatten(1)
    return together.numel() > 0 and bool((together.amax(-1) == together.amin(-1)).any())


def _is_negative(exponent: Any) -> bool:
    return type(exponent) in NUMBERS and exponent < 0


def _by_counts(origin: Origin) -> NanCause:
    """What is NaN among infinities was taken from each other; finite numbers that give an infinity have overflowed."""
    op, counts = origin.node.op, [counts_of(one.value) for one in origin.operands]
    if origin.counts.nan and any(one is not None and one.inf for one in counts):
        return "zero_times_inf" if op == "Mul" else "inf_minus_inf" if op in _TAKEN_FROM_EACH_OTHER else "unknown"
    are_finite = bool(counts) and all(one is not None and not (one.nan or one.inf) for one in counts)
    exponent: Any = origin.node.setting("exponent") if op == "Pow" else None
    is_power = type(exponent) in NUMBERS and exponent > 0
    grows = op in _SUMS or ((op in _OF_ONE or is_power) and origin.counts.inf)
    overflows = grows or (op in _OF_TWO and len(counts) > 1)
    if are_finite and overflows and (origin.counts.inf or origin.certain):
        return "overflow"
    return "unknown"


def _of_division(origin: Origin) -> NanCause:
    if not divides_by_zero(origin.node, origin.operands):
        return _by_counts(origin)
    divisor = origin.operands[1].node
    if divisor is not None and divisor.op in STDS:
        return "zero_variance"
    return "zero_by_zero" if origin.counts.nan else "division_by_zero"
