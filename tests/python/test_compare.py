"""`compare`: how two values differ, down to the element."""

from __future__ import annotations

import copy
from math import inf, nan
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from tensor_inspector import compare

T = torch.tensor


def texts(a: object, b: object, **options: Any) -> dict[str, str]:
    return {found["path"]: found["text"] for found in compare(a, b, **options).differences}


def values(a: object, b: object, **options: Any) -> dict[str, Any]:
    (found,) = compare(a, b, **options).differences
    assert found["what"] == "values", found
    return found["values"]  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (T([1.0, nan, inf, -inf, -0.0]), T([1.0, nan, inf, -inf, 0.0])),
        (T([2**60 + 1]), T([2**60 + 1])),
        (torch.empty(0, 3), torch.empty(0, 3)),
        (torch.ones(5, 4).t(), torch.ones(4, 5)),
        (T([1 + 2j]).conj(), T([1 - 2j])),
        (np.arange(6).reshape(2, 3)[:, ::-1], np.array([[2, 1, 0], [5, 4, 3]])),
        ({"a": [1, (2.5, None)]}, {"a": [1, (2.5, None)]}),
        ({1, 2, "x"}, {"x", 2, 1}),
        (nan, nan),
        (nn.Linear(2, 2).requires_grad_(False).half().eval(), None),
    ],
)  # fmt: skip
def test_equal_values_are_the_same(a: Any, b: Any) -> None:
    found = compare(a, copy.deepcopy(a) if b is None else b)
    assert found.differences == []
    assert found.same


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (T([1.0, 2.0]), T([1.0, 2.5]), {"different": 1, "count": 2, "max_abs": 0.5, "max_rel": 0.2, "at": [1], "a": 2.0, "b": 2.5}),
        (T([[1.0, nan]]), T([[1.0, 5.0]]), {"different": 1, "nan_in_one": 1, "at": [0, 1], "max_abs": 0.0}),
        (T([2**60]), T([2**60 + 1]), {"different": 1, "max_abs": 1, "a": 2**60, "b": 2**60 + 1}),
        (T([inf]), T([-inf]), {"different": 1, "max_abs": inf}),
        (T(3), T(5), {"at": [], "max_abs": 2}),
        (T([True, False]), T([True, True]), {"different": 1, "at": [1]}),
        (np.array([1, 2]), T([1, 3]), {"different": 1, "max_abs": 1}),
        (np.array([1.5, 2], dtype=">f4"), np.array([1.5, 4], dtype=">f4"), {"max_abs": 2.0, "at": [1]}),
    ],
)  # fmt: skip
def test_elements_that_differ_are_counted_and_the_farthest_is_named(a: Any, b: Any, expected: dict[str, Any]) -> None:
    found = values(a, b)
    assert {name: found[name] for name in expected} == expected


def test_tolerances_are_those_of_isclose() -> None:
    a, b = torch.randn(1000), torch.randn(1000)
    wanted = int((~torch.isclose(a.double(), b.double(), rtol=0.5, atol=0.1)).sum())
    assert values(a, b, rtol=0.5, atol=0.1)["different"] == wanted


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=20))
def test_integers_are_compared_to_the_last_digit(pairs: list[tuple[int, int]]) -> None:
    a, b = (T([pair[side] for pair in pairs]) for side in (0, 1))
    found = compare(a, b).differences
    assert sum(one != other for one, other in pairs) == (found[0]["values"]["different"] if found else 0)


@settings(deadline=None)
@given(st.integers(1, 70), st.integers(1, 70), st.integers(0, 69), st.integers(0, 69))
def test_the_place_is_right_in_any_layout(rows: int, columns: int, row: int, column: int) -> None:
    row, column = row % rows, column % columns
    a = torch.zeros(columns, rows).t()
    b = torch.zeros(rows, 20, columns)[:, 7]
    b[row, column] = 1
    assert values(a, b)["at"] == [row, column]


