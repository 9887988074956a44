"""One SGD step would change a weight a thousand times over.

Why: Such a step throws away what was learned.

Example:
    loss = (model(x) * 1e6).square().sum()
    loss.backward()

Instead:
    loss = model(x).square().mean()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)

Silent when:
    - the optimizer is not SGD: Adam and its like scale each step
    - a GradScaler scales the gradients
    - the program clips, scales or replaces gradients, leaves out such steps, or has a hook before them
    - the weight is a vector, nearly 0, or has more than 2²⁰ elements
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count
from .....measure.torch.modules import is_of
from .....measure.torch.optimizers import groups, inner
from .....safe.guard import class_name, module
from .....words.text import number
from ....flow.lines import line_of_change, line_of_rate
from ....step.roles import Parameter
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.gradient_handling import are_gradients_scaled, are_steps_left_out

torch: Any = module("torch")


@rule(
    "error",
    why="Such a step throws away what was learned.",
    suggestion="a smaller rate, or another initialisation; clip_grad_norm_ where single steps are too large",
    needs="optimizer",
)
def exploding_grad(step: Step) -> Iterator[Violation]:
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
