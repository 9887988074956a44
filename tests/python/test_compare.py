"""`compare`: how two values differ, down to the element."""

from __future__ import annotations

import copy
import ctypes
import datetime as dt
import json
import re
import sys
import tracemalloc
from collections import OrderedDict, defaultdict, deque
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import partial
from math import inf, nan
from pathlib import Path, PurePosixPath
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tensor_inspector import compare, summarize, tree
from tensor_inspector.kinds.python import mappings
from tensor_inspector.lenses.compare import walk

T = torch.tensor


def texts(a: object, b: object, **options: Any) -> dict[str, str]:
    """All that is said, by place."""
    found = compare(a, b, **options)
    return {told["path"]: told["text"] for told in (*found.differences, *found.not_compared)}


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
        (T([1.0, 2.0]), T([1.0, 2.5]), {"different": 1, "count": 2, "max_abs": 0.5, "relative": 0.2, "at": [1], "a": 2.0, "b": 2.5}),
        (T([0.0, 1.0]), T([0.0, 2.0]), {"different": 1, "relative": 0.5}),
        (T([1.0, 2.0]), T([1.25, 2.5]), {"different": 2, "max_abs": 0.5, "at": [1]}),
        (T([[1.0, nan]]), T([[1.0, 5.0]]), {"different": 1, "nan_in_one": 1, "at": [0, 1], "max_abs": 0.0}),
        (T([2**60]), T([2**60 + 1]), {"different": 1, "max_abs": 1, "a": 2**60, "b": 2**60 + 1}),
        (T([inf]), T([-inf]), {"different": 1, "max_abs": inf}),
        (T([1.0]).expand(1000), T([2.0]).expand(1000), {"different": 1000, "count": 1000, "read": 1000}),
        (T(3), T(5), {"at": [], "max_abs": 2}),
        (T([True, False]), T([True, True]), {"different": 1, "at": [1]}),
        (np.array([1, 2]), T([1, 3]), {"different": 1, "max_abs": 1}),
        (np.array([1.5, 2], dtype=">f4"), np.array([1.5, 4], dtype=">f4"), {"max_abs": 2.0, "at": [1]}),
    ],
)  # fmt: skip
def test_elements_that_differ_are_counted_and_the_farthest_is_named(a: Any, b: Any, expected: dict[str, Any]) -> None:
    found = values(a, b)
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64])
def test_what_rounding_may_have_made_differ_is_close_as_torch_testing_says(dtype: torch.dtype) -> None:
    a = torch.linspace(-3, 3, 101).to(dtype)
    for factor in (1 + 1e-8, 1 + 1e-6, 1 + 3e-6, 1.0005, 1.01, 1.1):
        b = (a.to(torch.complex128) * factor).to(dtype) if dtype.is_complex else (a.double() * factor).to(dtype)
        found = compare(a, b)
        try:
            torch.testing.assert_close(a, b)
        except AssertionError:
            assert not found.close
        else:
            assert found.close or found.same


@pytest.mark.parametrize(
    ("a", "b", "close"),
    [
        (T([1.0, 2.0]), T([1.0, 2.0 + 2e-6]), True),
        (T([1.0, 2.0]), T([1.1, 2.0 + 2e-6]), False),
        (T([1.0, nan]), T([1.0 + 1e-6, 2.0]), False),
        (T([1.0, inf]), T([1.0, 3e38]), False),
        (T([2**60]), T([2**60 + 1]), False),
        (T([1.0]), T([1.0]), False),
        ({"x": T([1.0]), "y": T([2.0])}, {"x": T([1.0 + 1e-6]), "y": T([2.0 + 1e-6])}, True),
        ({"x": T([1.0]), "y": 1}, {"x": T([1.0 + 1e-6]), "y": 2}, False),
        (T([1.0]).double(), T([1.0 + 1e-6]).double(), False),
    ],
)  # fmt: skip
def test_close_is_what_differs_by_rounding_alone(a: Any, b: Any, close: bool) -> None:
    found = compare(a, b)
    assert found.close == close
    assert (", close ·" in repr(found)) == close
    assert ("all close" in repr(found)) == any(
        not one["values"]["apart"] for one in found.differences if "values" in one
    )


def test_tolerances_are_those_of_isclose() -> None:
    a, b = torch.randn(1000), torch.randn(1000)
    wanted = int((~torch.isclose(a.double(), b.double(), rtol=0.5, atol=0.1)).sum())
    assert values(a, b, rtol=0.5, atol=0.1)["different"] == wanted


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=20))
def test_integers_are_compared_to_the_last_digit(pairs: list[tuple[int, int]]) -> None:
    a, b = (T([pair[side] for pair in pairs]) for side in (0, 1))
    found = compare(a, b).differences
    assert sum(one != other for one, other in pairs) == (found[0]["values"]["different"] if found else 0)
    assert not found or found[0]["values"]["max_abs"] == max(abs(one - other) for one, other in pairs)


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


def test_of_several_that_are_equally_far_apart_the_first_is_named() -> None:
    a, b = torch.zeros(50_000), torch.zeros(50_000)
    b[[7, 99, 49_123]] = 1
    assert values(a, b)["at"] == [7]


def test_shape_dtype_and_device_are_told() -> None:
    assert texts(torch.ones(3), torch.ones(4)) == {"": "shape [3] → [4]"}
    assert texts(torch.ones(3), torch.ones(3).double()) == {"": "equal but for the dtype float32 → float64"}
    assert "meta" in str(compare(torch.ones(3), torch.ones(3, device="meta")))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (torch.ones(3, device="meta"), ["device cpu → meta"]),
        (torch.ones(4, device="meta"), ["shape [3] → [4]", "device cpu → meta"]),
        (torch.ones(3, device="meta", dtype=torch.int64), ["dtype float32 → int64", "device cpu → meta"]),
    ],
)
def test_what_is_known_of_values_that_can_not_be_read_is_compared(other: Any, said: list[str]) -> None:
    found = compare(torch.ones(3), other)
    assert [one["text"] for one in found.differences] == said
    assert [one["text"] for one in found.not_compared] == ["not compared: meta tensor: no values"]


def unnoticed(*_: Any) -> None:
    pass


def test_hooks_are_compared_in_the_order_in_which_they_were_registered() -> None:
    one = nn.Linear(2, 2)
    other = copy.deepcopy(one)
    for module in (one, other):
        module.register_forward_hook(unnoticed)
        module.register_forward_pre_hook(test_equal_values_are_the_same)
    assert list(one._forward_hooks) != list(other._forward_hooks)
    assert compare(one, other).differences == []
    other.register_forward_hook(print)
    (only,) = compare(one, other).differences
    assert only["what"] == "only in b"
    assert only["path"].startswith("._forward_hooks[")
    one.register_forward_hook(unnoticed)
    assert [found["what"] for found in compare(one, other).differences] != []


def test_lazy_modules_are_alike_as_far_as_they_are_made() -> None:
    found = compare(nn.LazyLinear(3), nn.LazyLinear(3))
    assert found.differences == []
    assert {one["text"] for one in found.not_compared} == {"not compared: not initialized"}


def test_where_nothing_differs_but_not_all_was_compared_it_says_so() -> None:
    meta = torch.ones(3, device="meta")
    assert str(compare(meta, torch.ones(3, device="meta"))).startswith("no difference found · ")
    assert str(compare(1, 1)).startswith("no difference · ")


def test_what_no_line_and_no_row_shows_is_not_compared() -> None:
    import mmap

    found = compare(mmap.mmap(-1, 10), mmap.mmap(-1, 10))
    assert {one["text"] for one in found.not_compared} == {"not compared: the bytes of its file"}
    assert not found.by_line
    assert [one["text"] for one in compare(mmap.mmap(-1, 10), mmap.mmap(-1, 20)).differences][:1] == ["bytes 10 → 20"]


@pytest.mark.skipif(not hasattr(torch, "jagged"), reason="needs torch.jagged")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_jagged_tensors_are_compared_by_their_components() -> None:
    parts = [torch.ones(2, 2), torch.zeros(3, 2)]
    one, same, other = (
        torch.nested.nested_tensor([part + more for part in parts], layout=torch.jagged) for more in (0, 0, 1)
    )
    assert compare(one, same).same
    assert "differ" in str(compare(one, other))


