"""Expressions of the rows in the debugger's own views."""

from __future__ import annotations

import pytest

from tensor_inspector.presentation import _reached


@pytest.mark.parametrize(
    ("parent", "suffix", "expected"),
    [
        ("x", "[0]", "x[0]"),
        ("x.grad", ".shape", "x.grad.shape"),
        ("a + b", "[0]", "(a + b)[0]"),
        ("x", "", "(x,)[0]"),
        ("(x,)[0]", "", "(x,)[0]"),
        ("(x,)[0]", "[1]", "x[1]"),
        ("(a + b,)[0]", "[1]", "(a + b)[1]"),
        ("(a,)[0] + (b,)[0]", "[1]", "((a,)[0] + (b,)[0])[1]"),
    ],
)
def test_a_child_is_reached_from_its_parent(parent: str, suffix: str, expected: str) -> None:
    assert _reached(suffix, parent) == expected
