"""Why the result of an operation is not finite, as far as what the operation was given proves it.

A cause is one place of `_proven`; nothing that is only likely stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite
from typing import TYPE_CHECKING

from ...safe.guard import NUMBERS
from .flow import counts_of
from .operations.finite import only_overflows
from .operations.singular import STDS, has_singular, is_std_of_one, proves_log_of_zero, singular, taken_together
from .origin import Origin

if TYPE_CHECKING:
    from ...protocol import NanCause
    from .node import AutogradNode

#: Numbers that an operation computes with, by the names under which it saves them.
_FACTORS = ("alpha", "beta", "exponent", "other", "scale", "self", "value", "weight")
_ORDERS = ("ord", "p")  #: settings that are infinite in use
_ADDING = ("Add", "Sub", "Rsub", "Sum", "Mean", "Cumsum")
_MEANS = 1  #: the setting ``reduction`` of a loss that is a mean


def cause_of(origin: Origin) -> NanCause:
    """The cause that what the operation was given proves; ``unknown`` where it proves none."""
    if origin.node.is_custom or origin.others:
        return "unknown"
    return next(_proven(origin), "unknown")


def _proven(origin: Origin) -> Iterator[NanCause]:
    node = origin.node
    if is_std_of_one(node, origin.operands):
        yield "one_sample"
    if _is_mean_of_nothing(origin):
        yield "mean_of_nothing"
    if origin.masked:
        yield "masked_row"
    yield from _by_variance(node)
    yield from singular(node, origin.operands)
    if proves_log_of_zero(node, origin.counts):
        yield "log_of_zero"
    yield from _by_given(origin)


def _is_mean_of_nothing(origin: Origin) -> bool:
    node, operands = origin.node, origin.operands
    if node.op == "Mean":
        return taken_together(node, operands) == 0
    if node.setting("reduction") != _MEANS or not origin.counts.nan:
        return False
    weight, first = node.tensor("total_weight"), operands[0].value if operands else None
    return bool(weight == 0) if weight is not None else first is not None and not first.numel()


def _by_variance(node: AutogradNode) -> Iterator[NanCause]:
    """By what a norm divides by: the root of a variance, which it was given or has taken."""
    running, eps = node.tensor("running_var"), node.setting("eps")
    if running is not None and node.setting("training") is False and type(eps) in NUMBERS:
        if bool((running + eps < 0).any()):
            yield "negative_variance"
        if bool((running + eps == 0).any()):
            yield "zero_variance"
        return
    inverse = node.tensor("result2") if _is_norm(node) else None
    if inverse is not None and bool((inverse == inf).any()):
        yield "zero_variance"


def _by_given(origin: Origin) -> Iterator[NanCause]:
    """By what went in: what is not finite itself; else finite numbers, where an operation can but overflow."""
    node, counts = origin.node, [counts_of(one.value) for one in origin.operands]
    known = [one for one in counts if one is not None]
    numbers = [number for name in _FACTORS if type(number := node.setting(name)) is float]
    if any(one.nan for one in known) or any(number != number for number in numbers):
        yield "nan_input"
    elif any(one.inf for one in known) or any(abs(number) == inf for number in numbers):
        if len(known) == len(counts) and origin.counts.nan:
            yield from _between_infinities(origin)
        yield "infinite_input"
    elif known and len(known) == len(counts) and _can_but_overflow(origin):
        yield "overflow"


def _between_infinities(origin: Origin) -> Iterator[NanCause]:
    """What made NaN of infinities, for operations that have but one way to do so."""
    node, values = origin.node, [one.value for one in origin.operands]
    if node.op == "Mul" and len(values) == 2:
        if any(bool(((one == 0) & other.isinf()).any()) for one, other in (values, values[::-1])):
            yield "zero_times_inf"
    elif node.op in _ADDING and node.setting("alpha") in (None, 1):
        yield "inf_minus_inf"


def _can_but_overflow(origin: Origin) -> bool:
    """Whether an operation has a finite result for all finite numbers, but for the end of the dtype."""
    node = origin.node
    if not only_overflows(node.op) and not has_singular(node.op):
        return False
    if any(type(number) is float and not isfinite(number) for number in node.settings(_ORDERS)):
        return False
    if node.op in STDS:
        together = taken_together(node, origin.operands)
        return together is not None and together > 1 and node.setting("correction") in (None, 0, 1)
    mean, inverse = (node.tensor(name) if _is_norm(node) else None for name in ("result1", "result2"))
    return mean is None or inverse is None or not bool((inverse.isnan() & mean.isfinite()).any())


def _is_norm(node: AutogradNode) -> bool:
    """Whether it saves the mean and the inverse of the root of the variance as its further results."""
    return node.op.endswith(("BatchNorm", "LayerNorm", "GroupNorm"))
