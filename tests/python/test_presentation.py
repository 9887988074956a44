"""Expressions of the rows in the debugger's own views."""

from __future__ import annotations

import pytest
import torch

from tensor_inspector.presentation import Children, Row, _reached


@pytest.mark.parametrize(
    ("parent", "suffix", "expected"),
    [
        ("x", "[0]", "x[0]"),
        ("x.grad", ".shape", "x.grad.shape"),
        ("a + b", "[0]", "(a + b)[0]"),
    ],
)
def test_a_child_is_reached_from_its_parent(parent: str, suffix: str, expected: str) -> None:
    assert _reached(suffix, parent) == expected


def test_a_group_has_no_expression_and_what_is_in_it_is_reached_from_what_it_is_part_of() -> None:
    inner = _reached("", "a + b")
    assert inner is not None
    group = _reached("", inner)
    assert group is not None
    assert group == ""
    assert _reached("[1]", group) == "(a + b)[1]"


def test_no_part_of_a_copy_has_an_expression_by_which_it_could_be_set() -> None:
    column = _reached("['a']", "frame", copied=True)
    assert column == "frame['a']"
    assert column is not None
    group = _reached("", column)
    assert group is not None
    assert _reached(".iloc[0]", group) is None
    assert group, "the debugger gives no expressions to what is below a row without one"


def test_clients_that_ask_by_name_get_the_same_rows() -> None:
    value = torch.arange(3.0)
    rows = Children().get_contents_debug_adapter_protocol(value)
    assert [name for name, _, _ in rows] == ["values", "stats"]
    assert Children().get_dictionary(value).keys() == {"values", "stats"}
    assert isinstance(Children().resolve(value, "values"), Row)