@pytest.mark.skipif(not hasattr(torch.nested, "narrow"), reason="needs torch.nested.narrow")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_jagged_tensors_with_gaps_are_compared_also_where_they_are_too_large_for_statistics() -> None:
    def gapped(last: int = 0) -> Any:
        whole = torch.arange(5_000_000, dtype=torch.int32).reshape(2, -1)
        whole[1, 5] += last
        return torch.nested.narrow(whole, 1, torch.tensor([0, 1]), torch.tensor([9, 8]), layout=torch.jagged)

    assert "2 components · not read: a copy would take 19.1 MiB" in summarize(gapped())
    assert compare(gapped(), gapped()).same
    assert compare(gapped(), gapped().contiguous()).same
    assert [found["text"] for found in compare(gapped(), gapped(1)).differences] == [
        "1 of 8 differ, |Δ| up to 1, 4e-5% relative: 2500005 → 2500006 at [4]"
    ]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_sparse_and_nested_tensors_are_compared_by_what_they_consist_of() -> None:
    one, other = torch.eye(3).to_sparse(), (torch.eye(3) * T([1.0, 2.0, 1.0])).to_sparse()
    assert [found["path"] for found in compare(one, other).differences] == ["._values()"]
    assert compare(one, torch.eye(3).to_sparse()).same
    ones, zeros = (torch.nested.nested_tensor([torch.ones(2), make(3)]) for make in (torch.ones, torch.zeros))
    (found,) = compare(ones, zeros).differences
    assert "3 of 3 differ" in found["text"]


def test_distributed_tensors_are_compared_by_their_shards(mesh: Any) -> None:
    from torch.distributed.tensor import DTensor, Partial, Shard

    a = DTensor.from_local(torch.ones(2, 4), mesh, [Shard(0)])
    assert compare(a, a.clone())
    assert texts(a, a + 1) == {"._local_tensor": "8 of 8 differ, |Δ| up to 1, 50% relative: 1 → 2 at [0, 0]"}
    assert compare(a, a + 1, atol=1)
    assert texts(a, torch.cat([a, a])) == {"": "shape [2, 4] → [4, 4]"}
    said = "not compared: of one only this process's shard is here"
    summed = DTensor.from_local(torch.ones(2, 4), mesh, [Partial()])
    assert [one["text"] for one in compare(summed, torch.ones(2, 4)).not_compared] == [said]
    wrapper = {"": "DTensor → Tensor"}
    assert (texts(a, torch.ones(2, 4)), compare(a, torch.ones(2, 4)).not_compared) == (wrapper, [])
    assert [one["text"] for one in compare(a, torch.zeros(2, 4)).differences][1:] == [
        "8 of 8 differ, |Δ| up to 1, 100% relative: 1 → 0 at [0, 0]"
    ]
    bare = a.clone()
    del bare._spec
    assert "only in a" in texts(a, bare)["._spec.placements"]


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
    assert texts([1], {"a": 1}) == {"": "list · 1: 1 → dict · 1: a 1"}
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


def masked(numbers: Any, mask: Any, dtype: Any = float) -> Any:
    return np.ma.array(np.array(numbers, dtype), mask=mask)


def test_masked_arrays_are_compared_where_neither_hides() -> None:
    one = masked([1, 2, 3], [0, 1, 0])
    assert compare(one, masked([1, 9, 3], [0, 1, 0])).same
    assert texts(one, masked([1, 9, 4], [0, 1, 0])) == {"": "1 of 2 differ, |Δ| up to 1, 25% relative: 3 → 4 at [2]"}
    assert texts(one, masked([7, 2, 3], [1, 1, 0])) == {"": "1 of 3 masked in one only, first at [0]"}
    assert texts(one, masked([1, 2, 4], [0, 0, 0])).keys() == {""}
    assert len(compare(one, masked([1, 2, 4], [0, 0, 0])).differences) == 2
    assert compare(one, masked([1.5, 9, 3.5], [0, 1, 0]), atol=1).same
    assert compare(masked([1], [1]), masked([2], [1])).same
    assert compare(one, np.array([1.0, 2.0, 3.0])).differences[-1]["text"] == "1 of 3 masked in one only, first at [1]"
    assert texts(one, masked([1, 2], [0, 1])) == {"": "shape [3] → [2]"}


def test_the_place_is_right_in_a_large_masked_array() -> None:
    numbers = np.zeros((3, 50_000))
    other = numbers.copy()
    other[1, 7] = other[2, 49_123] = 5
    mask = numbers == 1
    mask[1, 7] = True
    found = values(np.ma.array(numbers, mask=mask), np.ma.array(other, mask=mask))
    assert (found["at"], found["different"], found["read"]) == ([2, 49_123], 1, 149_999)


def test_masked_strings_and_records_are_compared_by_their_rows() -> None:
    one = masked(["a", "b"], [0, 1], "U1")
    assert compare(one, masked(["a", "c"], [0, 1], "U1")).same
    assert texts(one, masked(["x", "c"], [0, 1], "U1")) == {"[0]": "'a' → 'x'"}
    records = [masked([(1, value)], [(0, hide)], "i4,i4") for value, hide in ((2, 0), (2, 1), (3, 0))]
    assert texts(records[0], records[2]).keys() == {"['f1']"}
    assert "masked in one only" in str(compare(records[0], records[1]))


@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors")
def test_masked_tensors_are_compared_where_neither_hides() -> None:
    make = torch.masked.masked_tensor
    one = make(T([1.0, 2.0]), T([True, False]))
    assert compare(one, make(T([1.0, 9.0]), T([True, False]))).same
    assert texts(one, make(T([1.0, 2.0]), T([True, True]))) == {"": "1 of 2 masked in one only, first at [1]"}
    (found,) = compare(one, make(T([3.0, 2.0]), T([True, False]))).differences
    assert found["values"]["at"] == [0]


def test_nullable_columns_are_compared_where_neither_is_missing() -> None:
    pd = pytest.importorskip("pandas")
    one, other = (pd.Series([1, None, last], dtype="Int64") for last in (3, 4))
    assert compare(one, one.copy()).same
    assert texts(one, other) == {"": "1 of 2 differ, |Δ| up to 1, 25% relative: 3 → 4 at [2]"}
    assert texts(one, pd.Series([1, 2, 3], dtype="Int64")) == {"": "1 of 3 NA in one only, first at [1]"}
    assert texts(pd.Series([1], dtype="Int64"), pd.Series([1])) == {"": "equal but for the dtype Int64 → int64"}
    assert texts(pd.DataFrame({"a": one}), pd.DataFrame({"a": other})).keys() == {"['a']"}


def test_byte_order_is_told_and_values_are_compared_all_the_same() -> None:
    little, big = ("little-endian", "big-endian") if sys.byteorder == "little" else ("big-endian", "little-endian")
    foreign = ">" if sys.byteorder == "little" else "<"
    for dtype in ("f2", "f4", "i8", "u2", "c8"):
        one = np.array([1, 2], foreign + dtype)
        assert texts(one, one.astype(dtype)) == {"": f"byte order {big} → {little}"}
    whats = [found["text"] for found in compare(np.array([1, 2], foreign + "f4"), np.array([1.0, 3.0])).differences]
    assert whats[0] == f"dtype float32 → float64, byte order {big} → {little}"
    assert whats[1].startswith("1 of 2 differ")
    assert texts(np.array(["a"], foreign + "U1"), np.array(["a"])) == {"": f"byte order {big} → {little}"}
    assert compare(np.array([1], foreign + "u1"), np.array([1], "u1")).same
    hidden = masked([1, 2], [0, 1], foreign + "f4")
    assert texts(hidden, hidden.astype("f4")) == {"": f"byte order {big} → {little}"}


def test_dates_are_not_compared_by_ticks_of_unlike_length() -> None:
    seconds, days = np.array(["2020-01-01"], "M8[s]"), np.array(["2020-01-01"], "M8[D]")
    assert "dtype datetime64[s] → datetime64[D]" in str(compare(seconds, days))
    assert "not compared" in str(compare(seconds, days))
    assert not compare(np.datetime64(1, "s"), np.datetime64(1, "D")).same
    assert compare(np.datetime64(1, "s"), np.datetime64(1, "s")).same


