"""What optimizers hold, read without running a line of the program's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tensor_inspector.measure.torch.optimizers import groups, highest_rate, inner, is_readable


def made(**options: Any) -> torch.optim.Optimizer:
    """An optimizer, with options of its only group."""
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
    optimizer.param_groups[0].update(options)
    return optimizer


@pytest.mark.parametrize(
    ("options", "number", "flag"),
    [
        ({"asked": 0.5}, 0.5, False),
        ({"asked": 2}, 2, False),
        ({"asked": True}, None, True),
        ({"asked": torch.tensor(0.5)}, None, False),
        ({"asked": "0.5"}, None, False),
        ({}, None, False),
    ],
)
def test_an_option_is_a_number_or_a_flag_only_where_it_is_a_plain_one(
    options: dict[str, Any], number: float | None, flag: bool
) -> None:
    (group,) = groups(made(**options))
    assert (group.number("asked"), group.flag("asked")) == (number, flag)


class Unread(list):
    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("the program's code ran")


@pytest.mark.parametrize("params", [Unread([torch.ones(2)]), iter([torch.ones(2)]), None])
def test_tensors_of_a_group_that_are_in_no_plain_list_are_not_asked_for(params: Any) -> None:
    (group,) = groups(made(params=params))
    assert group.tensors == []


def test_a_group_has_its_tensors_and_nothing_else_of_its_list() -> None:
    weight = torch.ones(2)
    (group,) = groups(made(params=[weight, "weight", None]))
    assert [id(tensor) for tensor in group.tensors] == [id(weight)]


class Computed(torch.optim.SGD):
    @property
    def param_groups(self) -> Any:
        raise AssertionError("a property ran")

    @param_groups.setter
    def param_groups(self, value: Any) -> None:
        pass

    def add_param_group(self, group: Any) -> None:
        pass


def test_groups_that_a_property_computes_are_not_asked_for() -> None:
    optimizer = Computed([torch.ones(2)], lr=0.1)
    assert (is_readable(optimizer), groups(optimizer)) == (False, [])


class Wrapper:
    def __init__(self, optimizer: Any) -> None:
        self.optimizer = optimizer


def test_what_wraps_an_optimizer_stands_for_it() -> None:
    optimizer = made()
    assert inner(Wrapper(optimizer)) is optimizer
    assert is_readable(Wrapper(optimizer))
    assert inner(other := Wrapper("no optimizer")) is other


@pytest.mark.parametrize(("rates", "highest"), [([0.1, 0.3], 0.3), ([0.1, torch.tensor(0.3)], None), ([], None)])
def test_the_highest_rate_is_known_where_all_are(rates: list[Any], highest: float | None) -> None:
    optimizer = made()
    optimizer.param_groups[:] = [{"params": [], "lr": rate} for rate in rates]
    assert highest_rate(optimizer) == highest
