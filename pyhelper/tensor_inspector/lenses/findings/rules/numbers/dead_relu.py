"""A ReLU, or what is written like one, is 0 for every sample.

Why: A ReLU below 0 passes no gradient: these units never come back.

Example:
    layer = nn.Linear(8, 16)
    nn.init.constant_(layer.bias, -100.0)
    h = layer(x).relu()

Instead:
    layer = nn.Linear(8, 16)
    nn.init.zeros_(layer.bias)
    h = layer(x).relu()

Silent when:
    - a unit is above 0 for some sample, or there are 8 values or fewer
    - the layer before it is given nothing but 0
    - no further layer takes the result
    - the layer is called several times, and another call gives something
    - the layer's weights are all 0 and the function passes gradients at 0 (clamp, GELU)
    - after backward: not exactly the gradients around it show it (weight of the next layer 0, its bias not)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import requires_grad
from .....measure.torch.node import AutogradNode
from .....safe.record import Record
from .....words.text import number
from ....flow.lines import line_of_last_binding
from ....flow.losses import model_inputs
from ....flow.ops import LINEAR
from ....step.classes import is_library, methods_of
from ....step.expressions import constant_of, shown_text, text_of
from ....step.roles import Parameter
from ....step.source import Source
from ....step.step import Step
from ...consequences import NO_LEARNING
from ...finding import Violation
from ...outputs import output_of
from ...rule import rule
from .parts.products import parameters_of_node, product_in, users_through, weight_of

#: What a layer takes: the name under which its product saves that, and as which of its inputs.
_TAKES = {
    "Addmm": ("mat1", 1),
    "Convolution": ("input", 0),
    "Mm": ("self", 0),
    "Bmm": ("self", 0),
    "Linear": ("input", 0),
}
#: What gives 0, or nearly, for all that is negative, and passes no gradient there; the first ones none at 0 either.
_ALSO_AT_ZERO = ("Relu", "Threshold")
_RECTIFIERS = (*_ALSO_AT_ZERO, "Clamp", "ClampMin", "Gelu", "Hardtanh", "Maximum")
#: By these a program writes such a function itself, and much else.
_WRITTEN = ("IndexPut", "MaskedFill", "Mul", "Where")


@rule(
    "error",
    why="A ReLU below 0 passes no gradient: these units never come back.",
    suggestion="a smaller rate, biases near 0, or LeakyReLU",
    causes=NO_LEARNING,
    needs="module thorough",
)
def dead_relu(step: Step) -> Iterator[Violation]:
    rectified = list(_rectified(step))
    for one in rectified:
        if _is_dead(step, one) and _are_others_dead(step, one, rectified):
            what = "ReLUs" if one.node.op in ("Relu", "Clamp", "ClampMin") else "units"
            units, name = _units(one.node), one.layer.name
            bias = _bias_words(step, one.product)
            function = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", one.node.op).lower()  # as torch names it: clamp_min
            has_none = _is_zero(step, one.layer.tensor) is True
            yield Violation(
                (
                    f"{'' if units is None else f'all {units} '}{what} after {name.rpartition('.')[0]} are 0 for every sample",
                    ": ",
                    f"{name} {'has a gradient of exactly zero' if has_none else 'gets no gradient'}{bias}",
                ),
                (f"{name}.grad", "exactly zero") if has_none else (name, f"feeds a {function} that is 0 everywhere"),
                (step.title_of(one.node), f"{function}, 0 everywhere"),
                line=_made(step, one.layer),
                certain=one.layer.member.parent is not None or _output_stats(step, one.node) is None,
            )
            return


class _Rectified(Record):
    """A node that lets pass what is above 0 of the product of a layer, and the product that takes what it gives."""

    node: AutogradNode
    product: AutogradNode
    layer: Parameter
    user: AutogradNode


def _rectified(step: Step) -> Iterator[_Rectified]:
    by_hand: dict[int, bool] = {}  # by the ids of layers, each of which a recurrence calls many times
    for node in step.graph.by(*_RECTIFIERS, *_WRITTEN):
        given = list(step.graph.inputs(node))
        product = product_in(step, given[0]) if len(given) == 1 else None
        layer = None if product is None else weight_of(step, product)
        if product is None or layer is None:
            continue
        if node.op in _WRITTEN:
            if id(layer) not in by_hand:
                by_hand[id(layer)] = _is_rectified_by_hand(step, layer)
            if not by_hand[id(layer)]:
                continue
        user = next((user for user, _ in users_through(step, node) if user.op in LINEAR), None)
        if user is not None:
            yield _Rectified(node, product, layer, user)


def _is_dead(step: Step, one: _Rectified) -> bool:
    """Whether it is 0 everywhere, though the layer before it is given something: 0 may be meant, as for what is missing."""
    if one.node.op not in _ALSO_AT_ZERO and _is_all_zero(step, one.layer.tensor):
        return False  # it begins at 0, where such a function passes gradients on
    stats = _output_stats(step, one.node)
    if stats is None:
        return _is_dead_by_gradients(step, one.layer, one.user) and _is_given_something(step, one.product)
    return stats["count"] > 8 and stats["zeros"] == stats["count"] and _is_given_something(step, one.product)


def _output_stats(step: Step, node: AutogradNode) -> dict[str, Any] | None:
    value = output_of(step, node)
    return None if value is None else step.stats(value)


def _is_given_something(step: Step, product: AutogradNode) -> bool:
    """Whether what a layer takes is not all 0: as it has saved that, or, where it is freed, what models in sight take."""
    name, at = _TAKES[product.op]
    below = step.graph.input(product, at)
    given = product.tensor(name)
    given = output_of(step, below) if given is None and below is not None else given
    data = (one.tensor for one in model_inputs(step) if not requires_grad(one.tensor))
    return not any(_is_all_zero(step, tensor) for tensor in (data if given is None else (given,)))


def _are_others_dead(step: Step, one: _Rectified, rectified: list[_Rectified]) -> bool:
    """Whether the same layer gives nothing else either, where it is called several times: in a recurrence."""
    known = {other.product.index: other for other in rectified if other.layer is one.layer}
    products = [node for node in step.graph.by(*LINEAR) if weight_of(step, node) is one.layer]
    return all(node.index in known and _is_dead(step, known[node.index]) for node in products)


def _is_rectified_by_hand(step: Step, layer: Parameter) -> bool:
    """Whether the source keeps what is above 0 of what this layer gave, by its own name: ``h = a(x); h * (h > 0)``."""
    if any(_rectifies(source, layer.name) for source in step.sources):
        return True
    for name, member in list(step.members.values()):
        inside = layer.name[len(name) :] if layer.name.startswith(f"{name}.") else ""
        for _, source in methods_of(type(member.module)) if inside and not is_library(type(member.module)) else ():
            if _rectifies(source, source.self_name + inside):
                return True
    return False


def _rectifies(source: Source, layer: str) -> bool:
    """Whether in one expression, or one assignment, what a layer gave meets its own comparison with 0."""
    if not any(isinstance(node, ast.Compare) and _is_with_zero(node) for node in source.nodes):
        return False
    for part in source.nodes:
        if not isinstance(part, (ast.Assign, ast.AugAssign, ast.Call, ast.BinOp)):
            continue
        below = list(ast.walk(part))
        compared = [node.left for node in below if isinstance(node, ast.Compare) and _is_with_zero(node)]
        names = [one.id for one in compared if isinstance(one, ast.Name)]
        used = [node.id for node in below if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
        if any(used.count(name) > 1 and _is_given_by(source, name, part.lineno, layer) for name in names):
            return True
    return False


def _is_given_by(source: Source, name: str, line: int, layer: str) -> bool:
    """Whether a name means, in that line, what a layer gives, by itself or by its weight: ``a(x)``, ``x @ w + b``."""
    above = [found for found in source.bindings.get(name, ()) if found[0] < line]
    node = max(above, key=lambda found: found[0])[1] if above else None
    value = node.value if isinstance(node, ast.Assign) and text_of(node.targets[0]) == name else None
    if isinstance(value, ast.Call):
        return f"{shown_text(value.func)}.weight" == layer
    product = value.left if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) else value
    is_product = isinstance(product, ast.BinOp) and isinstance(product.op, ast.MatMult)
    return isinstance(product, ast.BinOp) and is_product and shown_text(product.right) == layer


def _is_with_zero(node: ast.Compare) -> bool:
    is_order = isinstance(node.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE))
    return is_order and len(node.ops) == 1 and constant_of(node.comparators[0]) == 0


def _is_all_zero(step: Step, tensor: Any) -> bool:
    stats = step.stats(tensor)
    return stats is not None and stats["zeros"] == stats["count"]


def _units(node: AutogradNode) -> int | None:
    sizes = node.sizes()
    if not sizes or len(sizes) < 2:
        return None
    return sizes[1 if len(sizes) == 4 else -1]


def _is_dead_by_gradients(step: Step, layer: Parameter, user: AutogradNode) -> bool:
    """The next layer's bias has a gradient, its weight has exactly none: what it was given is 0. So is the gradient
    of the layer before."""
    added = [one for one, _ in step.graph.users(user) if one.op == "Add"]  # a bias by hand
    parts = [part for one in (user, *added) for part in parameters_of_node(step, one)]
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
        next((one for one in parameters_of_node(step, node) if one.tensor.dim() == 1), None)
        if node is not None
        else None
    )
    stats = None if bias is None else step.stats(bias.tensor)
    if stats is None or stats["mean"] is None or stats["mean"] > -1:
        return ""
    return f" (biases near {number(stats['mean'], 3)})"


def _made(step: Step, one: Parameter) -> tuple[str, int] | None:
    for source in step.sources:
        lines = [call.lineno for call in source.calls if call.args and _names(call.args[0], one.name)]
        if lines:
            return source.file, lines[0]
    return line_of_last_binding(step, one.root.key)


def _names(argument: Any, name: str) -> bool:
    text = shown_text(argument)
    return "[" in text and text.rpartition(".")[0] == name.rpartition(".")[0] and bool(text)
