"""The lens `compare`: how two values differ, in slices of time, as a tree of differences with the values below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..kinds import Child, Rows
from ..safe.budget import Budget
from ..words.text import plural
from .compare import amount
from .compare_atoms import Tolerance
from .compare_pair import MISSING, Noted
from .compare_walk import PairWalk
from .comparison import Comparison
from .lens import Lens, Paused

if TYPE_CHECKING:
    from ..protocol import CompareFound, Found


def lens(values: Mapping[str, Child], options: Mapping[str, Any], budget: Budget, paused: Paused | None) -> Lens:
    tolerance = Tolerance(*(amount(name, options.get(name, 0.0)) for name in ("rtol", "atol")))
    return _Compare(values["a"], values["b"], budget, tolerance)


class _Compare(Lens):
    def __init__(self, a: Child, b: Child, budget: Budget, tolerance: Tolerance) -> None:
        super().__init__(budget)
        self._sides = (a, b)
        self._found = Comparison()
        self._noted: list[Noted] = []
        self._walk = PairWalk(a.value, b.value, self._found, budget, tolerance, in_slices=True, noted=self._noted)

    def go_on(self) -> bool:
        return self._walk.go_on()

    def progress(self) -> float:
        return self._walk.progress()

    def found(self) -> Found:
        found = self._found
        answer: CompareFound = {
            "lens": "compare",
            "same": found.same,
            "close": found.close,
            "differences": found.total,
            "compared": found.compared,
            "by_line": found.by_line,
            "not_compared": len(found.not_compared),
            "complete": found.complete,
        }
        return answer

    def row(self) -> Child:
        found, noted, sides = self._found, self._noted, self._sides
        close = "close · " if found.close else ""
        outcome = (
            close + plural(found.total, "difference")
            if found.total
            else "equal"
            if found.same
            else "no difference found"
        )
        rows = Rows(
            f"{outcome} · {found.how_far()}",
            len(noted),
            lambda start, count: _rows(noted[start : start + count], sides),
            "comparison",
            ["differs"] if found.total and not found.close else [],
        )
        return Child(_names(sides), rows, "")


def _names(sides: tuple[Child, Child]) -> str:
    return " ↔ ".join(side.name for side in sides)


def _rows(noted: list[Noted], sides: tuple[Child, Child]) -> Iterator[Child]:
    for one in noted:
        below = [_side(one, side, value) for side, value in zip(sides, (one.a, one.b)) if value is not MISSING]
        yield Child(one.location.shown() or _names(sides), Rows.of(one.text, below, "difference"), "")


def _side(noted: Noted, side: Child, value: object) -> Child:
    """The value on one side, by the expression that reaches it there."""
    path = noted.location.path
    reached = None if path is None or side.suffix is None else side.suffix + path
    return Child(reached or f"{side.name} › {noted.location.shown()}".rstrip(" ›"), value, reached)
