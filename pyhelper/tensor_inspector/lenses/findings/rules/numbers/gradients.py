"""Rules about gradients: not finite, exploding, vanishing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain, number_of
from .....measure.torch.metadata import element_count
from .....measure.torch.modules import is_of
from .....measure.torch.node import AutogradNode
from .....measure.torch.optimizers import groups, inner
from .....measure.torch.steep import MAYBE_STEEP, may_be_steep, only_divides, steep
from .....safe.guard import class_name, instance_dict, module
from .....words.text import listed, number, plural
from ....graphs.lines import line_of_operation
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...lines import line_of_call, line_of_change, line_of_last_binding, line_of_rate
from ...rule import rule
from .handled import are_gradients_scaled, are_steps_left_out, is_nan_left_out
from .onset import bad_roots, flow_of
from .state import numbers_not_finite, parameters_not_finite

torch: Any = module("torch")


def _may_skip(scaler: Any) -> bool:
    """Whether a GradScaler may be looking for its scale: it has scaled a loss, and by no less than 1.

    Below that no gradient is too large for its scale: it has halved the scale for NaN again and again.
    """
    held = instance_dict(scaler)
    scale = held.get("_scale")
    if held.get("_enabled") is not True or scale is None:
        return False
    number = number_of(scale)
    return number is None or number >= 1


@rule(
    "error",
    why="A step with them makes the weights NaN; one that is left out teaches nothing.",
    suggestion="add a small ε inside, and mask before the operation, not after",
    needs="module loss",
)
def nan_in_grad_only(step: Step) -> Iterator[Violation]:
    """Gradients hold NaN or Inf, though the loss is finite."""
    if any(_may_skip(variable.value) for variable in step.scalers) or bad_roots(step):
        return
    held = list(step.parameters.values())
    bad = [f"{held[at].name}.grad" for at in numbers_not_finite(step, step.grads([one.tensor for one in held]))]
    if not bad or parameters_not_finite(step):
        return
    roots = step.loss_nodes()
    nodes = [
        node
        for node in step.graph.by(*MAYBE_STEEP)
        if may_be_steep(node) and any(step.graph.reaches(one, node) for one in roots)
    ]
    if is_nan_left_out(step) and not any(_is_root_of_nothing(step, node) for node in nodes):
        return  # as a bad batch
    proven = next(steep(flow_of(step), nodes), None)
    nodes = sorted(nodes, key=only_divides) if proven is None else [proven]
    ops = listed(dict.fromkeys(node.op.lower() for node in nodes), False, 40)
    around = (step.title_of(one) for node in nodes for one in (node, *step.graph.inputs(node)) if one.leaf is None)
    names = list(dict.fromkeys(name for name in around if name))[:3]
    loss = step.losses[0].name if step.losses else "the forward"
    cause = f"; {ops} on the way may have an infinite slope" if nodes else ""
    if proven is not None:
        cause = f"; the slope of {ops} is infinite at what it was given{f' for {names[0]}' if names else ''}"
    lines = (line_of_operation(step, node, step.title_of(node)) for node in nodes)
    yield Violation(
        (
            f"{plural(len(bad), 'gradient')} {'is' if len(bad) == 1 else 'are'} not finite though {loss} is",
            ": ",
            f"{listed(bad, False, 60)}{cause}",
        ),
        *((name, "NaN or Inf") for name in bad[:4]),
        *((name, "on the way") for name in names),
        line=next(filter(None, lines), None),
    )


def _is_root_of_nothing(step: Step, node: AutogradNode) -> bool:
    """Whether it is a root of the distances from each to each, which are 0 from one to itself in every batch."""
    below = step.graph.input(node) if node.op == "Sqrt" else None
    for _ in range(4):
        if below is None or below.op == "Sub":
            break
        below = step.graph.input(below) if below.op in ("Abs", "Mul", "Pow", "Sum") else None
    if below is None or below.op != "Sub" or None in below.inputs:
        return False
    one, other = (_before_views(step, part) for part in step.graph.inputs(below))
    return one is not None and one is other


def _before_views(step: Step, node: AutogradNode) -> AutogradNode | None:
    found = step.graph.through_views(node)
    return found if found is None or found.op != "Expand" else step.graph.through_views(step.graph.input(found))


@rule(
    "error",
    why="Such a step throws away what was learned.",
    suggestion="a smaller rate, or another initialisation; clip_grad_norm_ where single steps are too large",
    needs="optimizer",
)
def exploding_grad(step: Step) -> Iterator[Violation]:
    """The next update of plain gradient descent would be a thousand times its weight."""
    worst: tuple[float, Parameter, float, float] | None = None
    held = ""
    for variable in step.optimizers:
        if class_name(type(inner(variable.value))) != "SGD":
            continue
        for group in groups(variable.value):
            rate = group.number("lr")
            for tensor in group.tensors[:400]:
                one, grad = step.parameters.get(id(tensor)), step.grad(tensor)
                if (
                    one is None
                    or grad is None
                    or not rate
                    or tensor.dim() < 2
                    or (element_count(tensor) or 0) > 1 << 20
                ):
                    continue
                weight, slope = step.norm(tensor), step.norm(grad)
                if not weight or slope is None or slope - slope != 0 or weight < 1e-3:
                    continue
                ratio = rate * slope / weight
                if ratio > 1000 and (worst is None or ratio > worst[0]):
                    worst, held = (ratio, one, slope, weight), variable.key
    if worst is None or step.scalers or are_gradients_scaled(step) or are_steps_left_out(step):
        return
    ratio, one, slope, weight = worst
    recurrent = _recurrent(step)
    yield Violation(
        (
            f"{one.name}.grad has norm {number(slope)}",
            ", ",
            f"its weight {number(weight)}: one step would change it {number(ratio, 2)} times over",
        ),
        (f"{one.name}.grad", f"norm {number(slope)}"),
        (one.name, f"norm {number(weight)}"),
        *recurrent,
        line=line_of_change(step, one.name) or line_of_change(step, one.root.name) or line_of_rate(step, held),
    )


def _recurrent(step: Step) -> Iterator[tuple[str | None, str]]:
    """Recurrent weights that make what passes through them grow."""
    for one in step.parameters.values():
        if (
            is_of(one.member.module, "RNN", "LSTM", "GRU")
            and ".weight_hh_l" in one.name
            and one.tensor.shape[0] == one.tensor.shape[1]
        ):
            radius = _spectral_radius(bare(one.tensor)) if is_plain(one.tensor) and one.tensor.shape[0] <= 1024 else 0.0
            if radius > 1.5:
                yield one.name, f"the rnn's weight_hh has a spectral radius of {number(radius, 2)}"


def _spectral_radius(weight: Any) -> float:
    """The size of the largest eigenvalue, by repeated multiplication."""
    vector = torch.ones(weight.shape[0], dtype=torch.float64, device=weight.device)
    square, radius = weight.double(), 0.0
    for _ in range(40):
        vector = square @ vector
        radius = float(vector.norm())
        if not radius or radius - radius != 0:
            return radius
        vector = vector / radius
    return radius


@rule(
    "warning",
    why="The first layers learn nothing.",
    suggestion="ReLU or GELU with normalisation, or residual connections",
    needs="module thorough",
)
def vanishing_grad(step: Step) -> Iterator[Violation]:
    """Norms of gradients fall, layer by layer, by more than a million from the loss to the first layer, or a tenth of
    that through sigmoids alone."""
    if step.scalers:
        return
    roots = step.loss_nodes()
    if not roots:
        roots = [
            node
            for node in (step.node_of(variable.value) for variable in step.tensors)
            if node is not None and node.sizes() == ()
        ]
    for root in roots[:2]:
        series = []
        for leaf in step.graph.leaves(root):
            one = step.parameters.get(id(leaf))
            grad = None if one is None else step.grad(one.tensor)
            if one is None or grad is None or one.tensor.dim() < 2 or (element_count(one.tensor) or 0) > 1 << 20:
                continue
            norm = step.norm(grad)
            if norm is not None and norm - norm == 0:
                series.append((one, norm))
        norms = [norm for _, norm in series]
        sigmoids = len(step.graph.below(root, "Sigmoid"))
        is_deep = len(norms) > 6 and len(norms) - 2 <= sigmoids <= len(norms)  # each passes a quarter at most
        least = (1e-5 if is_deep else 1e-6) * max(norms[:2], default=0.0)
        if len(norms) < 5 or not norms[0] or min(norms) <= 0 or norms[-1] > least:
            continue
        falls = sum(after < before for before, after in zip(norms, norms[1:]))
        if falls < 0.8 * (len(norms) - 1):
            continue
        last, first = series[0][0], series[-1][0]
        squashing = [node.op for node in step.graph.below(root, "Sigmoid", "Tanh")]
        fall = f"gradient norms fall from {number(norms[0])} at {last.name} to {number(norms[-1])} at {first.name}"
        in_a_row = f"{len(squashing)} {squashing[0].lower()}s in a row" if len(squashing) > 2 else ""
        yield Violation(
            (fall, ": ", in_a_row) if in_a_row else fall,
            (f"{first.name}.grad", f"norm {number(norms[-1])}"),
            (f"{last.name}.grad", f"norm {number(norms[0])}"),
            line=line_of_call(step, *squashing) or line_of_last_binding(step, first.root.key),
        )
        return
