"""Statistics of many tensors at once are those that each has alone."""

import math
import mmap
import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_reference import check

from tensor_inspector.measure.stats import of_tensor
from tensor_inspector.measure.stats.together import of_alike
from tensor_inspector.safe.budget import Budget

torch = pytest.importorskip("torch")
NAMES = ["float64", "float32", "float16", "bfloat16", "int64", "bool"]
ODD = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 3e38, 1e-45, 1e9]


def read(tensors, budget=None):
    with torch.no_grad():
        return of_alike(tensors, budget or Budget())


@settings(max_examples=200)
@given(
    name=st.sampled_from(NAMES),
    count=st.integers(1, 12),
    values=st.lists(st.one_of(st.floats(width=32), st.sampled_from(ODD)), min_size=1, max_size=12),
    centre=st.sampled_from([0.0, 1.0, 1e6]),
)
def test_agree_with_rational_arithmetic(name, count, values, centre):
    dtype = getattr(torch, name)
    wanted = torch.tensor(values, dtype=torch.float64) + centre
    wanted = wanted if dtype.is_floating_point else wanted.nan_to_num().clamp(-9, 9)
    tensors = [wanted.roll(at).mul(-1 if at % 2 else 1).to(dtype) for at in range(count)]
    for at, stats in read(tensors).items():
        check(stats, tensors[at].double().tolist())


def test_small_ones_of_one_shape_are_read_at_once():
    assert set(read([torch.randn(1000) for _ in range(100)])) == set(range(100))
    assert read([torch.randn(10 + at) for at in range(100)]) == {}
    assert read([torch.randn(5000) for _ in range(100)]) == {}
    assert read([torch.ones(9, dtype=torch.float64) for _ in range(100)]) == {}


def test_a_row_that_needs_more_is_left_to_be_read_alone():
    far, mixed = torch.full((300,), 1e6), torch.ones(300)
    far[0], mixed[7] = 1e6 + 1, math.nan
    found = read(
        [torch.randn(300), far, mixed, torch.full((300,), -3.5), torch.zeros(300), torch.full((300,), math.inf)]
    )
    assert set(found) == {0, 3, 4}
    check(found[3], [-3.5] * 300)
    check(found[4], [0.0] * 300)


def test_each_shape_and_layout_is_read_as_it_is():
    base = torch.arange(24.0).view(4, 6) / 7
    tensors = [base, base.t(), base[:, ::2], base.view(6, 4), base[0].expand(4, 6), base[1, 1]] * 5
    found = read(tensors)
    assert len(found) == len(tensors)
    for at, stats in found.items():
        check(stats, tensors[at].double().reshape(-1).tolist())


def test_what_can_not_be_read_at_once_hides_nothing():
    tensors = [torch.ones(8) for _ in range(9)]
    tensors[4].untyped_storage().resize_(0)
    tensors[6] = torch._neg_view(tensors[6])
    assert set(read(tensors)) == {0, 1, 2, 3, 5, 7, 8}


@pytest.mark.parametrize("budget", [Budget(reads=False), Budget(max_elements=10)], ids=["nothing", "ten"])
def test_what_a_budget_restricts_is_left_to_be_read_alone(budget):
    assert read([torch.randn(100) for _ in range(9)], budget) == {}


def test_memory_of_the_program_is_not_written_to():
    tensors = [torch.randn(50, dtype=torch.float64) for _ in range(9)] + [torch.randn(50) for _ in range(9)]
    before = [t.clone() for t in tensors]
    read(tensors)
    assert all(map(torch.equal, before, tensors))
    assert {t._version for t in tensors} == {0}


def test_empty_ones_are_left_to_be_read_alone():
    assert set(read([torch.randn(4) for _ in range(4)] + [torch.empty(0) for _ in range(8)])) == set(range(4))


def test_those_in_memory_of_numpy_and_in_shared_memory_are_read_at_once():
    numpy = pytest.importorskip("numpy")
    tensors = [torch.from_numpy(numpy.full(300, at + 0.5, dtype="f4")) for at in range(9)]
    tensors += [torch.full((300,), at + 9.5).share_memory_() for at in range(9)]
    assert {at: stats["min"] for at, stats in read(tensors).items()} == {at: at + 0.5 for at in range(18)}


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("is_named", [False, True])
def test_one_over_a_truncated_file_is_not_read_among_others(tmp_path, is_named):
    numpy, path = pytest.importorskip("numpy"), tmp_path / "values"
    path.write_bytes(b"\0" * 40_000)
    if is_named:
        whole = torch.from_file(str(path), shared=True, size=10_000)
    else:
        with open(path, "r+b") as file:
            whole = torch.from_numpy(numpy.frombuffer(mmap.mmap(file.fileno(), 0), dtype="f4"))
    tensors = [torch.from_numpy(numpy.ones(500, dtype="f4")) for _ in range(9)] + list(whole.split(500))
    os.truncate(path, 4096)
    assert set(read(tensors)) == {*range(9), 9, 10}
    assert of_tensor(tensors[-1], Budget()).code == "truncated"
