"""What a function of one number returns is computed from its source as running it would, or not at all."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pytest
import torch

from tensor_inspector.lenses.flow.constants.numbers import NotComputed, function_of_number
from tensor_inspector.lenses.flow.interpret import Allowance
from tensor_inspector.lenses.step.parsed import lambda_of

TOTAL = 12


class Plan:
    def __init__(self, last: int) -> None:
        self.last = last

    def share(self, k: int) -> float:
        """The share of the rate that is left."""
        left = self.last - k
        if left > 3:
            return 1
        if left <= 0 or not left:
            return 0
        return left / self.last

    def __call__(self, k: int) -> float:
        return min(1.0, k / self.last) * (0.5 if k >= 3 else 1)


def warmed_up(k: int, *, first: int, last: int = 9) -> float:
    if k < first:
        return float(k) / float(max(1, first))
    return max(0.0, 0.5 * (1.0 + math.cos(math.pi * (k - first) / (last - first))))


def closed_over(power: float) -> Any:
    return lambda k: (1 - k / TOTAL) ** power if k < TOTAL else -float(0)


def by_a_loop(k: int) -> float:
    total = 0.0
    for part in range(k):
        total += part
    return total


def by_another(k: int) -> float:
    return by_a_loop(k) + part_of(k, last=5)


def part_of(k: int, first: int = 1, *, last: int) -> float:
    return (k - first) / last


MILESTONES, FACTORS = [3, 6, 11], (1.0, 0.5, 0.1)


def by_milestones(k: int) -> float:
    """Leaves a loop early, and goes on with it."""
    left = 1.0
    for milestone in MILESTONES:
        if milestone == 6:
            continue
        if k < milestone:
            break
        left *= 0.1
    else:
        left = 0
    return left


def by_halving(k: int) -> float:
    left: float = 1
    while k > 4:
        k -= 2
        left /= 2
    return left


def forever(k: int) -> float:
    while k >= 0:
        k += 1
    return k


def by_itself(k: int) -> float:
    return by_itself(k + 1)


def by_branches(k: int) -> float:
    return k if k > 8 else max(by_branches(k + 1), by_branches(k + 1), by_branches(k + 1), by_branches(k + 1))


def by_a_handler(k: int) -> float:
    try:
        return 1 / k
    except ZeroDivisionError:
        return 0


def without_an_end(k: int) -> Any:
    for step in range(k):
        k = step


def one_by_one(k: int) -> Any:
    yield k


@pytest.mark.parametrize(
    "function",
    [Plan(7).share, Plan(7), partial(warmed_up, first=3), partial(Plan.share, Plan(5)), closed_over(0.9), lambda k, b=2: k // b % 3,
     by_a_loop, by_another, by_milestones, by_halving, lambda k: 0.1 ** sum(k >= m for m in MILESTONES),
     lambda k: FACTORS[min(k // 6, len(FACTORS) - 1)],
     lambda k: 1.0 if 2 <= k < 9 else 0],
    ids=["method", "object", "partial", "partial of a method", "closure", "default", "loop", "another function", "milestones", "while",
         "comprehension", "item", "chain"],
)  # fmt: skip
def test_a_function_of_a_number_is_computed_as_it_is_written(function: Any) -> None:
    computed = function_of_number(function)
    assert computed is not None
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    plan = torch.optim.lr_scheduler.LambdaLR(optimizer, function)
    for k in range(20):
        assert computed(k) == plan.get_last_lr()[0]
        optimizer.step()
        plan.step()


NOT_COMPUTED = [
    forever,
    by_itself,
    by_branches,
    by_a_handler,
    without_an_end,
    lambda k: FACTORS[k],
    lambda k: FACTORS[k / 2],
    lambda k: sum(range(10**9)),
    lambda k: part_of(k),
    lambda k: 1 / (k - k),
    lambda k: 10.0**1000 * k,
    lambda k: "0" and k,
]


@pytest.mark.parametrize("function", NOT_COMPUTED)
def test_what_does_more_than_arithmetic_is_not_known(function: Any) -> None:
    computed = function_of_number(function)
    assert computed is not None
    with pytest.raises(NotComputed):
        computed(3)


def in_a_row(k: int) -> float:
    one = 1 - k / TOTAL
    two = one * 1.0
    three = two * 1.0
    four = three * 1.0
    five = four * 1.0
    six = five * 1.0
    seven = six * 1.0
    eight = seven * 1.0
    return max(0.0, eight)


def test_a_schedule_is_computed_for_a_thousand_steps() -> None:
    """One that takes thousands of statements for one step too."""
    computed, looped = function_of_number(in_a_row), function_of_number(by_a_loop)
    assert computed is not None
    assert looped is not None
    assert [computed(k) for k in range(3000)] == [in_a_row(k) for k in range(3000)]
    assert [looped(k) for k in range(1500, 1530)] == [by_a_loop(k) for k in range(1500, 1530)]


def test_all_numbers_together_take_no_more_than_they_may() -> None:
    computed = function_of_number(in_a_row, Allowance(100))
    assert computed is not None
    assert computed(3) == in_a_row(3)
    with pytest.raises(NotComputed):
        [computed(k) for k in range(100)]


def test_the_source_of_a_lambda_is_searched_once() -> None:
    power = closed_over(0.9)
    assert lambda_of(power.__code__) is not None
    assert lambda_of(power.__code__) is lambda_of(closed_over(2.0).__code__)


TWO_IN_A_LINE = (lambda k: k, lambda k: -k)


@pytest.mark.parametrize("function", [math.sqrt, "text", None, TWO_IN_A_LINE[0], lambda: 0, one_by_one])
def test_what_has_no_source_of_its_own_is_not_known(function: Any) -> None:
    assert function_of_number(function) is None
