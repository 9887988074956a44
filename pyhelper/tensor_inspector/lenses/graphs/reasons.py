"""The reasons why parameters have no gradient: as data, in words, and as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows
from ...measure.torch.modules import Member
from ...safe.record import Record
from ...words.text import joined, listed, plural
from .cuts import Cut

if TYPE_CHECKING:
    from ...protocol import NoGradientCode

WORDS: dict[NoGradientCode, str] = {
    "has_gradient": "has a gradient",
    "zero_gradient": "has a gradient, which is 0 everywhere",
    "frozen": "frozen: requires_grad is False",
    "integer": "not of floating-point numbers, so it has no gradient",
    "constant": "no parameter, and requires_grad is False: data, or made under no_grad or by what has no gradient",
    "not_leaf": "computed, no leaf: only leaves get a .grad, unless retain_grad() was called",
    "no_loss": "no loss in sight",
    "loss_without_graph": "the loss has no graph",
    "loss_is_leaf": "the loss is a new tensor: nothing leads from it to the model",
    "detached": "detached",
    "no_grad": "computed under no_grad",
    "rebuilt": "a new tensor was made of its numbers, which has no graph",
    "unused": "not used in forward",
    "not_reached": "the loss was not computed with it; the source in sight does not show why",
    "not_yet": "no backward has run yet",
    "cleared": "a backward went through it, and its gradient was cleared since, or not kept",
    "not_known": "the graph is too large to tell",
}


class Target(Record):
    """A parameter that is asked about; ``member`` is the module that has it, under ``suffix``."""

    name: str
    path: str | None
    tensor: Any
    member: Member | None
    suffix: str


class Reason:
    """One reason, and the parameters that it holds for."""

    __slots__ = ("at", "certain", "code", "location", "targets")

    def __init__(
        self, code: NoGradientCode, cut: Cut | None = None, *, at: str | None = None, certain: bool = True
    ) -> None:
        self.code = code
        self.at = at if cut is None else cut.at
        self.location = None if cut is None else cut.location
        self.certain = certain if cut is None else cut.certain
        self.targets: list[Target] = []

    def key(self) -> tuple[Any, ...]:
        return self.code, self.certain, self.at, self.location


def row_of(reason: Reason) -> Child:
    """The reason in a few words, then where, and which parameters."""
    head, _, more = text_of(reason).partition(" · ")
    name, _, rest = head.replace("; ", ": ").partition(": ") if reason.certain else (head, "", "")
    rows = [Child(target.name, target.tensor, target.path) for target in reason.targets]
    line = listed([target.name for target in reason.targets], False, 60)
    return Child(name, Rows.of(joined([rest, more, plural(len(rows), "parameter"), line]), rows, "finding"), "")


def text_of(reason: Reason) -> str:
    """The reason in words, where it is, and its line."""
    where = None if reason.location is None else f"line {reason.location[1]}"
    may = "" if reason.certain else "may be: "
    at = f"{reason.at} is the last made with it" if reason.at and reason.code == "not_reached" else reason.at
    return joined([f"{may}{WORDS[reason.code]}", at, where])
