"""A loss of several elements is about to be backpropagated.

Why: Gradients are defined for one number.

Example:
    loss = F.mse_loss(model(x), y, reduction="none")
    loss.backward()

Instead:
    loss = F.mse_loss(model(x), y, reduction="none")
    loss.mean().backward()

Silent when:
    - backward is called on an expression of it, which may reduce it, or on several names
    - backward is given a `gradient`
    - it has no graph
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import element_count, requires_grad, shape_of
from .....words.text import shape
from ....step.expressions import is_name
from ....step.step import Step
from ...finding import Violation
from ...rule import rule


@rule(
    "error",
    why="Gradients are defined for one number.",
    suggestion="mean() or sum() it first",
    needs="loss source",
)
def loss_not_scalar(step: Step) -> Iterator[Violation]:
    for loss in step.pending():
        count = element_count(loss.tensor)
        composed = len(loss.backward.names) > 1 or loss.backward.call.receiver is None or not _is_bare(loss.backward)
        if count is None or count < 2 or loss.backward.has_gradient or composed or not requires_grad(loss.tensor):
            continue
        yield Violation(
            (f"{loss.name} has {count} elements {shape(shape_of(loss.tensor))}", ": ", "backward needs one"),
            (loss.name, f"shape {shape(shape_of(loss.tensor))}"),
            line=step.source.line_of(loss.name) or (step.source.file, loss.backward.lineno),
        )


def _is_bare(backward: Any) -> bool:
    """Whether what backward is called on is a name, and not an expression of it that may reduce it."""
    call = backward.call
    inner = call.args[0] if call.args and backward.scaler is None and not is_name(call.receiver) else call.receiver
    if backward.scaler is not None and isinstance(call.receiver, ast.Call):
        inner = call.receiver.args[0]
    return is_name(inner)
