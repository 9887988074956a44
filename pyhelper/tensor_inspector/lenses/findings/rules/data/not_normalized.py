"""The first layer is given raw bytes, deep pictures or samples of sound as floats.

Why: The first layer's outputs are a hundred times too large: activations saturate, gradients explode.

Example:
    x = images.float()  # 0…255
    out = conv(x)

Instead:
    x = images.float() / 255
    out = conv(x)

Silent when:
    - the first layer does not take the input as it is, or the input needs gradients
    - a norm takes what the first layer gives, which takes the scale away
    - the values are not whole numbers, hardly vary, or do not fill the range of bytes, of 10 to 16 bits, or of sound
    - a table has columns of different scales, or percentages
"""

from __future__ import annotations

from collections.abc import Iterator

from .....safe.guard import class_name
from .....words.text import number
from ....flow.losses import ModelInput
from ....step.step import Step
from ...consequences import NO_LEARNING
from ...finding import Violation
from ...rule import rule
from .parts.first_layers import first_layer, has_saved, is_given_by
from .parts.raw_inputs import raw_inputs, where_made
from .parts.scales import scale_of


@rule(
    "warning",
    why="The first layer's outputs are a hundred times too large: activations saturate, gradients explode.",
    suggestion="scale it",
    causes=f"saturated exploding-grad {NO_LEARNING}",
    needs="module source",
)
def not_normalized(step: Step) -> Iterator[Violation]:
    for given in raw_inputs(step):
        stats = step.stats(given.tensor)
        scale = None if stats is None else scale_of(given.tensor, stats)
        if stats is None or scale is None or _is_normed_next(step, given):
            continue
        yield Violation(
            (
                f"{given.name} runs from {number(stats['min'])} to {number(stats['max'])} (mean {number(stats['mean'], 3)})",
                ": ",
                "not scaled",
            ),
            (given.name, f"{number(stats['min'])}…{number(stats['max'])}, given to {given.model.name} as it is"),
            line=where_made(step, given),
            suggestion=f"{given.name} / {scale}, or the mean and deviation of the data",
        )
        return


def _is_normed_next(step: Step, given: ModelInput) -> bool:
    """Whether a norm takes what the first layer gives, which takes its scale away: by the modules, or by the graph."""
    found = first_layer(given.model.value)
    if found is None:
        nodes = [node for node in step.graph.by("Convolution", "Addmm") if has_saved(node, given.tensor)]
        return any("Norm" in user.op for node in nodes for user, _ in step.graph.users(node))
    layer, after = found
    if after is None and layer is given.model.value:
        calls = step.sources[given.level].calls
        later = next((call for call in calls if is_given_by(call, given.call)), None)
        seen = None if later is None else step.module_of(later.callee, given.level)
        after = None if seen is None else seen.value
    return "Norm" in class_name(type(after))