def test_the_place_is_right_beyond_the_first_block() -> None:
    a, b = torch.zeros(3, 50_000), torch.zeros(3, 50_000)
    b[2, 49_123] = -4
    assert values(a, b)["at"] == [2, 49_123]


def test_shape_dtype_and_device_are_told() -> None:
    assert texts(torch.ones(3), torch.ones(4)) == {"": "shape [3] → [4]"}
    assert texts(torch.ones(3), torch.ones(3).double()) == {"": "dtype float32 → float64"}
    assert "meta" in str(compare(torch.ones(3), torch.ones(3, device="meta")))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_sparse_and_nested_tensors_are_compared_by_what_they_consist_of() -> None:
    one, other = torch.eye(3).to_sparse(), (torch.eye(3) * T([1.0, 2.0, 1.0])).to_sparse()
    assert [found["path"] for found in compare(one, other).differences] == ["._values()"]
    assert compare(one, torch.eye(3).to_sparse()).same
    ones, zeros = (torch.nested.nested_tensor([torch.ones(2), make(3)]) for make in (torch.ones, torch.zeros))
    (found,) = compare(ones, zeros).differences
    assert "3 of 3 differ" in found["text"]


def test_a_model_is_compared_by_its_parts() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
    other = copy.deepcopy(model)
    other[0].weight.data[1, 2] += 1
    other[0].bias.grad = torch.ones(3)
    other.eval()
    found = texts(model, other)
    assert found[".training"] == "True → False"
    assert found["[0].weight"].endswith("at [1, 2]")
    assert found["[0].bias.grad"].startswith("only in b: float32[3]")
    assert set(found) == {".training", "[0].training", "[1].training", "[0].weight", "[0].bias.grad"}


def test_what_only_one_has_is_told() -> None:
    assert texts({"a": 1, "b": 2}, {"b": 2, "c": 3}) == {"['a']": "only in a: 1", "['c']": "only in b: 3"}
    assert texts({1}, {2}) == {"‹1›": "only in a: 1", "‹2›": "only in b: 2"}


def test_types_that_differ_are_told() -> None:
    assert texts([1], {"a": 1}) == {"": "list · 1: 1 → dict · 1: a"}
    assert texts([1], (1,)) == {"": "list → tuple"}


def test_cycles_end() -> None:
    a: list[Any] = [1]
    b: list[Any] = [1]
    a.append(a)
    b.append(b)
    assert compare(a, b).same


def test_what_can_not_be_read_is_not_called_equal() -> None:
    freed = torch.ones(3)
    freed.untyped_storage().resize_(0)
    found = compare(freed, torch.ones(3))
    assert not found.same
    assert "storage freed" in str(found)


def test_a_masked_array_is_not_called_equal() -> None:
    assert not compare(np.ma.array([1, 2], mask=[0, 1]), np.ma.array([5, 2], mask=[0, 1])).same


def test_strings_and_objects_in_arrays_are_compared_one_by_one() -> None:
    assert texts(np.array(["a", "b"]), np.array(["a", "c"])) == {"[1]": "'b' → 'c'"}
    assert texts(np.array([1, None], object), np.array([1, 2.5], object)) == {"[1]": "None → 2.5"}


def test_no_code_of_the_program_runs() -> None:
    class Hostile:
        def __init__(self) -> None:
            self.value = 1

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = None  # type: ignore[assignment]

    assert compare(Hostile(), Hostile()).same


def test_the_end_of_the_time_is_said() -> None:
    found = compare([torch.ones(10)] * 5, [torch.zeros(10)] * 5, budget_ms=0)
    assert not found.same
    assert "not all" in str(found)


def test_neither_value_is_changed() -> None:
    a, b = torch.randn(5, requires_grad=True), torch.randn(5)
    before = a.detach().clone(), b.clone()
    compare(a, b)
    assert torch.equal(a, before[0])
    assert torch.equal(b, before[1])
    assert a._version == 0
    assert a.grad_fn is None
