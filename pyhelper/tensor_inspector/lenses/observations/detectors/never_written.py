"""Modes: the layers of a model hold memory that nobody has written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.elements import bare, version_of
from ....measure.torch.metadata import element_count
from ....measure.torch.modules import is_of
from ...findings.finding import Violation
from ...flow.lines import line_of_module
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading

_LAYERS = ("Linear", "_ConvNd", "Embedding")  #: which write their weights when they are made
_FILLING = ("load_state_dict", "reset_parameters", "init_weights", "_init_weights", "copy_", "apply")
_TINY = 1e-30  #: no initialisation gives such a number on purpose


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