def test_dates_that_differ_are_told_as_dates() -> None:
    a, b = (np.array(["2020-01-01", day], "M8[D]") for day in ("2021-02-03", "2021-02-04"))
    assert texts(a, b) == {"": "1 of 2 differ: 2021-02-03 → 2021-02-04 at [1]"}
    assert texts(a, np.array(["2020-01-01", "NaT"], "M8[D]")) == {"": "1 of 2 differ: 2021-02-03 → NaT at [1]"}
    pd = pytest.importorskip("pandas")
    one, other = (pd.Series(pd.to_datetime([day]).tz_localize("UTC")) for day in ("2020", "2021"))
    assert texts(one, other) == {"": "1 of 1 differ: 2020-01-01 00:00:00+00:00 → 2021-01-01 00:00:00+00:00 at [0]"}


def quantized(numbers: Any, scale: Any = 0.5, zero_point: Any = 0, dtype: Any = torch.qint8) -> torch.Tensor:
    if isinstance(scale, list):
        return torch.quantize_per_channel(T(numbers), T(scale), T(zero_point), 0, dtype)
    return torch.quantize_per_tensor(T(numbers), scale, zero_point, dtype)


@pytest.mark.filterwarnings("ignore:torch.quantize")
def test_quantized_tensors_are_compared_by_scale_and_integers() -> None:
    one = quantized([1.0, 2.0])
    assert compare(one, quantized([1.0, 2.0])).same
    assert texts(one, quantized([1.0, 3.0])) == {
        ".int_repr()": "1 of 2 differ, |Δ| up to 2, 33.3% relative: 4 → 6 at [1]"
    }
    assert compare(one, quantized([1.0, 3.0]), atol=1).same
    assert not compare(quantized([3.0]), quantized([4.0]), atol=0.9).same
    assert texts(one, quantized([1.0, 2.0], 0.25)) == {"": "scale 0.5, zero point 0 → scale 0.25, zero point 0"}
    assert len(compare(one, quantized([1.0, 3.0], 0.25, 1)).differences) == 2
    channels = quantized([[1.0], [2.0]], [0.5, 0.25], [0, 0])
    assert compare(channels, quantized([[1.0], [2.0]], [0.5, 0.25], [0, 0])).same
    assert texts(channels, quantized([[1.0], [3.0]], [0.5, 0.25], [0, 0])).keys() == {".int_repr()"}
    assert ".q_per_channel_scales()" in texts(channels, quantized([[1.0], [2.0]], [0.5, 0.5], [0, 0]))
    wide = [torch._make_per_tensor_quantized_tensor(T([2**30 + more], dtype=torch.int32), 1.0, 0) for more in (0, 1)]
    assert not compare(*wide).same


@pytest.mark.filterwarnings("ignore:torch.quantize")
def test_a_quantized_tensor_is_compared_with_a_dense_one_by_its_values() -> None:
    assert texts(quantized([1.0, 2.0]), T([1.0, 2.0])) == {"": "equal but for the dtype qint8 → float32"}
    assert compare(quantized([1.0, 2.0]), T([1.0, 2.5])).differences[1]["values"]["at"] == [1]


SPARSE = [torch.Tensor.to_sparse_coo, torch.Tensor.to_sparse_csr, torch.Tensor.to_sparse_csc]


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("form", SPARSE)
@pytest.mark.parametrize("other", [torch.Tensor.clone, *SPARSE])
def test_sparse_tensors_are_compared_with_any_others_by_place(form: Any, other: Any) -> None:
    a = torch.zeros(4, 5)
    a[0, 1], a[3, 2] = 1, 2
    b = a.clone()
    b[2, 4] = 7
    same = [found["what"] for found in compare(form(a), other(a)).differences]
    assert same == ([] if form is other else ["layout"])
    found = compare(form(a), other(b)).differences[-1]
    assert found["text"] == "1 of 20 differ, |Δ| up to 7, 100% relative: 0 → 7 at [2, 4]"
    assert compare(other(b), form(a)).differences[-1]["values"]["at"] == [2, 4]
    assert compare(form(a), other(b), atol=7).differences[-1]["what"] in ("layout", "value")


@pytest.mark.filterwarnings("ignore:Sparse")
def test_scipy_matrices_are_compared_by_place() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    a = np.zeros((3, 4))
    a[1, 2], a[0, 3] = 5, 6
    b = a.copy()
    b[2, 0] = 1
    for name in ("csr_array", "csc_array", "coo_array", "csr_matrix"):
        form = getattr(sparse, name)
        assert compare(form(a), form(a)).same
        for other in (sparse.csr_array, sparse.csc_array, sparse.coo_array, np.array, T):
            assert not any("values" in found for found in compare(form(a), other(a)).differences)
            (found,) = (found["values"] for found in compare(form(a), other(b)).differences if "values" in found)
            assert (found["at"], found["different"], found["count"]) == ([2, 0], 1, 12)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_what_a_sparse_tensor_stores_is_told_beside_its_values() -> None:
    one = torch.sparse_coo_tensor([[0, 0, 1]], [1.0, 2.0, 3.0], (4,))
    assert texts(one, torch.sparse_coo_tensor([[0, 1]], [3.0, 3.0], (4,))) == {"": "stored 3 → 2"}
    assert texts(one, T([3.0, 3.0, 0.0, 0.0])) == {"": "layout sparse_coo → strided"}
    assert texts(torch.eye(3).to_sparse(), torch.eye(4).to_sparse())[""] == "shape [3, 3] → [4, 4]"
    double = torch.eye(3).double().to_sparse()
    assert texts(torch.eye(3).to_sparse(), double) == {"._values()": "equal but for the dtype float32 → float64"}
    blocks = torch.eye(4).to_sparse_bsr((2, 2))
    assert compare(blocks, blocks.clone()).same
    assert "not compared" in str(compare(blocks, torch.eye(4)))


@pytest.mark.filterwarnings("ignore:Sparse")
def test_tolerances_are_not_for_indices() -> None:
    far = torch.zeros(1000)
    far[990] = 1
    near = far.roll(3)
    assert not compare(far.to_sparse(), near.to_sparse(), rtol=0.1).same
    one, other = (value.reshape(250, 4).to_sparse(1) for value in (far, far.roll(4)))  # with dense dimensions
    assert not compare(one, other, rtol=0.1).same


def test_tolerances_hold_for_numbers_in_containers() -> None:
    a = [1.0, 1 + 1j, np.float32(1), np.float64(1), np.longdouble(1), np.complex64(1j), {"lr": 0.1}]
    b = [1.01, 1.01 + 1j, np.float32(1.01), np.float64(1.01), np.longdouble(1.01), np.complex64(1.01j), {"lr": 0.101}]
    assert len(compare(a, b).differences) == 7
    assert compare(a, b, rtol=0.02).same
    assert compare(a, b, atol=0.02).same
    assert len(compare(a, b, rtol=0.001).differences) == 7
    assert not compare([inf], [-inf], rtol=1).same
    assert not compare([inf], [1.0], rtol=1).same
    assert not compare([nan], [1.0], rtol=1, atol=1).same
    assert compare([complex(nan, 1)], [complex(nan, 1)]).same
    assert compare([10, 10**400, 2**60], [11, 10**400 + 1, 2**60 + 1], atol=1).same
    assert compare([100], [101], rtol=0.01).same
    assert not compare([10], [12], atol=1).same
    assert not compare([10**400], [10**400 + 1], rtol=0.5).same  # beyond the floats
    assert not compare([True], [False], atol=5).same


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.complex64, np.bool_])
def test_numpy_scalars_are_compared_to_the_last_digit(kind: Any) -> None:
    assert compare([kind(1)], [kind(1)]).same
    assert not compare([kind(1)], [kind(0)]).same
    if issubclass(kind, np.inexact):
        assert compare([kind(nan)], [kind(nan)]).same
        assert not compare([kind(nan)], [kind(1)], atol=9).same
    if issubclass(kind, np.floating):
        assert not compare([kind(1)], [np.nextafter(kind(1), kind(2))]).same


