"""Modes: the batch norms of a frozen part are in train mode, so that their statistics go on moving."""

from __future__ import annotations

from collections.abc import Iterator

from ....measure.torch.metadata import requires_grad
from ....measure.torch.modules import Member
from ....words.text import plural
from ...findings.finding import Violation
from ...findings.rules.model.parts.layer_kinds import is_norm
from ...flow.lines import line_of_module
from ...step.classes import is_library, methods_of
from ...step.step import Step
from ..detector import detector
from ..reading import BoundedReading


@detector(
    30,
    because="who freezes a part wants it to stay as it is; few adapt its statistics on purpose",
    why="Each forward in train mode moves its running statistics: in eval mode the frozen part is another one.",
    suggestion="set the frozen part to eval() after each model.train()",
)
def frozen_but_moving(step: Step, reading: BoundedReading) -> Iterator[Violation]:
    """All of ``model.backbone`` is frozen, and its batch norms are in train mode."""
    if not step.optimized:
        return
    alive = _with_trained_parameters(step, reading)
    counts: dict[int, int] = {}  #: norms in train mode, by the ids of the frozen parts
    parts: dict[int, Member] = {}
    for _, member in reading.each(list(step.members.values())):
        if member.training is True and is_norm(member) and id(member.module) not in alive:
            part = _highest(member, alive)
            if not any(one.member.is_in(part.module) for one in step.parameters.values()):
                continue
            parts[id(part.module)] = part
            counts[id(part.module)] = counts.get(id(part.module), 0) + 1
    for key, part in reading.each(parts.items()):
        if _sets_modes(part):
            continue
        if part.parent is None:  # a teacher or a discriminator, which may be told its mode before it is called
            continue
        name = step.members[key][0]
        yield Violation(
            (f"{name} is frozen", ": ", f"its {plural(counts[key], 'batch norm')} {_are(counts[key])} in train mode"),
            (name, "no parameter requires a gradient"),
            line=line_of_module(step, part, name),
        )


def _with_trained_parameters(step: Step, reading: BoundedReading) -> set[int]:
    """The ids of the modules in which, or below which, a parameter requires a gradient."""
    alive: set[int] = set()
    for _, member in reading.each(list(step.members.values())):
        if any(requires_grad(tensor) for _, tensor in member.parameters()):
            current: Member | None = member
            while current is not None and id(current.module) not in alive:
                alive.add(id(current.module))
                current = current.parent
    return alive


def _sets_modes(part: Member) -> bool:
    """Whether a module around the part has a ``train()`` of its own, which may tell it its mode."""
    current = part.parent
    while current is not None:
        cls = type(current.module)
        if not is_library(cls) and any(name == "train" for name, _ in methods_of(cls)):
            return True
        current = current.parent
    return False


def _highest(member: Member, alive: set[int]) -> Member:
    while member.parent is not None and id(member.parent.module) not in alive:
        member = member.parent
    return member


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
