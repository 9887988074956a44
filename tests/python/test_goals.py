"""The goals of the benchmarks."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from goals import Figures, Goal

ANSWER = Goal("the answer", 0.3)


@pytest.mark.parametrize(
    ("measured", "line", "status"),
    [
        (0.21, "✓ the answer    goal ≤ 0.3×, measured 0.21×", 0),
        (0.41, "✗ the answer    goal ≤ 0.3×, measured 0.41×", 0),
        (1.5, "✗ the answer    goal ≤ 0.3×, measured 1.5×", 0),
        (1.6, "✗ the answer    goal ≤ 0.3×, measured 1.6×: over 5 times the goal", 1),
        (math.nan, "✗ the answer    goal ≤ 0.3×, not measured", 1),
        (None, "✗ the answer    goal ≤ 0.3×, not measured", 1),
    ],
)
def test_a_run_says_what_it_measured_beside_its_goal_and_fails_where_that_is_missing_or_far_over_it(
    measured: float | None, line: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = Figures([ANSWER])
    if measured is not None:
        figures.note(ANSWER, measured)
    assert figures.report() == status
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.split() == line.split()


def test_a_time_may_be_any_number_of_times_its_goal_on_a_slow_machine() -> None:
    step = Goal("a step", 1, " ms")
    figures = Figures([step])
    figures.note(step, 100)
    assert figures.report() == 0


def test_figures_are_compared_by_their_medians() -> None:
    figures = Figures([ANSWER])
    figures.compare(ANSWER, [1, 2, 90], [20, 10, 1])
    assert figures.report() == 0


def test_rounds_that_something_else_has_slowed_down_fail_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    figures = Figures([ANSWER])
    figures.compare(ANSWER, [2, 90, 95], [10, 10, 11])
    assert figures.report() == 0
    assert "measured 9×" in capsys.readouterr().out


def test_a_run_fails_where_its_fastest_rounds_are_far_over_the_goal() -> None:
    figures = Figures([ANSWER])
    figures.compare(ANSWER, [18, 19, 20], [10, 10, 11])
    assert figures.report() == 1


def test_a_run_measures_no_figure_that_it_has_not_declared() -> None:
    with pytest.raises(AssertionError):
        Figures([]).note(ANSWER, 1)