def test_numbers_that_differ_are_not_printed_alike() -> None:
    assert texts(T([1.0], dtype=torch.double), T([1.0 + 2e-16], dtype=torch.double))[""].endswith(
        "1.0 → 1.0000000000000002 at [0]"
    )
    was, now = texts([np.float64(1)], [np.float64(1 + 2e-16)])["[0]"].split(" → ")
    assert was != now


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"rtol": -1}, ValueError, "rtol must be at least 0, not -1"),
        ({"atol": nan}, ValueError, "atol must be at least 0, not nan"),
        ({"atol": inf}, ValueError, "atol must be finite"),
        ({"atol": 10**400}, ValueError, "atol must be finite"),
        ({"rtol": "1"}, TypeError, "rtol must be a number, not str"),
        ({"rtol": None}, TypeError, "rtol must be a number, not NoneType"),
        ({"atol": True}, TypeError, "atol must be a number, not bool"),
        ({"budget_ms": nan}, ValueError, "budget_ms must be at least 0, not nan"),
        ({"budget_ms": -1}, ValueError, "budget_ms must be at least 0, not -1"),
        ({"budget_ms": "1"}, TypeError, "budget_ms is a number of milliseconds, as in 40"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        compare([1.0], [1.0], **options)


def test_options_may_be_numbers_of_any_sort() -> None:
    assert compare([1.0], [1.25], atol=np.float32(0.5), rtol=0, budget_ms=inf).same


def test_a_gradient_required_of_one_only_is_told() -> None:
    a, b = {"w": torch.ones(2)}, {"w": torch.ones(2, requires_grad=True)}
    assert texts(a, b) == {"['w']": "requires_grad False → True"}
    assert texts(b, a) == {"['w']": "requires_grad True → False"}
    assert compare(a, b).differences[0]["what"] == "requires_grad"
    one, other = (torch.ones(2, requires_grad=required).to_sparse() for required in (True, False))
    assert texts(one, other) == {"": "requires_grad True → False"}


@pytest.mark.parametrize("make", [str, str.encode, lambda text: bytearray(text.encode())])
def test_of_long_strings_the_first_difference_is_shown(make: Any) -> None:
    a, b = make("a" * 500 + "x" + "a" * 500), make("a" * 500 + "y" + "a" * 500)
    text = texts([a], [b])["[0]"]
    unit = "character" if make is str else "byte"
    assert text.endswith(f" from {unit} 500 on")
    was, now = text.split(" → ")
    assert was != now
    assert "x" in was
    assert "y" in now
    assert texts([a], [a + make("b")])["[0]"].endswith(f"from {unit} 1,001 on · length 1,001 → 1,002")
    assert re.fullmatch(r".*'short'.* → .*'other'\W*", texts([make("short")], [make("other")])["[0]"])


def test_keys_that_are_no_expressions_are_named_as_in_the_tree() -> None:
    class Key:
        pass

    key = Key()
    a, b = ({"x": {key: [1, {2: last}], 3.5: last, frozenset([1]): last}} for last in (3, 4))
    found = texts(a, b)
    assert found.keys() == {"['x'] › ‹Key› #0 › [1] › 2", "['x'][3.5]", "['x'] › ‹frozenset of 1› #2"}
    shown = tree(a, 2)
    assert all(name in shown for name in ("‹Key› #0", "‹frozenset of 1› #2"))


def test_keys_of_one_name_are_not_mixed_up() -> None:
    one, other = float("nan"), float("nan")
    assert texts({one: 1, other: 2}, {one: 1, other: 3}) == {"nan #1": "2 → 3"}
    assert compare({one: 1, other: 2}, {other: 2, one: 1}).same
    assert not compare({one: 1}, {other: 1}).same


def test_what_a_subclass_carries_is_compared_once() -> None:
    class Named(dict):  # type: ignore[type-arg]
        pass

    a, b = Named(x=1), Named(x=1)
    a.name, b.name = "a", "b"  # type: ignore[attr-defined]
    assert len(compare(a, b).differences) == 1


def test_what_can_not_be_asked_keeps_no_neighbour_from_being_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(kind: Any) -> Any:
        raise RuntimeError("device fault")

    monkeypatch.setattr("tensor_inspector.kinds.torch.tensor.Tensor.comparable", refuse)
    found = texts([torch.ones(2), 1], [torch.ones(2), 2])
    assert found == {"[0]": "not read: RuntimeError: device fault", "[1]": "1 → 2"}


def test_dicts_are_compared_by_key_in_any_order() -> None:
    a = {f"k{index}": index for index in range(3000)}
    b = dict(reversed(a.items()))
    assert compare(a, b).same
    b["k7"] = -7
    assert texts(a, b) == {"['k7']": "7 → -7"}


def peak_of(a: Any, b: Any) -> int:
    """The most memory that comparing takes at once."""
    compare(a[:10], b[:10])
    tracemalloc.start()
    try:
        assert compare(a, b).complete
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _advanced(generator: torch.Generator) -> torch.Generator:
    torch.rand(1, generator=generator)
    return generator


def _variable(value: object) -> ContextVar[object]:
    variable: ContextVar[object] = ContextVar("step")
    variable.set(value)
    return variable


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        pytest.param(
            OrderedDict(a=1, b=2), OrderedDict(b=2, a=1), ("", "in another order, from 'a' / 'b' on"), id="OrderedDict"
        ),
        pytest.param(deque([1], 3), deque([1], 4), ("", "maxlen 3 → 4"), id="maxlen"),
        pytest.param(Random(1), Random(2), ("", "state "), id="Random"),
        pytest.param(
            torch.Generator().manual_seed(1),
            _advanced(torch.Generator().manual_seed(1)),
            ("", "state "),
            id="Generator",
        ),
        pytest.param(_variable(1), _variable(2), (".get()", "1 → 2"), id="ContextVar"),
    ],
)
def test_what_stands_beside_the_items_is_compared(a: object, b: object, said: tuple[str, str]) -> None:
    ((path, text),) = texts(a, b).items()
    assert (path, text[: len(said[1])]) == said
    assert compare(a, a).same


@pytest.mark.parametrize(
    ("make", "path", "said"),
    [
        (lambda pd, new: pd.DataFrame({"b": [2], "a": [1]} if new else {"a": [1], "b": [2]}), "", "in another order, from 'a' / 'b' on"),
        (lambda pd, new: pd.Series([1], name="y" if new else None), "", "name None → 'y'"),
        (lambda pd, new: pd.DataFrame({"a": [1]}, pd.Index([7], name=new)), ".index", "name False → True"),
        (lambda pd, new: pd.DataFrame([[1]], columns=pd.Index(["a"], name=str(new))), "",
         "name of the columns 'False' → 'True'"),
        (lambda pd, new: pd.MultiIndex.from_tuples([(1, 2)], names=["x", "z" if new else "y"]), "",
         "name 'x', 'y' → 'x', 'z'"),
        (lambda pd, new: pd.Series(["a"], dtype=pd.CategoricalDtype(["a"], new)), "", "ordered False → True"),
        (lambda pd, new: pd.Series(["a"], dtype=pd.CategoricalDtype(["a", "c" if new else "b"])),
         "categories › values › [1]", "'b' → 'c'"),
    ],
)  # fmt: skip
def test_names_and_order_are_part_of_a_table(make: Any, path: str, said: str) -> None:
    pd = pytest.importorskip("pandas")
    assert texts(make(pd, False), make(pd, True)) == {path: said}
    assert compare(make(pd, True), make(pd, True)).same


class _Computing:
    def __init__(self, loss: float) -> None:
        self.loss = loss

    @property
    def doubled(self) -> float:
        raise AssertionError("a property was read")


def test_what_is_computed_from_the_rest_is_not_compared() -> None:
    assert compare(_Computing(1.0), _Computing(1.0)).same
    assert texts(_Computing(1.0), _Computing(2.0)) == {".loss": "1.0 → 2.0"}


def test_order_that_can_not_be_told_is_not_called_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mappings, "_ORDERED", 1)
    assert texts(OrderedDict(a=1, b=2), OrderedDict(a=1, b=2)) == {"": "not compared: the order"}


