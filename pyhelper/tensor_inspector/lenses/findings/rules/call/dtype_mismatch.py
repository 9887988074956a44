"""A layer or a loss is given a dtype that it does not take.

Why: These operands are not converted to one another.

Example:
    x = torch.from_numpy(table)  # float64
    out = nn.Linear(8, 2)(x)

Instead:
    x = torch.from_numpy(table).float()
    out = nn.Linear(8, 2)(x)

Silent when:
    - the call may not be the next thing to run, or its failure is handled
    - a layer before it is not torch's own, has hooks, or may change the dtype
    - the two dtypes are floats of other sizes than 64 bits: autocast may convert them
    - labels of binary cross entropy are floats, or those of cross entropy are integers or one number for each class
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .....measure.torch.metadata import dtype_and_shape, dtype_name, shape_of
from .....safe.guard import module
from ....step.sight import VisibleVariable
from ....step.step import Step
from ...finding import Violation
from ...rule import rule
from .parts.planned_calls import PASSING, line_here, planned_layers, planned_losses

torch: Any = module("torch")
_CONVERTING = ("Linear", "Conv1d", "Conv2d", "Conv3d")


@rule(
    "error",
    why="These operands are not converted to one another.",
    suggestion="convert one of them",
    needs="source",
)
def dtype_mismatch(step: Step) -> Iterator[Violation]:
    for layers in planned_layers(step):
        layer = next((one for one in layers if one.kind not in PASSING), None)
        weight = None if layer is None or layer.kind not in _CONVERTING else layer.weight()
        if layer is None or weight is None:
            continue
        given, wanted = layer.given.value.dtype, weight.dtype
        # Autocast converts no doubles and no integers.
        if given == wanted or not (given is torch.float64 or wanted is torch.float64 or _is_whole(given)):
            continue
        yield Violation(
            (
                f"{layer.given.name} is {dtype_name(layer.given.value)}",
                ", ",
                f"but {layer.title} has {dtype_name(weight)} parameters: this call will fail",
            ),
            (layer.given.name, dtype_and_shape(layer.given.value)),
            (layer.name, f"its weight is {dtype_and_shape(weight)}"),
            line=line_here(step),
            suggestion=f"{layer.given.name}.to({wanted})",
        )
        return
    for kind, given, target in planned_losses(step):
        found = _unfit_labels(kind, given, target)
        if found is not None:
            fact, reason, fit = found
            yield Violation(
                (f"{target.name} is {fact}", ", ", f"but {reason}: this call will fail"),
                (target.name, dtype_and_shape(target.value)),
                (given.name, dtype_and_shape(given.value)),
                line=line_here(step),
                suggestion=f"{target.name}.{fit}",
            )
            return


def _unfit_labels(kind: str, given: VisibleVariable, target: VisibleVariable) -> tuple[str, str, str] | None:
    """What labels are that a loss can't take, why it can't, and what would make them fit."""
    scores, labels = given.value, target.value
    if not scores.dtype.is_floating_point:
        return None
    if kind.startswith("binary_cross_entropy") and _is_whole(labels.dtype):
        reason = f"{given.name} is {dtype_name(scores)}, and {kind} takes both as they are"
        return dtype_name(labels), reason, "float()"
    sizes, of_scores = tuple(shape_of(labels)), tuple(shape_of(scores))
    is_of_classes = len(of_scores) > 1 and sizes == (of_scores[0], *of_scores[2:])
    if kind == "cross_entropy" and labels.dtype.is_floating_point and is_of_classes:
        return dtype_and_shape(labels), f"{kind} wants integer class labels (int64)", "long()"
    return None


def _is_whole(dtype: Any) -> bool:
    return not dtype.is_floating_point and not dtype.is_complex
