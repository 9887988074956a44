"""Memory shared where a copy is meant: the entries of a history are one tensor's."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.elements import elements_key
from ....safe.guard import Classes
from ...findings.finding import Violation
from ...step.expressions import shown
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading
from ..tensors_in import tensors_in

_CONTAINERS = Classes(list, tuple, dict)


@detector(
    100,
    because="tensors that are listed are most often made anew in each round",
    why="All of the entries show what was written last.",
    suggestion="append a copy: values.append(x.clone())",
)
def entries_share_memory(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``history.append(x.detach())`` of an ``x`` that is changed in place."""
    for (level, name), value in reading.each(step.named_values()):
        tensors = tensors_in(value) if type(value) in _CONTAINERS else []
        keys = [elements_key(one) for one in {id(one): one for one in tensors}.values()]
        known = [key for key in keys if key is not None]
        if len(known) > 2 and len(set(known)) == 1:
            text = shown(name)
            yield Violation(
                (f"all {len(known)} tensors of {text} are over the same memory", ": ", "they show the same numbers"),
                (text, f"{len(known)} tensors, 1 piece of memory"),
                line=step.sources[level].line_of(name),
            )
