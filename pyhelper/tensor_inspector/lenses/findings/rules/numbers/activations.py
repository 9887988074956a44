"""Rules about activations: dead, saturated, constant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count, requires_grad
from .....measure.torch.node import AutogradNode
from .....safe.guard import module
from .....words.text import number, percent
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...lines import bound, made
from ...losses import model_inputs
from ...outputs import output_of
from ...rule import rule

torch: Any = module("torch")
_LINEAR = ("Addmm", "Convolution", "Mm", "Bmm")
#: Between a layer and the next one.
_PASSING = frozenset(
    "View UnsafeView Reshape ReshapeAlias Flatten T Transpose NativeDropout MaxPool2DWithIndices AvgPool2D Mean".split()
)


@rule(
    "error",
    why="A ReLU below 0 passes no gradient: these units never come back.",
    suggestion="a smaller rate, biases near 0, or LeakyReLU",
    needs="module thorough",
)
def dead_relu(step: Step) -> Iterator[Violation]:
    """A ReLU whose output is 0 for every sample and unit: by its values, or after backward by the gradients around it."""
    for node in step.graph.by("Relu", "Clamp", "ClampMin"):
        users = [user for user, _ in _through(step, node) if user.op in _LINEAR]
        before = step.graph.through_views(step.graph.input(node))
        layer = None if before is None else _weight_of(step, before)
        if not users or layer is None:
            continue
        value = output_of(step, node)
        stats = None if value is None else step.stats(value)
        units = _units(node)
        if stats is not None:
            is_dead = stats["count"] > 8 and stats["zeros"] == stats["count"]
        else:
            is_dead = _is_dead_by_gradients(step, layer, users[0])
        if is_dead:
            sizes = "" if units is None else f"all {units} "
            bias = _bias_words(step, before)
            name = layer.name
            is_inner = layer.member.parent is not None
            yield Violation(
                (
                    f"{sizes}ReLUs after {name.rpartition('.')[0]} are 0 for every sample",
                    ": ",
                    f"{name} has a gradient of exactly zero{bias}",
                ),
                (
                    f"{name}.grad" if step.grad(layer.tensor) is not None else name,
                    "exactly zero" if step.grad(layer.tensor) is not None else "feeds a dead relu",
                ),
                (step.title_of(node), "relu, 0 everywhere"),
                line=_made(step, layer),
                certain=is_inner or stats is None,
            )
            return


def _through(step: Step, node: AutogradNode) -> list[tuple[AutogradNode, int]]:
    """The users of a node, those behind views and dropout too."""
    found: list[tuple[AutogradNode, int]] = []
    waiting = list(step.graph.users(node))
    while waiting and len(found) < 16:
        user, position = waiting.pop()
        if user.op in _PASSING or (user.op == "Mul" and user.inputs[1:] == [None]):
            waiting.extend(step.graph.users(user))
        else:
            found.append((user, position))
    return found


def _units(node: AutogradNode) -> int | None:
    sizes = node.sizes()
    if not sizes or len(sizes) < 2:
        return None
    return sizes[1 if len(sizes) == 4 else -1]


def _parameters_of(step: Step, node: AutogradNode) -> list[Parameter]:
    found = []
    for below in step.graph.inputs(node):
        reached = step.graph.through_views(below)
        one = step.parameters.get(id(reached.leaf)) if reached is not None and reached.leaf is not None else None
        if one is not None:
            found.append(one)
    return found


def _weight_of(step: Step, node: AutogradNode) -> Parameter | None:
    return next((one for one in _parameters_of(step, node) if one.tensor.dim() > 1), None)


def _is_dead_by_gradients(step: Step, layer: Parameter, user: AutogradNode) -> bool:
    """The next layer's bias has a gradient, its weight has exactly none: what it was given is 0. So is the gradient
    of the layer before."""
    parts = _parameters_of(step, user)
    weight, bias = (
        next((one for one in parts if one.tensor.dim() > 1), None),
        next((one for one in parts if one.tensor.dim() == 1), None),
    )
    return (
        weight is not None
        and bias is not None
        and _is_zero(step, layer.tensor) is True
        and _is_zero(step, weight.tensor) is True
        and _is_zero(step, bias.tensor) is False
    )


def _is_zero(step: Step, tensor: Any) -> bool | None:
    grad = step.grad(tensor)
    stats = None if grad is None else step.stats(grad)
    return None if stats is None or not stats["count"] else stats["zeros"] == stats["count"]


def _bias_words(step: Step, node: AutogradNode | None) -> str:
    bias = (
        next((one for one in _parameters_of(step, node) if one.tensor.dim() == 1), None) if node is not None else None
    )
    stats = None if bias is None else step.stats(bias.tensor)
    if stats is None or stats["mean"] is None or stats["mean"] > -1:
        return ""
    return f" (biases near {number(stats['mean'], 3)})"


@rule(
    "warning",
    why="At its bounds the function is flat: hardly any gradient passes.",
    suggestion="scale the inputs, or normalise before it",
    needs="thorough",
)
def saturated(step: Step) -> Iterator[Violation]:
    for node in step.graph.by("Tanh", "Sigmoid"):
        if not any(user.op in _LINEAR for user, _ in _through(step, node)):
            continue
        if _product_in(step, step.graph.input(node)) is None:
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


def _product_in(step: Step, node: AutogradNode | None) -> AutogradNode | None:
    """The product of a layer, also where its bias is added by hand: ``x @ w + b``."""
    node = step.graph.through_views(node)
    if node is None or node.op != "Add":
        return node if node is not None and node.op in _LINEAR else None
    parts = [step.graph.through_views(part) for part in step.graph.inputs(node)]
    products = [part for part in parts if part is not None and part.op in _LINEAR]
    biases = [part for part in parts if part is not None and part.leaf is not None]
    return products[0] if len(products) == 1 and len(biases) == 1 else None


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
        weight = _weight_of(step, below)
        if weight is not None:
            stats = step.stats(weight.tensor)
            return stats is not None and stats["zeros"] == stats["count"]
    return node is None


def _made(step: Step, one: Parameter) -> tuple[str, int] | None:
    for source in step.sources:
        lines = [call.lineno for call in source.calls if call.args and _names(call.args[0], one.name)]
        if lines:
            return source.file, lines[0]
    return made(step, one.root.key)


def _names(argument: Any, name: str) -> bool:
    from ....step.expressions import shown_text

    text = shown_text(argument)
    return "[" in text and text.rpartition(".")[0] == name.rpartition(".")[0] and bool(text)