def test_a_type_is_told_once() -> None:
    assert texts(np.float32(1), np.float64(1)) == {"": "float32 1 → float64 1"}


def test_a_long_list_is_compared_to_its_end() -> None:
    a = list(range(1000, 151_000))
    b = [*range(1000, 150_999), 0]
    found = compare(a, b)
    assert (found.complete, found.compared, found.differences[0]["path"]) == (True, 150_000, "[149999]")


def test_a_long_list_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "_REMEMBERED", 100)
    assert peak_of([float(item) for item in range(20_000)], [float(item) for item in range(20_000)]) < 1_000_000
    assert peak_of([[item] for item in range(5000)], [[item] for item in range(5000)]) < 1_000_000
    cyclic: tuple[list[Any], list[Any]] = ([], [])
    for value in cyclic:
        value.extend([[item] for item in range(500)])
        value.append(value)
    assert compare(*cyclic).same


def test_of_very_many_differences_the_first_are_kept_and_the_rest_counted() -> None:
    found = compare(list(range(1, 30_001)), [0] * 30_000 + [1] * 30_000)
    assert len(found.differences) == 10_000
    assert found.more == 50_000
    assert str(found).startswith("60,000 differences")
    assert not found.same


def test_what_is_shared_is_compared_once() -> None:
    def shared(depth: int) -> list[Any]:
        value: list[Any] = [1]
        for _ in range(depth):
            value = [value, value]
        return value

    assert compare(shared(200), shared(200)).same


def test_deep_values_are_compared() -> None:
    a: list[Any] = []
    b: list[Any] = [1]
    for _ in range(2000):
        a, b = [a], [b]
    assert len(compare(a, b).differences) == 1


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


class Color(Enum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    a: int
    b: int


@dataclass(frozen=True)
class Frozen:
    a: int


class Plain:
    pass


_LONG = "a" * 450


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param("a" * 200, "a" * 100 + "b" + "a" * 99, id="long str"),
        pytest.param(b"a" * 300, b"a" * 150 + b"b" + b"a" * 149, id="long bytes"),
        pytest.param(((0, 1), "w"), ((7, 8), "w"), id="nested tuple"),
        pytest.param(frozenset([1, 2]), frozenset([1, 3]), id="frozenset"),
        pytest.param(Pair(1, 2), Pair(1, 3), id="namedtuple"),
        pytest.param(torch.Size([2, 3]), torch.Size([4, 5]), id="Size"),
        pytest.param(10**4400, 10**4400 + 1, id="long int"),
        pytest.param(np.float64(0.1), np.float64(0.10000000001), id="float64"),
        pytest.param(np.longdouble(0.1), np.nextafter(np.longdouble(0.1), np.longdouble(1)), id="longdouble"),
        pytest.param(Frozen(1), Frozen(2), id="frozen dataclass"),
        pytest.param(Path("a"), Path("b"), id="path"),
        pytest.param(torch.device("cpu"), torch.device("meta"), id="device"),
        pytest.param(Color.RED, Color.BLUE, id="enum"),
        pytest.param(str, bytes, id="classes"),
    ],
)
def test_different_keys_are_never_called_one(a: Any, b: Any) -> None:
    found = compare({a: 1}, {b: 1})
    assert [told["what"] for told in found.differences] == ["only in a", "only in b"]
    for one, other in (({a: 1, b: 2}, {b: 2, a: 1}), ({a, b}, {b, a})):
        assert compare(one, other).same


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param(lambda: [Frozen(1), Frozen(2)], id="frozen dataclasses"),
        pytest.param(lambda: [(Color.RED, 1), (Color.BLUE, 1)], id="enums in tuples"),
        pytest.param(lambda: [_LONG + "x" + _LONG, _LONG + "y" + _LONG], id="long strings"),
        pytest.param(lambda: [frozenset([0, 8]), frozenset([8, 1])], id="frozensets"),
        pytest.param(lambda: [(Frozen(1), "x"), (Frozen(2), "x")], id="dataclasses in tuples"),
    ],
)
def test_keys_in_another_order_keep_their_values(keys: Any) -> None:
    (a, b), (same_a, same_b) = keys(), keys()
    assert compare({a: 1, b: 2}, {same_b: 2, same_a: 1}).same
    assert [told["text"] for told in compare({a: 1, b: 2}, {same_b: 2, same_a: 3}).differences] == ["1 → 3"]
    assert compare({a, b}, {same_b, same_a}).same


@pytest.mark.parametrize(
    "make",
    [lambda: torch.ones(2), lambda: re.compile("a"), lambda: partial(print, 1), lambda: (torch.ones(2), 1)],
)
def test_keys_that_only_the_program_can_tell_apart_are_not_compared(make: Any) -> None:
    key, other = make(), make()
    if not isinstance(key, re.Pattern):  # which are one
        found = compare({key: 1}, {other: 1})
        assert (found.differences, found.same) == ([], False)
        said = "not compared: 1 key that only the program's own code could tell apart"
        assert [told["text"] for told in found.not_compared] == [said]
    assert compare({key: 1, "x": 2}, {"x": 2, key: 1}).same
    assert texts({key: 1}, {"x": 1}).keys() != {""}


def test_keys_that_hold_the_same_twice_are_not_mixed_up() -> None:
    first, second = Plain(), Plain()
    assert compare({first: 1, second: 2}, {second: 2, first: 1}).same
    found = compare({first: 1, second: 2}, {Plain(): 2, Plain(): 1})
    assert (found.differences, len(found.not_compared)) == ([], 1)


def test_no_code_of_the_program_runs_to_find_a_key() -> None:
    class Hostile:
        hashed = True

        def __hash__(self) -> int:
            assert Hostile.hashed
            return 1

        def __eq__(self, other: object) -> bool:
            raise AssertionError

    a, b = ({Hostile(): 1, (1, Hostile()): {Hostile()}} for _ in range(2))
    Hostile.hashed = False
    assert compare(a, b).same


@pytest.mark.parametrize(
    "make",
    [
        list, dict, set, tuple, deque, frozenset, OrderedDict, torch.Size, Plain, object, lambda: defaultdict(list),
        lambda: PurePosixPath("a/b"), lambda: dt.datetime(2020, 1, 2, tzinfo=dt.timezone.utc), lambda: dt.date(2020, 1, 2),
        lambda: dt.time(1, 2), lambda: dt.timedelta(1), lambda: Decimal("1.5"), lambda: Decimal("sNaN"),
        lambda: Fraction(1, 3), lambda: range(1000, 2000), lambda: slice(1, 2), lambda: UUID(int=1 << 70),
        lambda: np.dtype("f4"), lambda: np.dtype([("a", "i4"), ("b", "U3")]), lambda: torch.float32,
        lambda: torch.device("cpu"), lambda: torch.strided, lambda: torch.channels_last, lambda: np.datetime64("NaT", "D"),
        lambda: np.datetime64("2020-01-01"), lambda: np.array([], str), lambda: np.empty((0, 3), object),
        lambda: np.array("text"), lambda: np.void(b"abc"), lambda: np.array([b"abc"], "V3"),
        lambda: np.array([1, nan], np.longdouble),
    ],
)  # fmt: skip
def test_small_values_are_compared_whole(make: Any) -> None:
    found = compare([make()], [copy.deepcopy(make())])
    assert (found.by_line, found.same) == (0, True)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (PurePosixPath("a" * 200 + "b"), PurePosixPath("a" * 200 + "c"), "from character 200 on"),
        (dt.timedelta(1), dt.timedelta(2), "datetime.timedelta(days=1) → datetime.timedelta(days=2)"),
        (Decimal("1.5"), Decimal("2.5"), "Decimal('1.5') → Decimal('2.5')"),
        (range(3), range(4), "range(0, 3) → range(0, 4)"),
        (torch.float32, torch.float64, "torch.float32 → torch.float64"),
        (np.empty((0, 3), object), np.empty((0, 4), object), "object[0, 3]"),
        (np.array("a"), np.array("b"), "'a'"),
        (defaultdict(list), defaultdict(int), "class list → class int"),
    ],
)
def test_small_values_that_differ_are_told(a: Any, b: Any, said: str) -> None:
    (text,) = texts([a], [b]).values()
    assert said in text


