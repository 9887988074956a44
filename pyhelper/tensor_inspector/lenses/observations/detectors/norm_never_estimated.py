"""Modes: a spectral norm in eval mode divides by a number that is far from the true norm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare
from ....measure.torch.metadata import is_exact_tensor
from ....safe.guard import module
from ....words.text import number
from ...findings.finding import Violation
from ...flow.lines import line_of_module
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

torch: Any = module("torch")


_TURNS = 12  #: of power iteration
_FAR = 3.0  #: times; before the first forward 9.6 to 224 were measured, after it at most 1.31


@detector(
    300,
    because="after one forward in train mode its estimate is within a third of the true norm",
    why="The weight is divided by a guess of its norm: forwards in train mode make the estimate.",
    suggestion="run some forwards in train mode first, or use torch.nn.utils.parametrizations.spectral_norm",
)
def norm_never_estimated(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``spectral_norm`` of the old style in eval mode before its first forward in train mode."""
    for name, member in reading.each(list(step.members.values())):
        weight = dict(member.items("_parameters")).get("weight_orig")
        kept = dict(member.items("_buffers"))
        if member.training is not False or weight is None or kept.get("weight_u") is None:
            continue
        with reading.of(name):
            used, norm = _norms(name, weight, kept["weight_u"], kept.get("weight_v"), reading)
            if norm > _FAR * abs(used):
                yield Violation(
                    (f"the spectral norm of {name} is {number(norm)}", ", ", f"and it divides by {number(used)}"),
                    (f"{name}.weight_u", "its estimate is far off: few forwards in train mode, or none"),
                    (f"{name}.training", "False"),
                    line=line_of_module(step, member, name),
                )


def _norms(name: str, weight: Any, left: Any, right: Any, reading: BoundedReading) -> tuple[float, float]:
    """The norm that a layer divides by, and a lower bound of the true one, by power iteration; 0 where not known."""
    matrix, left, right = (bare(one) if is_exact_tensor(one) else None for one in (weight, left, right))
    if matrix is None or left is None or right is None or not reading.takes(name, _TURNS * matrix.numel()):
        return 0.0, 0.0
    matrix = matrix.flatten(1) if matrix.shape[0] == len(left) else matrix.transpose(0, 1).flatten(1)
    if tuple(matrix.shape) != (len(left), len(right)):
        return 0.0, 0.0
    used, vector = float(torch.dot(left, torch.mv(matrix, right))), right
    for _ in range(_TURNS):
        vector = torch.mv(matrix.t(), torch.mv(matrix, vector))
        vector = torch.nn.functional.normalize(vector, dim=0)
    return used, float(torch.mv(matrix, vector).norm())
