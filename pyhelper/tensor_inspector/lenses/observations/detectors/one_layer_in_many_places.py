"""Identity: several entries of a list of layers are one module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import element_count
from ....measure.torch.modules import is_module, is_of, members
from ....safe.budget import Steps
from ...findings.finding import Violation
from ...flow.lines import line_of_module
from ...step.step import Step
from ..detector import detector
from ..entries import same_entries
from ..reading import BoundedReading


@detector(
    300,
    because="who makes several layers most often means several; ALBERT and other tied stacks are few",
    why="What trains one of the entries trains them all: they are one set of weights.",
    suggestion="make each entry by a call of its own: [make() for _ in range(n)], or copy.deepcopy",
)
def one_layer_in_many_places(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``nn.ModuleList([layer] * 4)``"""
    for name, member in reading.each(list(step.members.values())):
        if not is_of(member.module, "ModuleList", "Sequential", "ModuleDict"):
            continue
        entries = [(name + member.suffix(key), part) for key, part in member.items("_modules") if is_module(part)]
        for names in same_entries(entries):
            once = _parameters_of(step, entries, names)
            if once:
                total = len(names) * once
                yield Violation(
                    (f"{len(names)} entries of {name} are one module", ": ", f"{once:,} parameters, not {total:,}"),
                    *((one, "the same object") for one in names[:4]),
                    line=line_of_module(step, member, name),
                )


def _parameters_of(step: Step, entries: list[tuple[str, Any]], names: list[str]) -> int:
    """The numbers in the parameters of the module under these names."""
    root = next(value for name, value in entries if name == names[0])
    parts = members(root, Steps(step.budget))
    return sum(element_count(tensor) or 0 for member in parts for _, tensor in member.part("_parameters"))
