"""`Detector`: looks at the step in sight for one kind of fact, and says how rare such a fact is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..findings.finding import Violation
from ..findings.rule import finding
from ..step.step import Step
from .reading import BoundedReading

if TYPE_CHECKING:
    from ...protocol import Finding

    Looking = Callable[[Step, BoundedReading], Iterator[Violation]]


class Detector:
    """``one_in`` ranks what it sees: such a fact holds in one of so many healthy programs, ``because`` of which reason.

    The numbers are estimates, in steps of about three: 10, 30, 100 …
    """

    __slots__ = ("because", "id", "look", "one_in", "suggestion", "why")

    def __init__(self, id: str, look: Looking, one_in: int, because: str, why: str, suggestion: str) -> None:
        self.id = id
        self.look = look
        self.one_in = one_in
        self.because = because
        self.why = why
        self.suggestion = suggestion


def detector(one_in: int, *, because: str, why: str, suggestion: str) -> Callable[[Looking], Detector]:
    """A decorator that makes a `Detector` of a function; its id is the function's name."""
    return lambda look: Detector(look.__name__.replace("_", "-"), look, one_in, because, why, suggestion)


def observation(detector: Detector, seen: Violation) -> Finding:
    """What a detector has seen, as a finding that claims nothing."""
    made = finding(detector.id, "hint", detector.why, detector.suggestion, seen)
    made["tier"] = "look"
    return made
