"""All units of a layer have the same weights and the same gradient.

Why: Units that begin alike and get the same gradient never differ.

Example:
    for parameter in model.parameters():
        nn.init.constant_(parameter, 0.5)

Instead:
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.1)

Silent when:
    - the gradient is zero or not there yet
    - rows of the weights or of the gradient differ by more than rounding
    - it is an embedding, a vector, or has one unit or more than 2²² elements
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.elements import bare, is_plain
from .....measure.torch.metadata import element_count
from .....measure.torch.modules import is_of
from .....safe.guard import module
from .....words.text import plural
from ....flow.effects import FILLING, FILLING_WITH_ONE, FILLING_WITH_ZERO
from ....flow.lines import line_of_call_below, lines_of_filling
from ....flow.ops import LINEAR
from ....step.step import Step
from ...finding import Violation
from ...rule import rule

torch: Any = module("torch")


def _are_one_row(values: Any) -> bool:
    """Whether all rows are equal but for what a product of matrices rounds, which differs from row to row."""
    spread, most = (values - values[:1]).abs().max(), values.abs().max()
    return bool(spread <= min(64 * torch.finfo(values.dtype).eps, 1e-5) * most)


def _weights(step: Step) -> Iterator[tuple[str, Any]]:
    """The parameters of modules in sight, and what optimizers hold beside these that a product takes as the second
    factor, where a layer's weights stand: inputs that are optimized stand before it."""
    for one in step.parameters.values():
        if not is_of(one.member.module, "Embedding", "EmbeddingBag"):
            yield one.name, one.tensor
    second = (step.graph.input(node, 2 if node.op == "Addmm" else 1) for node in step.graph.by(*LINEAR))
    factors = map(step.graph.through_views, second)
    leaves = {id(node.leaf): node.leaf for node in factors if node is not None and node.leaf is not None}
    for key, leaf in leaves.items():
        name = step.name_of(leaf) if key in step.optimized and key not in step.parameters else None
        if name is not None:
            yield name, leaf


@rule(
    "error",
    why="Units that begin alike and get the same gradient never differ.",
    suggestion="initialise at random",
    needs="module thorough",
)
def symmetric_init(step: Step) -> Iterator[Violation]:
    alike: list[tuple[str, Any]] = []
    for name, weight in _weights(step):
        grad = step.grad(weight)
        if weight.dim() < 2 or weight.shape[0] < 2 or grad is None or (element_count(weight) or 0) > 1 << 22:
            continue
        if not is_plain(weight) or not is_plain(grad):
            continue
        rows, slopes = bare(weight), bare(grad)
        if bool((slopes != 0).any()) and _are_one_row(rows) and _are_one_row(slopes):
            alike.append((name, weight))
    if alike:
        name, weight = alike[0]
        yield Violation(
            (
                f"all {weight.shape[0]} units of {name} have the same weights and the same gradient",
                ": ",
                "they will always be one unit",
            ),
            *((other, f"{plural(int(rows.shape[0]), 'equal row')}") for other, rows in alike[:3]),
            line=next((line for line, _ in lines_of_filling(step, name)), None)
            or line_of_call_below(
                step, *FILLING, *(FILLING_WITH_ONE if bool((bare(weight) != 0).any()) else FILLING_WITH_ZERO)
            ),
            suggestion="a random initialisation",
        )
