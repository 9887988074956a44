"""Predictions and targets of shapes that a loss does not accept."""

from __future__ import annotations

from math import prod

from ....words.text import shape
from ...findings.finding import Violation
from ..error_context import ErrorContext, unequal
from ..operand import Operand
from ..operation import Operation

_ELEMENTWISE_LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy kl_div binary_cross_entropy_with_logits"
    " poisson_nll_loss soft_margin_loss".split()
)


def of_loss(context: ErrorContext, operation: Operation) -> Violation | None:
    a, b = operation.tensor(0, "input"), operation.tensor(1, "target")
    if a is None or b is None or a.sizes is None or b.sizes is None:
        return None
    if operation.name in _ELEMENTWISE_LOSSES and a.sizes != b.sizes:
        return context.pair(a, b, f"{operation.name} compares them element by element", _same_shape(a, b))
    if operation.name not in ("cross_entropy", "nll_loss") or not a.sizes:
        return None
    expected = (a.sizes[0], *a.sizes[2:]) if len(a.sizes) > 1 else ()
    if b.sizes == expected or (b.sizes == a.sizes and b.is_float()):
        return None
    begin = f"{a.name} is {a.shape}, so {operation.name} wants labels of {shape(expected)}"
    title = (begin, ", ", f"but {b.name} is {b.shape}")
    differs = unequal(b.shape, shape(expected), b.name)
    return context.found(title, a, b, suggestion=_fitting_labels(a, b, expected), differs=differs)


def _fitting_labels(a: Operand, b: Operand, expected: tuple[int, ...]) -> str:
    sizes, labels = a.sizes or (), b.sizes or ()
    if (*expected, 1) == labels:
        return f"{b.written}.squeeze(-1)"
    if len(labels) == len(sizes) and len(labels) > 1 and labels[1] == 1 and (labels[0], *labels[2:]) == expected:
        return f"{b.written}.squeeze(1)"
    if len(sizes) > 2 and sizes[:-1] == labels:
        return f"{a.written}.transpose(1, -1): the classes stand in dimension 1"
    if labels == sizes:
        return f"{b.written}.argmax(1), or {b.written}.float() if they are probabilities"
    if prod(labels) == prod(expected):
        return f"{b.written}.reshape({', '.join(map(str, expected))})"
    if sizes and labels and sizes[0] != labels[0]:
        return f"the batches differ: {sizes[0]} and {labels[0]}"
    return ""


def _same_shape(a: Operand, b: Operand) -> str:
    first, second = a.sizes or (), b.sizes or ()
    if first == (*second, 1):
        return f"{b.written}.unsqueeze(-1), or {a.written}.squeeze(-1)"
    if (*first, 1) == second:
        return f"{a.written}.unsqueeze(-1), or {b.written}.squeeze(-1)"
    return f"{b.written}.view_as({a.written})" if prod(first) == prod(second) else ""
