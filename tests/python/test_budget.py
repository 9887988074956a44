"""What an answer may cost, by a clock that the tests turn themselves."""

from __future__ import annotations

import pytest

from tensor_inspector.safe.budget import Budget


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_time_is_spent_when_the_clock_says_so() -> None:
    clock = Clock()
    budget = Budget(100, clock=clock)
    assert not budget.spent()
    clock.now = 0.1001
    assert budget.spent()


def test_a_share_leaves_time_for_the_neighbours() -> None:
    clock = Clock()
    share = Budget(100, clock=clock).share()
    clock.now = 0.049
    assert not share.spent()
    clock.now = 0.051
    assert share.spent()


def test_a_share_is_shared_in_turn_and_has_the_whole_s_name() -> None:
    clock = Clock()
    share = Budget(100, clock=clock).share().share()
    clock.now = 0.026
    assert share.spent()
    assert share.ms == 100


def test_without_a_limit_nothing_is_ever_spent() -> None:
    budget = Budget()
    assert budget.share() is budget
    assert not budget.spent()
    assert budget.take(10**9, 10**12)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"nodes": 1}, "not all is shown here: more rows than one answer holds"),
        ({"bytes": 100}, "not all is shown here: more text than one answer holds"),
    ],
)
def test_what_does_not_fit_is_said_once(limits: dict[str, int], said: str) -> None:
    budget = Budget(**limits)
    assert budget.take(1, 60)
    assert not budget.take(1, 60)
    assert not budget.take(1, 60)
    assert budget.cut == [said]


def test_what_is_quick_has_half_as_much_time_again() -> None:
    clock = Clock()
    budget = Budget(100, clock=clock)
    clock.now = 0.149
    assert not budget.cut_if_overdrawn()
    clock.now = 0.151
    assert budget.cut_if_overdrawn()
    assert budget.cut == ["not all is shown here: there was no time for more"]
    assert not Budget().cut_if_overdrawn()
