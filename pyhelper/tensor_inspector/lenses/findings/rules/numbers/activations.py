"""Rules about activations: saturated, constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count, requires_grad
from .....safe.guard import module
from .....words.text import number, percent
from ....step.step import Step
from ...finding import Violation
from ...lines import bound
from ...losses import model_inputs
from ...outputs import output_of
from ...rule import rule
from .dead_units import LINEAR, product_in, users_through, weight_of

torch: Any = module("torch")


@rule(
    "warning",
    why="At its bounds the function is flat: hardly any gradient passes.",
    suggestion="scale the inputs, or normalise before it",
    needs="thorough",
)
def saturated(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("Tanh", "Sigmoid"):
        if not any(user.op in LINEAR for user, _ in users_through(step, node)):
            continue
        if product_in(step, step.graph.input(node)) is None:
            continue
        value = output_of(step, node)
        if value is None or not is_plain(value) or not 64 <= (element_count(value) or 0) <= 1 << 22:
            continue
        values = bare(value)
        at_bounds = values.abs() > 0.99 if node.op == "Tanh" else (values > 0.99) | (values < 0.01)
        amount, total = int(at_bounds.sum()), values.numel()
        if amount > 0.9 * total:
            name = step.title_of(node)
            given = _input_words(step)
            yield Violation(
                f"{percent(amount, total)} of {name or f'the output of {node.op.lower()}'} is at the bounds of {node.op.lower()}{given}",
                (name, f"{amount} of {total} beyond 0.99"),
                (None, f"grad ← {node.op}Backward0"),
                line=bound(step, name),
            )
            return


def _input_words(step: Step) -> str:
    for given in model_inputs(step):
        stats = step.stats(given.tensor)
        if (
            stats is not None
            and stats["max"] is not None
            and not requires_grad(given.tensor)
            and max(abs(stats["min"]), abs(stats["max"])) > 10
        ):
            return f": {given.name} runs from {number(stats['min'])} to {number(stats['max'])}"
    return ""


@rule(
    "warning",
    why="Such a model says nothing about its input.",
    suggestion="look at the activations, layer by layer",
    needs="module source thorough",
)
def constant_output(step: Step) -> Iterator[Violation]:
    """What a model gives is the same for every sample, though its input is not."""
    for given in model_inputs(step):
        call, source = given.call, step.sources[given.view]
        if (
            call.target is None
            or call.lineno >= source.lineno
            or not source.is_current(call.target, call.lineno + 1)
            or not given.is_first()
            or any(call.lineno < other.lineno < source.lineno for other in source.calls_of("step"))
        ):
            continue
        value = step.value(call.target, given.view)
        if (
            not any(variable.value is value for variable in step.tensors)
            or not is_plain(value)
            or not is_plain(given.tensor)
        ):
            continue
        out, x = bare(value), bare(given.tensor)
        if (
            out.dim() < 2
            or not out.dtype.is_floating_point
            or out.shape[0] < 8
            or x.dim() < 2
            or x.shape[0] != out.shape[0]
            or out.numel() > 1 << 22
            or x.numel() > 1 << 22
        ):
            continue
        if _are_alike(out) and bool((x != x[:1]).any()) and not _has_zero_head(step, value):
            yield Violation(
                (f"{call.target} is the same for all {out.shape[0]} samples", ", ", f"though {given.name} is not"),
                (call.target, f"{out.shape[0]} equal rows"),
                (given.name, "rows differ"),
                line=(source.file, call.lineno),
            )
            return


def _are_alike(out: Any) -> bool:
    """Whether all rows are the first one, but for what rounding makes of them."""
    apart, size = float((out - out[:1]).abs().max()), float(out.abs().max())
    is_exact = out.dtype in (torch.float32, torch.float64)
    return apart == 0 or (is_exact and apart <= 8 * torch.finfo(torch.float32).eps * min(size, 1.0))


def _has_zero_head(step: Step, value: Any) -> bool:
    """Whether the layer nearest to the output has weights of 0, as a new head may."""
    node = step.node_of(value)
    for below in step.graph.below(node, most=12) if node is not None else ():
        weight = weight_of(step, below)
        if weight is not None:
            stats = step.stats(weight.tensor)
            return stats is not None and stats["zeros"] == stats["count"]
    return node is None
