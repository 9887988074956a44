"""Modes: a part of a model is in eval mode, though it is trained, inside a model in train mode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....measure.torch.metadata import requires_grad
from ....measure.torch.modules import Member
from ....words.text import plural
from ...findings.finding import Violation
from ...findings.rules.model.parts.layer_kinds import is_dropout, is_norm
from ...flow.lines import line_of_module
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


class _AtRest:
    """A part whose parent is in train mode while it is not: the member, and what there is of it and below."""

    __slots__ = ("dropouts", "member", "modules", "name", "norms", "trained", "trained_norms")

    def __init__(self, name: str, member: Member) -> None:
        self.name = name
        self.member = member
        self.modules = self.dropouts = self.norms = 0
        self.trained = self.trained_norms = 0  #: parameters: all, and those of norms

    def is_frozen_statistics(self) -> bool:
        """Whether only norms are trained in it: who freezes their statistics sets each of them to eval."""
        return not self.dropouts and self.trained == self.trained_norms


@detector(
    100,
    because="a part that is frozen stays in eval on purpose; one whose weights are trained seldom does",
    why="Its dropout does nothing and its batch norms use stored statistics, while its weights are trained.",
    suggestion="call train() on the whole model before training: from_pretrained gives it in eval mode",
)
def part_in_eval(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """``model.training`` is True, that of ``model.encoder`` False."""
    for part in _parts(step, reading):
        if part.trained and (part.dropouts or part.norms) and not part.is_frozen_statistics():
            yield Violation(
                (
                    f"{part.name} is in eval mode inside a model in train mode",
                    ": ",
                    _idle(part.dropouts, part.norms),
                ),
                (f"{part.name}.training", f"False, of {plural(part.modules, 'module')}"),
                (part.name, f"{plural(part.trained, 'parameter')} are trained"),
                line=line_of_module(step, part.member, part.name),
            )


def _parts(step: Step, reading: BoundedReading) -> list[_AtRest]:
    """The parts in eval mode, in one walk: parents come before what is below them."""
    found: list[_AtRest] = []
    of: dict[int, _AtRest] = {}  #: by the ids of the modules in them
    for name, member in reading.each(list(step.members.values())):
        parent = member.parent
        if parent is None or member.training is not False:
            continue
        part = of.get(id(parent.module))
        if part is None and parent.training is True:
            part = _AtRest(name, member)
            found.append(part)
        if part is None:
            continue
        of[id(member.module)] = part
        trained = sum(1 for _, tensor in member.part("_parameters") if _is_trained(step, tensor))
        part.modules += 1
        part.trained += trained
        if is_dropout(member):
            part.dropouts += 1
        elif is_norm(member):
            part.norms += 1
            part.trained_norms += trained
    return found


def _idle(dropouts: int, norms: int) -> str:
    """``7 dropouts and 2 batch norms at rest``"""
    parts = [plural(count, noun) for count, noun in ((dropouts, "dropout"), (norms, "batch norm")) if count]
    return f"{' and '.join(parts)} at rest"


def _is_trained(step: Step, tensor: Any) -> bool:
    return bool(requires_grad(tensor)) and (not step.optimized or id(tensor) in step.optimized)
