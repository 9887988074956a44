"""Rules about activations: saturated, constant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count, requires_grad
from .....measure.torch.modules import Member
from .....measure.torch.node import AutogradNode
from .....measure.torch.optimizers import each_group
from .....safe.guard import module
from .....words.text import number, percent
from ....step.classes import forward_of, is_library
from ....step.expressions import text_of
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_binding
from ...losses import model_inputs
from ...made_of import uses
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
    """Nearly all outputs of a sigmoid or tanh are at its bounds."""
    for node in step.graph.by("Tanh", "Sigmoid"):
        product = product_in(step, step.graph.input(node))
        users = [user for user, _ in users_through(step, node) if user.op in LINEAR]
        if product is None or not any(_are_one_model(step, product, user) for user in users):
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
                line=line_of_binding(step, name),
            )
            return


def _are_one_model(step: Step, product: AutogradNode, user: AutogradNode) -> bool:
    """Whether two layers belong together: a judge is no part of what makes its pictures, which may be black and white."""
    one, other = weight_of(step, product), weight_of(step, user)
    if one is None or other is None:
        return True
    held = (each_group(variable.value) for variable in step.optimizers)
    ids = [{id(tensor) for group in found for tensor in group.tensors} for found in held]
    is_held_alike = all((id(one.tensor) in some) == (id(other.tensor) in some) for some in ids)
    return one.root.value is other.root.value and is_held_alike


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
        call, source = given.call, step.sources[given.level]
        if (
            call.target is None
            or call.lineno >= source.lineno
            or not source.is_current(call.target, call.lineno + 1)
            or not given.is_first()
            or any(call.lineno < other.lineno < source.lineno for other in source.calls_of("step"))
        ):
            continue
        value = step.value(call.target, given.level)
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
        if not _takes_values(given.model.value):
            continue
        if _are_alike(out) and bool((x != x[:1]).any()) and not _has_zero_head(step, value):
            yield Violation(
                (f"{call.target} is the same for all {out.shape[0]} samples", ", ", f"though {given.name} is not"),
                (call.target, f"{out.shape[0]} equal rows"),
                (given.name, "rows differ"),
                line=(source.file, call.lineno),
            )
            return


def _takes_values(model: Any, rounds: int = 4) -> bool:
    """Whether a model may use more of what it is given than its shape, as embeddings of positions do not."""
    source = None if is_library(type(model)) else forward_of(type(model))
    names = [] if source is None else source.arguments
    if source is None or len(names) < 2 or not rounds:
        return True
    parts = dict(Member(model).items("_modules"))
    for path in (path for statement in source.body for path in uses(statement, names[1])):
        around = path[-2] if len(path) > 1 else None
        is_given = isinstance(around, ast.Call) and any(path[-1] is one for one in around.args[:1])
        owner, _, name = text_of(around.func).rpartition(".") if isinstance(around, ast.Call) else ("", "", "")
        part = parts.get(name) if is_given and owner == names[0] else None
        if part is None or _takes_values(part, rounds - 1):
            return True
    return False


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