def test_what_is_no_more_than_its_class_says_is_not_called_equal() -> None:
    class Day(dt.date):
        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = dt.date.__hash__

    found = compare([Day(2020, 1, 1)], [Day(2020, 1, 1)])
    assert (found.differences, found.by_line, found.same) == ([], 1, False)


def test_pandas_scalars_are_compared_whole() -> None:
    pd = pytest.importorskip("pandas")
    a = [pd.Timestamp("2020", tz="UTC"), pd.NaT, pd.Timedelta(1), pd.Period("2020"), pd.Interval(1, 2)]
    assert compare(a, copy.deepcopy(a)).same
    assert len(compare(a[:1], [pd.Timestamp("2020-01-01 00:00:00.000000001", tz="UTC")]).differences) == 1
    for make in (pd.Series, pd.Index):
        assert compare(make([], dtype=object), make([], dtype=object)).same


@pytest.mark.parametrize(
    "labels", [["a", "a"], [1.5, nan, nan], ["a" * 200 + "x", "a" * 200 + "y"], [("a", 1), ("a", 2)]]
)
def test_columns_are_found_by_their_labels(labels: list[Any]) -> None:
    pd = pytest.importorskip("pandas")
    a = pd.DataFrame([range(len(labels))], columns=labels)
    b = a.copy()
    assert compare(a, b).same
    b.iloc[0, -1] = 77
    ((path, text),) = texts(a, b).items()
    assert (path, text.endswith(f"{len(labels) - 1} → 77 at [0]")) == (f".iloc[:, {len(labels) - 1}]", True)


@pytest.mark.skipif(not torch.distributed.is_available(), reason="needs torch.distributed")
def test_placements_of_distributed_tensors_are_compared() -> None:
    placed = pytest.importorskip("torch.distributed.tensor")
    if not hasattr(placed, "Shard"):
        pytest.skip("needs torch.distributed.tensor.Shard")
    assert texts([placed.Shard(0)], [placed.Shard(1)]) == {"[0]": "Shard(dim=0) → Shard(dim=1)"}
    assert compare([placed.Shard(1), placed.Replicate()], [placed.Shard(1), placed.Replicate()]).same


def test_a_copy_of_a_training_state_is_the_same() -> None:
    model = nn.TransformerEncoderLayer(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(3, 8)).sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    for value in (model, optimizer.state_dict(), {"paths": [Path("a")], "tags": [], "dtype": torch.float16}):
        assert compare(value, copy.deepcopy(value)).same


def test_classes_of_one_name_are_told_apart() -> None:
    def make() -> Any:
        class Point:
            def __init__(self) -> None:
                self.x = 1

        return Point

    one, other = make(), make()
    assert compare(one(), one()).same
    assert texts(one(), other())[""].endswith(".<locals>.Point, another class of this name")
    other.__module__ = "geometry"
    assert texts([one()], [other()])["[0]"].endswith("→ geometry." + other.__qualname__)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ({frozenset([0, 8]), 1}, {frozenset([8, 0]), 1}, {}),
        ({"a" * 90 + "x", "a" * 90 + "y"}, {"a" * 90 + "y", "a" * 90 + "x"}, {}),
        ({"a" * 90 + "x"}, {"a" * 90 + "y"}, {"only in a", "only in b"}),
        ({1}, {1, 99}, {"only in b"}),
        ({1}, {1.0}, {"only in a", "only in b"}),
        ({1: 0}, {True: 0}, {"only in a", "only in b"}),
    ],
)
def test_keys_and_items_of_sets_are_found_by_what_they_are(a: Any, b: Any, expected: Any) -> None:
    found = compare(a, b)
    assert len(found.differences) == len(expected)
    assert {told["what"] for told in found.differences} == set(expected)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(3), np.array(["a", "b", "c"]), np.array([1, None, "x"], object), np.zeros(3, "i4,U2"),
        np.array(["2020", "2021", "2022"], "M8[Y]"), np.array([b"a", b"b", b"c"], "V1"),
    ],
)  # fmt: skip
def test_whose_memory_it_is_is_not_compared(array: Any) -> None:
    assert compare(array[:2], array[:2].copy()).same


def test_whose_memory_is_masked_is_not_compared() -> None:
    for array in (np.arange(3), np.array(["a", "b", "c"]), np.array([1, None, "x"], object)):
        assert compare(np.ma.array(array, mask=[0, 1, 0])[:2], np.ma.array(array[:2].copy(), mask=[0, 1])).same


def test_what_is_not_compared_is_no_difference() -> None:
    a, b = (torch.ones(2, device="meta") for _ in range(2))
    found = compare({"m": a, "x": 1}, {"m": b, "x": 2})
    assert [told["path"] for told in found.differences] == ["['x']"]
    assert [told["path"] for told in found.not_compared] == ["['m']"]
    assert str(found) == (
        "1 difference · 2 values compared, 1 not compared\n"
        "  ['x']  1 → 2\n"
        "  ['m']  not compared: meta tensor: no values"
    )
    found = compare(a, b)
    assert (found.differences, found.same) == ([], False)
    assert str(found).startswith("no difference found · 1 value compared, 1 not compared\n")


def test_bytes_without_a_meaning_and_long_doubles_are_compared() -> None:
    assert "at [1, 2]" in str(compare(np.array([b"abc", b"abd"], "V3"), np.array([b"abc", b"abe"], "V3")))
    assert texts(np.zeros(2, "V3"), np.zeros(2, "V4")) == {"": "dtype V3 → V4"}
    one = np.array([1, nan, inf], np.longdouble)
    other = one.copy()
    other[0] = np.nextafter(other[0], np.longdouble(2))
    assert values(one, other)["at"] == [0]
    assert compare(one, other, atol=1e-9).same
    assert compare(np.ma.array(one, mask=[1, 0, 0]), np.ma.array(other, mask=[1, 0, 0])).same
    assert compare(one.astype(np.clongdouble), one.astype(np.clongdouble)).same


def test_whether_a_buffer_is_saved_is_compared() -> None:
    a, b = nn.Module(), nn.Module()
    for module, saved in ((a, True), (b, False)):
        module.register_buffer("mean", torch.ones(1), persistent=saved)
    assert texts(a, b) == {"": "buffers that are not saved none → 'mean'"}
    assert compare(b, copy.deepcopy(b)).same


def test_hooks_of_tensors_are_compared() -> None:
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    b.register_hook(lambda grad: grad)
    assert texts(a, b).keys() == {"._backward_hooks"}


def record(**options: Any) -> Any:
    return np.zeros(2, np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], **options}))


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (record(offsets=[0, 4]), record(offsets=[4, 0]), "offsets (0, 4) → (4, 0)"),
        (record(), record(titles=["x", "y"]), "titles (None, None) → ('x', 'y')"),
        (record(), record(itemsize=12), "bytes of a record 8 → 12"),
        (np.zeros(2, np.dtype("i4,i4", align=True)), np.zeros(2, "i4,i4"), "aligned True → False"),
        (np.zeros(2, "i4,i4")[["f1", "f0"]].copy(), np.zeros(2, "i4,i4"), "fields ('f1', 'f0') → ('f0', 'f1')"),
    ],
)
def test_how_records_lie_in_memory_is_compared(a: Any, b: Any, said: str) -> None:
    (found,) = compare(a, b).differences
    assert found["what"] == "dtype"
    assert said in found["text"]
    assert compare(a, a.copy()).same
    assert not compare([a.dtype], [b.dtype]).same


def test_the_order_of_nested_tuples_as_keys_is_known() -> None:
    a = OrderedDict({((1, 2), (3, ("x",))): 1, ((1, 2), ()): 2})
    assert compare(a, copy.deepcopy(a)).same
    b = OrderedDict(reversed(a.items()))
    assert "another order" in texts(a, b)[""]


