"""Gradient norms fall a millionfold from the loss to the first layer.

Why: The first layers learn nothing.

Example:
    model = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.Sigmoid()) for _ in range(12)])

Instead:
    model = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.ReLU()) for _ in range(12)])

Silent when:
    - fewer than 5 weights have gradients, or one of these is 0
    - norms do not fall at 4 of 5 layers
    - they fall less than a millionfold (100,000-fold where each layer has a sigmoid)
    - a GradScaler scales the gradients
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.metadata import element_count
from .....words.text import number
from ....flow.lines import line_of_call, line_of_last_binding
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "warning",
    why="The first layers learn nothing.",
    suggestion="ReLU or GELU with normalisation, or residual connections",
    needs="module thorough",
)
def vanishing_grad(step: Step) -> Iterator[Violation]:
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
