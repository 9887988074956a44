"""Modes: what only a first forward in train mode, or a first write, makes true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare, version_of
from ....measure.torch.metadata import element_count
from ....measure.torch.modules import is_of
from ....safe.guard import module
from ...findings.finding import Violation
from ...findings.lines import line_of_module
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

torch: Any = module("torch")
_LAYERS = ("Linear", "_ConvNd", "Embedding")  #: which write their weights when they are made
_FILLING = ("load_state_dict", "reset_parameters", "init_weights", "_init_weights", "copy_", "apply")
_TINY = 1e-30  #: no initialisation gives such a number on purpose
_HUGE = 1e10


@detector(
    300,
    because="its estimate is made by forwards in train mode, which come before any in eval mode",
    why="Until then the weight is divided by a guess of its norm, often ten times off.",
    suggestion="run some forwards in train mode first, or use torch.nn.utils.parametrizations.spectral_norm",
)
def norm_never_estimated(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``spectral_norm`` of the old style in eval mode before its first forward in train mode."""
    for name, member in reading.each(list(step.members.values())):
        kept = dict(member.items("_buffers"))
        if member.training is not False or "weight_orig" not in dict(member.items("_parameters")):
            continue
        vector = kept.get("weight_u")
        if vector is not None and version_of(vector) == 0:
            yield Violation(
                (f"the spectral norm of {name} was never estimated", ": ", "no forward in train mode yet"),
                (f"{name}.weight_u", "as it was made, by random numbers"),
                (f"{name}.training", "False"),
                line=line_of_module(step, member, name),
            )


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
    for name, member in reading.each(list(step.members.values())):
        weight = dict(member.items("_parameters")).get("weight")
        if weight is None or not is_of(member.module, *_LAYERS) or version_of(weight) != 0:
            continue
        with reading.of(name):
            if _is_as_memory_was(f"{name}.weight", weight, reading):
                found.setdefault(id(member.top.module), []).append(name)
    for names in found.values():
        name, member = next(one for one in step.members.values() if one[0] == names[0])
        layers = "the weight of one layer was" if len(names) == 1 else f"the weights of {len(names)} layers were"
        yield Violation(
            (f"{layers} never written", ": ", names[0] if len(names) == 1 else f"{names[0]} and others"),
            *(
                (f"{one}.weight", "as its memory was: all 0, or numbers near the ends of the range")
                for one in names[:3]
            ),
            line=line_of_module(step, member, name),
        )


def _is_as_memory_was(name: str, weight: Any, reading: BoundedReading) -> bool:
    values = bare(weight) if (element_count(weight) or 0) > 1 else None
    if values is None or not values.dtype.is_floating_point or not reading.takes(name, values.numel()):
        return False
    size = values.abs()
    odd = ((size > 0) & (size < _TINY)) | (size > _HUGE) | size.isnan()
    return bool(odd.any()) or not bool(size.any())