@pytest.mark.parametrize(
    ("a", "b", "atol", "expected"),
    [
        ([2**60, 2**60 + 1], [0, 0], 0, (2, 2**60 + 1, [1])),
        ([2**60, 2**60 + 1], [0, 0], 2.0**60, (1, 2**60 + 1, [1])),
        ([-(2**63), 5], [2**63 - 1, 5], 2.0**63, (1, 2**64 - 1, [0])),
        ([2**62, -(2**62), 7], [0, 2**62, 0], 0, (3, 2**63, [1])),
    ],
)
def test_the_farthest_integers_are_found_to_the_last_digit(a: Any, b: Any, atol: float, expected: Any) -> None:
    found = values(T(a), T(b), atol=atol)
    assert (found["different"], found["max_abs"], found["at"]) == expected


@pytest.mark.parametrize(
    ("a", "b", "relative"),
    [(0, -(2**63), 1.0), (-(2**63), 2**63 - 1, 2.0), (3, 1, 2 / 3)],
)
def test_relative_differences_of_integers_hold_beyond_int64(a: int, b: int, relative: float) -> None:
    assert values(T([a]), T([b]))["relative"] == relative


@pytest.mark.parametrize(("rtol", "same"), [(1.5, False), (2.5, True)])
def test_so_do_their_tolerances(rtol: float, same: bool) -> None:
    assert compare(T([-(2**63)]), T([2**63 - 1]), rtol=rtol).same is same


def test_a_tolerance_may_be_wider_than_all_integers() -> None:
    assert compare(T([-(2**63), 0]), T([2**63 - 1, 1]), atol=1e300).same


def test_long_doubles_are_compared_without_a_warning() -> None:
    found = values(np.array([inf, nan, 1], np.longdouble), np.array([inf, 1, 3], np.longdouble))
    assert (found["different"], found["nan_in_one"], found["max_abs"]) == (2, 1, 2.0)


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="longdouble is float64 here")
def test_what_only_long_doubles_tell_apart_differs_on_either_side() -> None:
    one = np.ones(1, np.longdouble)
    more = np.nextafter(one, np.longdouble(2))
    assert values(one, more)["different"] == values(more, one)["different"] == 1


def test_truth_values_differ_by_a_whole_one() -> None:
    found = values(T([True, False]), T([True, True]))
    assert (found["different"], repr(found["max_abs"]), found["at"]) == (1, "1", [1])


def test_unsigned_integers_are_compared_to_the_last_digit() -> None:
    a, b = np.array([2**64 - 2, 2**64 - 1], "u8"), np.zeros(2, "u8")
    assert (values(a, b)["max_abs"], values(a, b)["at"]) == (2**64 - 1, [1])
    mixed = compare(np.array([2**64 - 1], "u8"), np.array([-1], "i8")).differences[-1]["values"]
    assert (mixed["different"], mixed["max_abs"]) == (1, 2**64)
    assert values(np.array([[3, 2**64 - 1]], "u8"), np.array([[3, 2**64 - 2]], "u8"))["max_abs"] == 1


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_change_of_what_is_stored_is_counted_once() -> None:
    a, b = T([1.0, 0.0, 0.0]), T([1.0, 0.0, 2.0])
    assert len(compare(a.to_sparse(), b.to_sparse()).differences) == 1


def test_the_answer_is_true_where_both_are_the_same() -> None:
    assert compare([1], [1])
    assert not compare([1], [2])
    assert not compare(torch.ones(1, device="meta"), torch.ones(1, device="meta"))


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (T([5]), T([-5]), "5 → −5"),
        (T([-1.0], dtype=torch.double), T([-1.0 - 3e-16], dtype=torch.double), "−1.0 → −1.0000000000000002"),
        (10**50 + 1, 10**50, "by −1"),
    ],
)
def test_minus_signs_are_real(a: Any, b: Any, said: str) -> None:
    assert said in texts(a, b)[""]


def test_pages_of_a_long_list_that_are_equal_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    a = [*range(5000), "x", 1.5, True]
    b = [*a[:4321], -1, *a[4322:]]
    found = compare(a, b)
    assert (found.compared, len(found.differences)) == (5003, 1)
    assert not compare([1, 1], [1, True]).same
    assert not compare([nan, 1], [2, 1]).same
    assert compare(tuple(a), tuple(a)).same


_ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.floats(allow_nan=False), st.text(max_size=1), st.fractions(),
    st.dates(), st.decimals(allow_nan=False), st.sampled_from(["a" * 150 + "x" + "a" * 150, "a" * 150 + "y" + "a" * 150]),
)  # fmt: skip
_KEYS = st.recursive(_ATOMS, lambda of: st.one_of(st.tuples(of, of), st.frozensets(of, max_size=3)), max_leaves=4)
_VALUES = st.recursive(
    st.one_of(_ATOMS, st.sets(_KEYS, max_size=3)),
    lambda of: st.one_of(st.lists(of, max_size=3), st.dictionaries(_KEYS, of, max_size=3)),
    max_leaves=6,
)


@given(_VALUES, _VALUES)
def test_what_is_called_the_same_is_equal(a: Any, b: Any) -> None:
    assert compare(a, copy.deepcopy(a)).same
    assert a == b or not compare(a, b).same


@given(st.dictionaries(_KEYS, st.integers(), max_size=5), st.randoms(use_true_random=False))
def test_a_dict_in_any_order_is_the_same(a: dict[Any, Any], random: Random) -> None:
    pairs = list(copy.deepcopy(a).items())
    random.shuffle(pairs)
    assert compare(a, dict(pairs)).same


def test_an_attribute_that_is_called_as_our_row_of_properties_is_compared() -> None:
    a, b = Plain(), Plain()
    for value, number in ((a, 1), (b, 2)):
        vars(value)["class properties"] = number
    assert not compare(a, b)


BIG = 2**53


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize(
    ("whole", "real", "far"),
    [
        (BIG + 1, float(BIG), 1), (-BIG - 1, -float(BIG), 1), (2**63 - 1, 2.0**63, 1), (2**62 + 1, 2.0**62, 1),
        (-(2**63), -(2.0**63), 0), (BIG, float(BIG), 0), (2**40 + 1, 2.0**40 + 1, 0), (2**63 - 513, 2.0**63 - 1024, 511),
    ],
)  # fmt: skip
def test_an_integer_is_compared_with_a_float_to_the_last_digit(whole: int, real: float, far: int, library: str) -> None:
    a, b = (
        (T([7, whole]), T([7.0, real], dtype=torch.float64))
        if library == "torch"
        else (np.array([7, whole]), np.array([7.0, real]))
    )
    for found in (compare(a, b), compare(b, a)):
        told = [one["values"] for one in found.differences if "values" in one]
        assert [(one["different"], one["max_abs"], one["at"]) for one in told] == ([(1, far, [1])] if far else [])
        assert ("equal but for the dtype" in str(found)) is not far
    assert compare(a, b, atol=far).total == 1  # the dtype


@pytest.mark.parametrize(
    ("other", "pair"),
    [
        (T([1 + 0j, 5 + 2j]), "2 → (5+2j)"),
        (T([1.0, 1e300], dtype=torch.float64), "2 → 1e300"),
        (T([1.0, -(2.0**62)], dtype=torch.float64), "2 → −4611686018427387904"),
        (T([1.0, float("inf")]), "2 → Inf"),
        (T([1.0, 2.5]), "2 → 2.5"),
    ],
)
def test_an_integer_beside_another_number_is_printed_with_it(other: torch.Tensor, pair: str) -> None:
    assert f": {pair} at [1]" in str(compare(T([1, 2]), other))


def test_unsigned_integers_are_compared_with_floats_to_the_last_digit() -> None:
    a = np.array([2**64 - 1, 2**63, 5], dtype=np.uint64)
    (_, found) = compare(a, a.astype(float)).differences
    assert (found["values"]["different"], found["values"]["at"], found["values"]["max_abs"]) == (1, [0], 1)


def stub_of() -> None: ...


