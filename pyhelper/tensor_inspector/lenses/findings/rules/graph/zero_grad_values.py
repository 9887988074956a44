"""All gradients are exactly zero although the loss is not.

Why: Where a function is flat, nothing tells in which direction to go.

Example:
    out = model(x).clamp(0, 1)  # every value is beyond 1
    loss = F.mse_loss(out, y)

Instead:
    out = model(x).sigmoid()
    loss = F.mse_loss(out, y)

Silent when:
    - the loss is 0, not finite, or its backward is still to come
    - a parameter lies beside the flat operation, or a minimum, maximum or `where` is on the way
    - a term of the loss is held above a bound on purpose (`kl.clamp(min=free)`)
    - gradients may have been cleared since the backward
    - of two factors: one has a value other than 0, or is used elsewhere too
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, bare_each
from .....measure.torch.graph import VIEWS
from .....measure.torch.metadata import requires_grad, shape_of
from .....measure.torch.node import AutogradNode
from .....words.text import number, plural
from ....flow.lines import line_of_assignment, line_of_binding, line_of_call_below
from ....flow.ops import MATRIX_PRODUCTS, ZERO_GRADIENT
from ....step.classes import is_library
from ....step.roles import Parameter
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.zero_gradients import gradients_are_zero

_FLAT = (*"Clamp ClampMin ClampMax Hardtanh Hardsigmoid Threshold Relu".split(), *ZERO_GRADIENT)
#: Of such an operation the functions that make it.
_FLAT_CALLS = {
    "Clamp": ("clamp", "clip", "clamp_"), "ClampMin": ("clamp", "clip", "relu", "clamp_"), "ClampMax": ("clamp", "clip"),
    "Relu": ("relu", "relu_"), "Hardtanh": ("hardtanh", "relu6"), "Threshold": ("threshold",),
    **ZERO_GRADIENT,
}  # fmt: skip
_CHOICES = ("Minimum", "Maximum", "Min", "Max", "Amin", "Amax", "Where")
#: what gives 0 for 0, without another value to come in
_KEEPING = ("FusedDropout", "Gelu", "LeakyRelu", "Mul", "NativeDropout", "Relu", "Silu", "Tanh")
_BOUNDS = ("Clamp", "ClampMin", "ClampMax")
_SUMMING = frozenset((*VIEWS, "Add", "Div", "Mean", "Mul", "Sum"))
_MOST = 6  #: such operations between two products


@rule(
    "error",
    why="Where a function is flat, nothing tells in which direction to go.",
    suggestion="keep the values out of its flat parts",
    needs="loss optimizer",
)
def zero_grad_values(step: Step) -> Iterator[Violation]:
    yield from _products_of_zeros(step)
    for loss in step.losses:
        value, root = step.number(loss.tensor), step.node_of(loss.tensor)
        if not loss.done or not value or value - value != 0 or root is None:
            continue
        flat = next((node for node in step.graph.below(root, *_FLAT) if _is_above_all(step, node, root)), None)
        if flat is None or step.graph.below(root, *_CHOICES) or not gradients_are_zero(step, loss, root):
            continue
        if _is_bounded(step, root):
            continue
        variable = _tensor_of(step, flat)
        name = step.title_of(flat) if variable is None else variable.name
        stats = None if variable is None else step.stats(variable.value)
        is_one = stats is not None and stats["count"] and stats["min"] == stats["max"]
        everywhere = f", {number(stats['min'])} in all {plural(stats['count'], 'place')}" if stats and is_one else ""
        yield Violation(
            (
                f"all gradients of {loss.name} are exactly zero",
                ", ",
                f"though it is {number(value)}: {name or 'a value'} comes from {flat.op.lower()}, which is flat there{everywhere}",
            ),
            (name, f"grad ← {flat.op}Backward0{everywhere}"),
            (loss.name, number(value)),
            line=line_of_call_below(step, *_FLAT_CALLS.get(flat.op, ())) or line_of_binding(step, name),
        )
        return


def _tensor_of(step: Step, node: AutogradNode) -> VisibleVariable | None:
    """The tensor in sight that a node has made, or a view of that."""
    waiting = [node]
    while waiting:
        current = waiting.pop(0)
        found = step.tensor_at(current)
        if found is not None:
            return found
        waiting += [user for user, _ in step.graph.users(current) if user.op in VIEWS]
    return None


def _is_above_all(step: Step, flat: AutogradNode, root: AutogradNode) -> bool:
    """Tells whether each parameter that an optimizer holds lies below operations of this kind alone."""
    return not any(id(leaf) in step.optimized for leaf in step.graph.leaves_beside(root, (flat.op,)))


def _products_of_zeros(step: Step) -> Iterator[Violation]:
    """``up(down(x))`` of which both weights are 0 everywhere: the gradient of each has the other as a factor."""
    matrices = [one.tensor for one in step.trained() if len(shape_of(one.tensor)) > 1]
    if sum(map(_are_zero, bare_each(matrices))) < 2:
        return
    roots = [root for loss in step.losses if (root := step.node_of(loss.tensor)) is not None]
    for node in step.graph.by(*MATRIX_PRODUCTS):
        below = _product_below(step, node)
        inner = None if below is None else _zeros_in(step, below, alone=True)
        outer = None if inner is None else _zeros_in(step, node)
        if outer is None or inner is None or outer is inner:
            continue
        if not any(step.graph.reaches(root, node) for root in roots):
            continue
        if any((grad := step.grad(one.tensor)) is None or not _is_zero(grad) for one in (inner, outer)):
            continue  # it may be used elsewhere too
        yield Violation(
            (
                f"{inner.name} and {outer.name} are 0 everywhere",
                ", ",
                "and one is multiplied by the other: the gradients of both are exactly zero, at every step",
            ),
            *((one.name, f"trainable, all 0, shape {tuple(shape_of(one.tensor))}") for one in (inner, outer)),
            line=_made(step, inner) or _made(step, outer),
            suggestion="begin with random values in one of them",
        )
        return


def _is_bounded(step: Step, root: AutogradNode) -> bool:
    """Whether a loss, or a term that is only summed and scaled, is held above a bound on purpose: ``kl.clamp(min=free)``."""
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if node.op in _BOUNDS:
            return True
        if node.index not in seen and node.op in _SUMMING:
            waiting += step.graph.inputs(node)
        seen.add(node.index)
    return False


def _zeros_in(step: Step, node: AutogradNode, *, alone: bool = False) -> Parameter | None:
    """The matrix of zeros that a product is made with; ``alone`` if nothing else than zeros is added there."""
    leaves = [below.leaf for below in step.graph.inputs_behind_views(node) if below.leaf is not None]
    found = [step.parameters.get(id(leaf)) for leaf in leaves]
    matrices = [one for one in found if one is not None and len(shape_of(one.tensor)) > 1]
    if len(matrices) != 1 or not _is_learned(step, matrices[0]) or not _is_zero(matrices[0].tensor):
        return None
    return matrices[0] if not alone or all(map(_is_zero, leaves)) else None


def _product_below(step: Step, node: AutogradNode) -> AutogradNode | None:
    """The product whose result a product is given, with only what gives 0 for 0 between them."""
    given = [below for below in step.graph.inputs_behind_views(node) if below.leaf is None]
    for _ in range(_MOST):
        if len(given) != 1 or given[0].op not in (*MATRIX_PRODUCTS, *_KEEPING):
            return None
        if given[0].op in MATRIX_PRODUCTS:
            return given[0]
        given = step.graph.inputs_behind_views(given[0])
    return None


def _is_learned(step: Step, one: Parameter) -> bool:
    return requires_grad(one.tensor) and id(one.tensor) in step.optimized


def _is_zero(tensor: Any) -> bool:
    return _are_zero(bare(tensor))


def _are_zero(values: Any) -> bool:
    """Whether there are elements, and all are 0: of nearly all tensors the first one tells."""
    if values is None or not values.numel():
        return False
    return not values.as_strided((), ()).item() and not bool(values.any())


def _made(step: Step, one: Parameter) -> tuple[str, int] | None:
    cls = type(one.member.module)
    return line_of_binding(step, one.name) if is_library(cls) else line_of_assignment(cls, one.name.rpartition(".")[2])
