"""What a benchmark has to measure, and how much each figure should be at most."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

#: Machines are noisy, and some are slow: a run fails where a ratio is over so many times its goal in the fastest rounds.
TOLERANCE = 5
RATIO = "×"


@dataclass(frozen=True)
class Goal:
    figure: str
    most: float
    unit: str = RATIO

    def line(self, measured: float | None, fastest: float | None) -> str:
        """As ``✗ the answer    goal ≤ 0.3×, measured 0.41×``."""
        goal = f"goal ≤ {self.most:g}{self.unit}"
        if measured is None or math.isnan(measured):
            return f"✗ {self.figure:60} {goal}, not measured"
        verdict = "✓" if measured <= self.most else "✗"
        excess = "" if self.holds(fastest) else f": over {TOLERANCE} times the goal"
        return f"{verdict} {self.figure:60} {goal}, measured {measured:.3g}{self.unit}{excess}"

    def holds(self, fastest: float | None) -> bool:
        if fastest is None or math.isnan(fastest):
            return False
        return self.unit != RATIO or fastest <= TOLERANCE * self.most


class Figures:
    """What one run has measured, of what it has to."""

    def __init__(self, goals: Iterable[Goal]) -> None:
        self._measured: dict[Goal, tuple[float | None, float | None]] = dict.fromkeys(goals, (None, None))

    def note(self, goal: Goal, measured: float, fastest: float | None = None) -> None:
        """``fastest`` is the same in the fastest rounds, those that nothing else on the machine has disturbed."""
        assert goal in self._measured, goal
        self._measured[goal] = measured, measured if fastest is None else fastest

    def compare(
        self,
        goal: Goal,
        ours: Sequence[float],
        others: Sequence[float],
        of: Callable[[Sequence[float]], float] = median,
    ) -> None:
        """Notes the ratio of the medians, or of what else stands for the rounds."""
        self.note(goal, of(ours) / of(others), min(of(ours) / of(others), min(ours) / min(others)))

    def report(self) -> int:
        """Prints each figure with its goal. The exit status: 1 where one is missing or a ratio far over its goal."""
        print("\nFigures and goals")
        for goal, (measured, fastest) in self._measured.items():
            print(f"  {goal.line(measured, fastest)}")
        return int(not all(goal.holds(fastest) for goal, (_, fastest) in self._measured.items()))
