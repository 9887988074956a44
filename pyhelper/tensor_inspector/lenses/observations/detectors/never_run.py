"""Modes: what only a first forward in train mode, or a first write, makes true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare, version_of
from ....measure.torch.metadata import element_count, is_exact_tensor
from ....measure.torch.modules import is_of
from ....safe.guard import module
from ....words.text import number
from ...findings.finding import Violation
from ...findings.lines import line_of_module
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

torch: Any = module("torch")
_LAYERS = ("Linear", "_ConvNd", "Embedding")  #: which write their weights when they are made
_FILLING = ("load_state_dict", "reset_parameters", "init_weights", "_init_weights", "copy_", "apply")
_TINY = 1e-30  #: no initialisation gives such a number on purpose
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
        vector = vector / vector.norm().clamp(min=_TINY)
    return used, float(torch.mv(matrix, vector).norm())


@detector(
    300,
    because="every layer writes its weights when it is made; only memory that is new holds such numbers",
    why="to_empty() and empty_like() give memory as it is: zeros, or whatever was there before.",
    suggestion="call reset_parameters(), or load a state dict, after to_empty()",
)
def never_written(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``net.to_empty(device="cpu")`` of a model on the meta device, and no initialisation after it."""
    if any(source.mentions(*_FILLING) for source in step.sources):  # it may be on its way
        return
    found: dict[int, list[str]] = {}
    written: set[int] = set()  #: the ids of models of which a layer was written
    for name, member in reading.each(list(step.members.values())):
        weight, top = dict(member.items("_parameters")).get("weight"), id(member.top.module)
        if weight is None or not is_of(member.module, *_LAYERS):
            continue
        with reading.of(name):
            if version_of(weight) == 0 and _is_as_memory_was(f"{name}.weight", weight, reading):
                found.setdefault(top, []).append(name)
            else:
                written.add(top)
    for names in [names for top, names in found.items() if top not in written and len(names) > 1]:
        name, member = next(one for one in step.members.values() if one[0] == names[0])
        yield Violation(
            (f"the weights of {len(names)} layers were never written", ": ", f"{names[0]} and all others"),
            *((f"{one}.weight", "all 0, or numbers near the end of the range: as memory is") for one in names[:3]),
            line=line_of_module(step, member, name),
        )


def _is_as_memory_was(name: str, weight: Any, reading: BoundedReading) -> bool:
    """Whether a weight is all 0, or holds numbers so small that only memory of something else reads so."""
    values = bare(weight) if (element_count(weight) or 0) > 1 else None
    if values is None or not values.dtype.is_floating_point or not reading.takes(name, values.numel()):
        return False
    size = values.abs()
    return not bool(size.any()) or bool(((size > 0) & (size < _TINY)).any())
