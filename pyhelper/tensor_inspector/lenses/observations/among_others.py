"""Numbers that stand for padding, and those that stand among others."""

from __future__ import annotations

from ...measure.torch.elements import bare
from ...measure.torch.metadata import element_count, is_exact_tensor, is_integer
from ..step.sight import VisibleVariable
from .reading import BoundedReading


def among_others(variable: VisibleVariable, index: int, reading: BoundedReading) -> tuple[int, int]:
    """How many numbers equal the index alone between two others, and how many there are.

    None where most of them stand in runs, as padding does, between others too.
    """
    tensor = variable.value
    if not is_exact_tensor(tensor) or not is_integer(tensor.dtype) or tensor.dim() not in (1, 2):
        return 0, 1
    values = bare(tensor) if (element_count(tensor) or 0) > 2 else None
    if values is None or not reading.takes(variable.name, values.numel()):
        return 0, 1
    rows = values.reshape(1, -1) if tensor.dim() == 1 else values
    others = rows != index
    alone = ~others[:, 1:-1] & others[:, :-2] & others[:, 2:]
    before, after = others.cumsum(1) > 0, others.flip(1).cumsum(1).flip(1) > 0
    count, inside = int(alone.sum()), int((~others & before & after).sum())
    return (count if 2 * count > inside else 0), values.numel()
