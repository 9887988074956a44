"""Nearly all outputs of a sigmoid or tanh are at its bounds.

Why: At its bounds the function is flat: hardly any gradient passes.

Example:
    h = torch.tanh(layer(x))  # x runs to 255

Instead:
    h = torch.tanh(layer(x / 255))

Silent when:
    - a tenth of the outputs or more is not at a bound
    - the activation does not stand between two layers of one model that are trained together
    - it has fewer than 64 or more than 2²² values, or these are freed and not in sight
"""

from __future__ import annotations

from collections.abc import Iterator

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count, requires_grad
from .....measure.torch.node import AutogradNode
from .....measure.torch.optimizers import each_group
from .....words.text import number, percent
from ....flow.lines import line_of_binding
from ....flow.losses import model_inputs
from ....flow.ops import LINEAR
from ....step.step import Step
from ...finding import Violation
from ...outputs import output_of
from ...rule import rule
from .parts.products import product_in, users_through, weight_of


@rule(
    "warning",
    why="At its bounds the function is flat: hardly any gradient passes.",
    suggestion="scale the inputs, or normalise before it",
    causes="vanishing-grad zero-grad-values",
    needs="thorough",
)
def saturated(step: Step) -> Iterator[Violation]:
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