def scaled(factor: Any, shift: Any = 0) -> Any:
    def function(x: Any, by: Any = factor) -> Any:
        return x * by + shift

    return function


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (lambda x: x, lambda x: x, {}),
        (scaled(1), scaled(1), {}),
        (scaled(1), scaled(2), {".__defaults__[0]": "1 → 2"}),
        (scaled(1, T([1.0])), scaled(1, T([1.0])), {}),
        (scaled(1, 3), scaled(1, 4), {".__closure__[0].cell_contents": "3 → 4"}),
        (partial(scaled(1), 1), partial(scaled(3), 1), {".func.__defaults__[0]": "1 → 3"}),
    ],
)  # fmt: skip
def test_functions_are_compared_by_code_defaults_and_what_they_close_over(a: Any, b: Any, said: dict[str, str]) -> None:
    found = compare(a, b)
    assert {one["path"]: one["text"] for one in found.differences} == said
    assert found.same is not bool(said)


def test_of_functions_with_other_code_it_is_told_where_each_stands() -> None:
    a, b = (lambda x: x + 1), (lambda x: x + 2)
    line = test_of_functions_with_other_code_it_is_told_where_each_stands.__code__.co_firstlineno + 1
    place = f"code <lambda>(x) · test_compare.py:{line}"
    assert texts(a, b) == {".__code__": f"{place} → {place}, other code"}
    assert texts(scaled, stub_of)[".__code__"].startswith("code scaled(factor, shift) · test_compare.py:")


def guarded_all(first: Any, second: Any) -> Any:
    try:
        first()
        second()
    except ValueError:
        return 1


def guarded_last(first: Any, second: Any) -> Any:
    first()
    try:
        second()
    except ValueError:
        return 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (guarded_all, guarded_last),
        (lambda x: x * 0.0, lambda x: x * -0.0),
        (lambda x: x in (0.0, 1), lambda x: x in (-0.0, 1)),
        (lambda x: x + 1, lambda x: x + 1.0),
    ],
    ids=["what a try holds", "the sign of a zero", "in a tuple", "integer or float"],
)
def test_functions_that_differ_in_little_differ(a: Any, b: Any) -> None:
    assert not compare(a, b).same


def test_methods_are_compared_by_function_and_object() -> None:
    one, other = nn.Linear(2, 2), nn.Linear(2, 2)
    assert compare(one.forward, copy.deepcopy(one).forward).same
    assert ".__self__.weight" in texts(one.forward, other.forward)


def test_two_classes_of_one_name_differ() -> None:
    def made() -> type:
        class Own: ...

        return Own

    (found,) = compare(made(), made()).differences
    assert found["text"].endswith(", another class of this name")


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (
            torch.tensor([2**53 + 1]),
            torch.tensor([2.0**53], dtype=torch.float64),
            "9007199254740993 → 9007199254740992 at [0]",
        ),
        (np.array([16777217]), np.array([16777216.0], np.float32), "16777217 → 16777216 at [0]"),
        (torch.tensor([3]), torch.tensor([2.5]), "3 → 2.5 at [0]"),
        (torch.tensor([-3]), torch.tensor([float("inf")]), "−3 → Inf at [0]"),
        (torch.tensor(3), torch.tensor(2), "3 → 2"),
    ],
)
def test_an_integer_beside_a_float_is_told_with_all_its_digits(a: Any, b: Any, said: str) -> None:
    assert compare(a, b).differences[-1]["text"].endswith(f": {said}")


@given(st.lists(st.tuples(st.floats(-9, 9, width=32), st.floats(-9, 9, width=32)), min_size=1, max_size=9))
def test_pair_place_and_share_are_of_one_element(pairs: list[tuple[float, float]]) -> None:
    a, b = (T([pair[side] for pair in pairs], dtype=torch.float64) for side in (0, 1))
    for found in compare(a, b).differences:
        (at,), was, now = found["values"]["at"], found["values"]["a"], found["values"]["b"]
        assert (was, now) == pairs[at]
        assert found["values"]["max_abs"] == abs(was - now)
        assert found["values"]["relative"] == abs(was - now) / max(abs(was), abs(now))


def test_the_share_in_the_text_is_that_of_the_pair_beside_it() -> None:
    assert texts(T([-0.552821, 0.001]), T([-0.544823, -0.001])) == {
        "": "2 of 2 differ, |Δ| up to 0.007998, 1.45% relative: −0.552821 → −0.544823 at [0]"
    }
    assert texts(T([0.0, inf]), T([1.0, 0.0])) == {"": "2 of 2 differ, |Δ| up to Inf: Inf → 0 at [1]"}


def test_rows_are_sorted_by_the_share_that_they_show() -> None:
    near, far = T([10.0, 1e-3]), T([1.0, 1.0])
    found = compare({"near": near, "far": far}, {"near": T([10.9, -1e-3]), "far": T([1.2, 1.0])}).differences
    shown = [one["text"].split(", ")[-1].partition(" relative")[0] for one in found]
    assert [(one["path"], share) for one, share in zip(found, shown)] == [("['far']", "16.7%"), ("['near']", "8.26%")]


@pytest.mark.parametrize(
    ("a", "b", "paths"),
    [
        ({"lr": 1, "w": nan}, {"lr": 2, "w": 1.0}, ["['w']", "['lr']"]),
        ({"lr": 1, "w": complex(0, nan)}, {"lr": 2, "w": 1j}, ["['w']", "['lr']"]),
        ({"lr": 1, "w": np.float32(nan)}, {"lr": 2, "w": np.float32(1)}, ["['w']", "['lr']"]),
        ({"epoch": 1, "w": T([1.0])}, {"epoch": 2, "w": T([nan])}, ["['w']", "['epoch']"]),
        ({"epoch": 1, "w": T([1.0])}, {"epoch": 2, "w": T([2.0])}, ["['epoch']", "['w']"]),
        ({"w": nan, "x": T([1.0])}, {"w": 1.0, "x": T([1.0, 2.0])}, ["['x']", "['w']"]),
    ],
)
def test_nan_in_one_comes_right_after_what_can_not_be_loaded(a: Any, b: Any, paths: list[str]) -> None:
    assert [found["path"] for found in compare(a, b).differences] == paths


def test_a_comparison_is_plain_data_too() -> None:
    pairs = {"i": (1, 2), "z": (T([1j]), T([2j])), "w": (T([1.0]), T([nan])), "t": (torch.eye(2), torch.ones(3))}
    found = compare(*({name: pair[side] for name, pair in pairs.items()} for side in (0, 1)))
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [one["text"] for one in read["differences"]] == [one["text"] for one in found.differences]
    assert (read["same"], read["compared"], read["differences"][-1]["values"]["a"]) == (False, found.compared, "1j")


def test_long_doubles_are_texts_in_the_data() -> None:
    a, b = (np.array([1, last], np.longdouble) for last in (2, 3))
    found = json.loads(json.dumps(compare(a, b).to_dict()))
    assert found["differences"][0]["values"]["at"] == [1]


def test_a_difference_of_type_is_told_once() -> None:
    tensor = pytest.importorskip("torch.distributed.tensor")
    found = compare(tensor.Shard(0), tensor.Replicate())
    assert [one["text"] for one in found.differences].count("Shard → Replicate") == 1


class Agreeable(type):
    """A metaclass that says that its classes are equal to all others."""

    def __eq__(cls, other: object) -> bool:
        return True

    __hash__ = type.__hash__


class OfAgreeable(metaclass=Agreeable):
    def __init__(self, rate: float) -> None:
        self.rate = rate


def test_no_metaclass_is_asked_what_a_value_is() -> None:
    assert compare(OfAgreeable(0.1), OfAgreeable(0.1)).same
    assert texts(OfAgreeable(0.1), OfAgreeable(0.2)) == {".rate": "0.1 → 0.2"}


class Library:
    """What stands behind an address, as bindings of C libraries are written."""

    def __init__(self, address: int) -> None:
        self.handle = ctypes.c_void_p(address)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (Library(16), Library(32), {".handle": "not compared: what its handle leads to"}),
        (Library(16), Library(16), {}),
        (Library(16), Library(0), {".handle.value": "→ 0x10 → NULL"}),
        ([ctypes.c_void_p(16)], [ctypes.c_void_p(32)], {"[0].value": "→ 0x10 → → 0x20"}),
    ],
)  # fmt: skip
def test_of_an_object_with_a_handle_what_that_leads_to_is_not_compared(a: Any, b: Any, said: dict[str, str]) -> None:
    assert texts(a, b) == said
    assert compare(a, b).same is not bool(said)
