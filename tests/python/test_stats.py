"""Statistics of torch tensors: what they say, of which tensors, within which budget, and that nothing is touched."""

import math
import os
import sys
from contextlib import ExitStack
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_reference import check, ticking

from tensor_inspector import facts
from tensor_inspector.measure.stats import Unread, of_tensor
from tensor_inspector.measure.stats.floats import ByteFloatKernel
from tensor_inspector.safe.budget import Budget

torch = pytest.importorskip("torch")

FLOATS = ["float64", "float32", "float16", "bfloat16"]
TINY_FLOATS = [name for name in dir(torch) if name.startswith("float8_")]
INTS = [n for n in ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64") if hasattr(torch, n)]
REAL = FLOATS + TINY_FLOATS + INTS + ["bool"]
SIGNED = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
MOST = sys.float_info.max
BIG = 2_500_003  # several blocks and an odd rest


def stats_of(t, budget=None):
    with torch.no_grad():
        return of_tensor(t, budget or Budget())


def on_device(t):
    """By the reductions for accelerators."""
    from tensor_inspector.measure.stats import device

    with torch.no_grad():
        tally = device.read(torch, t, t.numel(), Budget())
    return tally.parts(t.numel()) if t.is_complex() else tally.stats(t.numel())


def from_bits(numbers, dtype):
    """A tensor of any dtype whose memory holds these signed integers: every special value can occur."""
    width = torch.empty(0, dtype=dtype).element_size()
    half = 1 << (8 * width - 1)
    wrapped = [(n + half) % (2 * half) - half for n in numbers]
    return torch.tensor(wrapped, dtype=SIGNED[width]).view(dtype)


def python_values(t):
    if str(t.dtype)[6:] in INTS:
        mask = 0 if t.dtype.is_signed else (1 << (8 * t.element_size())) - 1
        return [v & mask if mask else v for v in t.contiguous().view(SIGNED[t.element_size()]).reshape(-1).tolist()]
    if t.dtype is torch.bool:
        return [int(v) for v in t.reshape(-1).tolist()]
    return t.to(torch.float64).reshape(-1).tolist()


def contents(t):
    storage = t.untyped_storage()
    return bytes(torch.empty(0, dtype=torch.uint8).set_(storage).tolist())


@st.composite
def tensors(draw, names=tuple(REAL)):
    """Tensors of any real dtype, bit pattern and strided layout: permuted, stepped, overlapping, expanded, offset."""
    dtype = getattr(torch, draw(st.sampled_from(names)))
    if dtype is torch.bool:
        flat = torch.tensor(draw(st.lists(st.booleans(), min_size=1, max_size=60)))
    else:
        bits = st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)]))
        special = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, 1e9]
        if draw(st.booleans()) and dtype.is_floating_point:
            values = st.one_of(st.floats(width=32), st.sampled_from(special))
            flat = torch.tensor(draw(st.lists(values, min_size=1, max_size=60))).to(dtype)
        else:
            flat = from_bits(draw(st.lists(bits, min_size=1, max_size=60)), dtype)
    shape, strides, room = [], [], len(flat) - 1
    for _ in range(draw(st.integers(0, 4))):
        stride = draw(st.integers(0, max(0, room)))
        size = draw(st.integers(1, 5 if stride == 0 else min(8, room // stride + 1)))
        shape.append(size)
        strides.append(stride)
        room -= (size - 1) * stride
    return flat.as_strided(shape, strides, draw(st.integers(0, max(0, room))))


class TestValues:
    @settings(max_examples=400)
    @given(tensors())
    def test_agree_with_rational_arithmetic_for_every_dtype_and_layout(self, t):
        check(stats_of(t), python_values(t))

    @settings(max_examples=60)
    @given(
        name=st.sampled_from(REAL),
        seed=st.integers(0, 2**31),
        centre=st.sampled_from([0.0, 1.0, -37.5, 300.0]),
        specials=st.sampled_from([0, 1, 3000]),
        layout=st.sampled_from(["whole", "stepped", "transposed"]),
    )
    def test_of_many_numbers_agree_too(self, name, seed, centre, specials, layout):
        rng = torch.Generator().manual_seed(seed)
        dtype = getattr(torch, name)
        wide = torch.randn(300, 200, generator=rng, dtype=torch.float64) * 20 + centre
        if dtype.is_floating_point:
            if specials:
                at = torch.randint(0, wide.numel(), (specials,), generator=rng)
                wide.view(-1)[at] = torch.tensor([math.nan, math.inf, -math.inf])[at % 3].double()
            t = wide.to(dtype)
        else:
            t = wide.abs().clamp(0, 255).to(torch.int32).clamp(0, 127).to(dtype)
        t = {"whole": t, "stepped": t[:, ::2], "transposed": t.t()}[layout]
        check(stats_of(t), python_values(t))

    @pytest.mark.parametrize("name", REAL)
    def test_of_nothing_are_counts_of_zero(self, name):
        s = stats_of(torch.empty(3, 0, dtype=getattr(torch, name)))
        assert (s["count"], s["min"], s["mean"], s["std"], s["exact"], s["read"]) == (0, None, None, None, True, 0)

    @pytest.mark.parametrize("name", [n for n in INTS if n.endswith("64")])
    def test_of_big_integers_are_right_to_the_last_digit(self, name):
        top = 2**64 - 1 if name == "uint64" else 2**63 - 1
        t = from_bits([top - i % 7 for i in range(40_000)], getattr(torch, name))
        check(stats_of(t), [top - i % 7 for i in range(40_000)])

    @pytest.mark.parametrize("name", ["int16", "int32", "int64"])
    def test_of_a_few_integers_far_from_zero_tell_how_little_they_vary(self, name):
        numbers = [30_000 + i % 3 for i in range(50)]
        check(stats_of(torch.tensor(numbers, dtype=getattr(torch, name))), numbers)

    def test_of_integers_over_the_whole_range_do_not_wrap_around(self):
        check(stats_of(torch.tensor([-(2**63), 2**63 - 1] * 20_000)), [-(2**63), 2**63 - 1] * 20_000)

    def test_of_bools_are_shares_of_true(self):
        s = stats_of(torch.tensor([True, True, True, False]))
        assert (s["min"], s["max"], s["mean"], s["zeros"]) == (0, 1, 0.75, 1)

    def test_of_only_nan_have_no_range(self):
        s = stats_of(torch.full((50_000,), math.nan))
        assert (s["nan"], s["min"], s["max"], s["mean"], s["std"]) == (50_000, None, None, None, None)

    @pytest.mark.parametrize("extreme", [3.4e38, 1e-38, 1e-45])
    def test_squares_neither_overflow_nor_vanish(self, extreme):
        t = torch.tensor([extreme, -extreme, extreme / 3] * 10_000)
        check(stats_of(t), t.tolist())

    @pytest.mark.parametrize("n", [2, 30_000])
    def test_float64_at_its_limits(self, n):
        t = torch.tensor([1.7e308, -1.7e308], dtype=torch.float64).repeat(n // 2)
        s = stats_of(t)
        assert (s["min"], s["max"]) == (-1.7e308, 1.7e308)
        assert s["std"] is None or s["std"] == pytest.approx(1.7e308, rel=1e-4)

    @pytest.mark.parametrize("share", [0.0, 1e-6, 0.1])
    def test_a_far_mean_cancels_nothing(self, share):
        torch.manual_seed(5)
        t = torch.randn(BIG, dtype=torch.float64) * 1e-3 + 1e9
        t[torch.rand(BIG) < share] = math.nan
        finite = t[t.isfinite()] - 1e9
        s = stats_of(t)
        assert s["std"] == pytest.approx(finite.std().item(), rel=1e-5)
        assert s["mean"] - 1e9 == pytest.approx(finite.mean().item(), abs=2e-7)

    @pytest.mark.parametrize("name", ["float64", "float32"])
    @pytest.mark.parametrize("n", [3, 1000, 40_000])
    @pytest.mark.parametrize("value", [1.0, 0.1, -1e30, 3e-30, 12345.678])
    def test_the_rounding_of_the_mean_is_no_spread(self, name, n, value):
        t = torch.full((n,), value, dtype=getattr(torch, name))
        t[1] = torch.nextafter(t[1], torch.zeros_like(t[1]))
        check(stats_of(t), t.tolist())
        check(on_device(t), t.tolist())

    @pytest.mark.parametrize(("low", "high"), [(0, 60_000), (-30_000, 30_000), (-40_000, 60_000), (0, 2**40)])
    def test_the_mean_of_sorted_integers_is_right_to_the_last_digit(self, low, high):
        t = torch.randint(low, high, (1048577,), generator=torch.Generator().manual_seed(0)).sort().values
        s = stats_of(t)
        assert (s["mean"], s["mean_error"]) == (int(t.sum()) / len(t), 0.0)
        assert s["std"] == pytest.approx(t.double().std().item(), rel=1e-5)

    def test_large_integers_that_hardly_differ_are_told_apart(self):
        values = [2**47] * 9999 + [2**47 + 1]
        check(stats_of(torch.tensor(values)), values)

    @pytest.mark.skipif("uint64" not in INTS, reason="needs torch.uint64")
    def test_unsigned_integers_about_the_middle_of_their_range(self):
        values = [2**63 + i % 7 for i in range(70_000)]
        t = from_bits(values, torch.uint64)
        check(stats_of(t), values)
        assert stats_of(t, ticking(40.0, max_elements=40_000))["mean"] == pytest.approx(2.0**63)

    @pytest.mark.parametrize("values", [[5e-324, 5e-324, 1e-323], [5e-324, 0.0, 0.0], [-5e-324, 2e-310]])
    def test_the_least_numbers_have_a_spread_and_a_bound(self, values):
        t = torch.tensor(values, dtype=torch.float64)
        for s in (stats_of(t), on_device(t)):
            check(s, values)
            assert s["std"] > 0.0
            assert s["mean_error"] > 0.0

    @pytest.mark.parametrize("values", [[MOST, MOST], [MOST, MOST / 2], [-MOST, -MOST / 3, -MOST], [MOST, -MOST]])
    def test_the_mean_of_the_largest_numbers_is_finite_and_bounded(self, values):
        t = torch.tensor(values, dtype=torch.float64)
        check(stats_of(t), values)
        check(on_device(t), values)

    def test_equal_magnitudes_do_not_bias_the_spread(self):
        t = torch.full((BIG,), 0.1)
        t[::2] = -0.1
        assert stats_of(t)["std"] == pytest.approx(float(torch.tensor(0.1)), rel=1e-5)

    def test_a_drifting_mean_is_followed(self):
        t = torch.randn(BIG) + torch.linspace(-1000, 5000, BIG)
        s = stats_of(t)
        assert s["std"] == pytest.approx(t.double().std().item(), rel=1e-5)
        assert s["mean"] == pytest.approx(t.double().mean().item(), abs=s["mean_error"])

    def test_an_outlier_hides_nothing(self):
        t = torch.randn(BIG) + 1e4
        t[7] = 1e12
        assert stats_of(t)["std"] == pytest.approx(t.double().std().item(), rel=1e-5)

    def test_a_mean_that_is_zero_is_within_its_error_of_zero(self):
        half = torch.linspace(0.1, 1.7, 1001)
        s = stats_of(torch.cat([half, -half.flip(0)]))
        assert abs(s["mean"]) <= s["mean_error"] < 1e-12

    def test_the_error_leaves_the_digits_of_a_small_mean(self):
        torch.manual_seed(0)
        assert stats_of(torch.randn(1000))["mean_error"] < 1e-10

    @pytest.mark.parametrize("name", TINY_FLOATS)
    @pytest.mark.parametrize("patterns", [range(256), range(126), range(64, 70)], ids=["all", "no NaN", "far from 0"])
    def test_every_pattern_of_a_byte_is_known(self, name, patterns):
        t = torch.tensor(list(patterns), dtype=torch.uint8).repeat(300_000 // len(patterns))[1:]
        t = t.view(getattr(torch, name))
        check(stats_of(t), python_values(t))

    @pytest.mark.parametrize("name", TINY_FLOATS)
    @pytest.mark.parametrize("n", [(1 << 18) - 1, 1 << 18, (1 << 18) + 1])
    def test_bytes_are_counted_right_in_blocks_of_any_size(self, name, n):
        t = torch.arange(256, dtype=torch.uint8).repeat(n // 256 + 1)[:n].view(getattr(torch, name))
        check(ByteFloatKernel(torch, t.dtype)(t).stats(n, 1), python_values(t))

    def test_narrow_floats_do_not_overflow(self):
        s = stats_of(torch.full((BIG,), 60_000.0, dtype=torch.float16) - torch.arange(BIG).remainder(2).half() * 32)
        assert s["mean"] == pytest.approx(59_984, abs=0.1)


class TestOneSign:
    @pytest.mark.parametrize("special", [math.nan, math.inf, -math.inf])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_what_is_not_finite_is_no_end_of_the_numbers(self, special, sign):
        t = sign * (7.0 + torch.arange(20_000) % 3)
        t[5] = special
        check(stats_of(t), t.tolist())


class TestComplex:
    def test_of_no_numbers_each_part_is_that_of_no_numbers(self):
        found = stats_of(torch.empty(0, dtype=torch.complex64))
        assert found == dict.fromkeys(("real", "imag", "abs"), stats_of(torch.empty(0)))

    @pytest.mark.parametrize("name", ["complex32", "complex64", "complex128"])
    @pytest.mark.parametrize("n", [7, 40_000])
    @pytest.mark.filterwarnings("ignore:ComplexHalf")
    def test_parts_and_magnitude_are_told_apart(self, name, n):
        dtype = getattr(torch, name)
        t = torch.complex(torch.arange(n) % 5 - 2.0, torch.arange(n) % 3 + 1.0).to(dtype)
        s = stats_of(t)
        check(s["real"], [i % 5 - 2.0 for i in range(n)])
        check(s["imag"], [i % 3 + 1.0 for i in range(n)])
        assert s["abs"]["max"] == pytest.approx(math.hypot(2, 3), rel=1e-3)

    def test_conjugates_and_negatives_are_resolved_without_copies(self):
        t = torch.complex(torch.tensor([1.0, math.inf]), torch.tensor([2.0, -math.inf]))
        s = stats_of(t.conj())
        check(s["real"], [1.0, math.inf])
        check(s["imag"], [-2.0, math.inf])
        check(stats_of(t.conj().imag), [-2.0, math.inf])

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
    @pytest.mark.parametrize("number", [complex(math.nan, math.inf), complex(-math.inf, math.nan)])
    @pytest.mark.parametrize("n", [1, 40_000])
    def test_with_nan_in_a_part_it_is_nan_whatever_the_other_is(self, dtype, number, n):
        t = torch.tensor([number, complex(1, math.inf), *([1 + 1j] * n)], dtype=dtype)
        assert [stats_of(t)["abs"][name] for name in ("nan", "pos_inf")] == [1, 1]

    @pytest.mark.parametrize("scale", [1.0, 1e19, 1e38])
    @pytest.mark.parametrize("n", [10, 40_000])
    def test_no_percentile_of_magnitudes_is_beyond_the_largest(self, scale, n):
        t = torch.randn(n, dtype=torch.complex64) * scale / 10
        found = facts(t, quantiles=[0.0, 1.0])
        assert found["quantiles"]["values"] == [found["stats"]["abs"][end] for end in ("min", "max")]

    @pytest.mark.parametrize("n", [1, 40_000])
    def test_magnitudes_beyond_float32_are_told_in_float64(self, n):
        s = stats_of(torch.tensor([3e38 + 3e38j, -3e38 - 1e38j]).repeat(n))
        assert s["abs"]["pos_inf"] == 0
        assert s["abs"]["max"] == pytest.approx(3e38 * math.sqrt(2), rel=1e-6)
        assert s["abs"]["mean"] == pytest.approx((3e38 * math.sqrt(2) + math.hypot(3e38, 1e38)) / 2, rel=1e-6)

    @pytest.mark.filterwarnings("ignore:ComplexHalf")
    def test_magnitudes_beyond_float16_are_told_too(self):
        s = stats_of(torch.tensor([6e4 + 6e4j]).to(torch.complex32))
        assert s["abs"]["max"] == pytest.approx(6e4 * math.sqrt(2), rel=1e-3)

    def test_magnitudes_beyond_float64_are_not_told_as_infinite(self):
        t = torch.tensor([1.5e308 + 1.5e308j, complex(math.inf, 0.0), 1j], dtype=torch.complex128)
        for s in (stats_of(t), on_device(t)):
            check(s["real"], [1.5e308, math.inf, 0.0])
            check(s["imag"], [1.5e308, 0.0, 1.0])
            assert (s["abs"]["min"], s["abs"]["max"], s["abs"]["mean"], s["abs"]["std"]) == (None,) * 4
            assert (s["abs"]["count"], s["abs"]["pos_inf"], s["abs"]["nan"]) == (3, 1, 0)
            assert s["abs"]["mean_error"] == 0
        infinite = stats_of(torch.tensor([complex(math.inf, 1), 1j], dtype=torch.complex128))
        assert (infinite["abs"]["pos_inf"], infinite["abs"]["max"]) == (1, 1.0)

    @pytest.mark.parametrize("n", [1, 9000])
    def test_nan_and_infinities_are_counted_by_part(self, n):
        s = stats_of(torch.tensor([complex(math.nan, math.inf), complex(-math.inf, 2), complex(3, 4)]).repeat(n))
        check(s["real"], [math.nan, -math.inf, 3.0] * n)
        check(s["imag"], [math.inf, 2.0, 4.0] * n)


class TestLayouts:
    def test_an_expanded_tensor_counts_all_it_stands_for(self):
        s = stats_of(torch.tensor([0.0, 1.0]).expand(10**6, 10**6 // 2, 2))
        assert (s["count"], s["zeros"], s["read"], s["exact"]) == (10**12, 5 * 10**11, 10**12, True)
        assert s["std"] == pytest.approx(0.5)

    @pytest.mark.parametrize("name", FLOATS + INTS + ["bool", "complex64"])
    def test_reading_changes_nothing(self, name):
        t = torch.arange(60_000).remainder(100).to(getattr(torch, name)).view(3, 200, 100)
        for view in (t, t.transpose(0, 2), t[:, 1::2], t[0, 0], t.expand(2, 3, 200, 100)):
            before, version = contents(t), t._version
            stats_of(view)
            assert contents(t) == before
            assert t._version == version

    def test_no_generator_moves(self):
        state = torch.get_rng_state()
        stats_of(torch.arange(10**6), ticking(1.0, max_elements=1000))
        assert torch.equal(torch.get_rng_state(), state)


class TestUnread:
    def test_freed_storage(self):
        t = torch.ones(1000)
        t.untyped_storage().resize_(0)
        assert stats_of(t) == Unread("freed", "storage freed")

    def test_storage_that_is_too_small(self):
        t = torch.ones(1000)
        t.untyped_storage().resize_(400)
        assert stats_of(t) == Unread("truncated", "storage too small: 400 of 4000 bytes")

    def test_meta_tensors(self):
        assert stats_of(torch.ones(3, device="meta")) == Unread("no_values", "meta tensor: no values")

    @pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
    @pytest.mark.parametrize("private", [False, True])
    def test_a_truncated_file(self, tmp_path, private):
        path = tmp_path / "values"
        path.write_bytes(b"\0" * 400_000)
        if private:  # a storage that does not know its file
            import mmap

            import numpy

            with open(path, "r+b") as file:
                t = torch.from_numpy(numpy.frombuffer(mmap.mmap(file.fileno(), 0), dtype="f4"))
        else:
            t = torch.from_file(str(path), shared=True, size=100_000)
        assert stats_of(t)["zeros"] == 100_000
        os.truncate(path, 4096)
        assert stats_of(t).code == "truncated"

    @pytest.mark.skipif(sys.platform == "win32", reason="a mapped file can't be made shorter there")
    @pytest.mark.skipif(not hasattr(torch.UntypedStorage, "filename"), reason="a storage does not tell its file")
    def test_how_much_is_left_of_a_truncated_file(self, tmp_path):
        path = tmp_path / "values"
        path.write_bytes(b"\0" * 4000)
        t = torch.from_file(str(path), shared=True, size=1000)
        os.truncate(path, 3000)  # the rest of its page can be read, and holds nothing of it
        assert stats_of(t) == Unread("truncated", "file truncated: 3000 of 4000 bytes")

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("quint8", "quint8 values are not read"),
            ("quint4x2", "quint4x2 values are not read"),
            ("bits8", "values not read: bits without a meaning"),
            ("float4_e2m1fn_x2", "values not read: two 4-bit floats a byte"),
            ("uint4", "values not read: 4-bit integers"),
        ],
    )
    def test_dtypes_that_are_no_plain_numbers(self, name, text):
        if not hasattr(torch, name):
            pytest.skip(f"no {name} in this torch")
        with torch.no_grad():
            t = torch.empty(0).to(torch.uint8).new_empty(4)
        dtype = getattr(torch, name)
        try:
            t = t.view(dtype)
        except (RuntimeError, TypeError):
            pytest.skip(f"no way to make a {name} tensor here")
        unread = stats_of(t)
        assert unread == Unread("dtype", text)


class TestBudget:
    def test_nothing_is_read_when_no_time_is_left(self):
        assert stats_of(torch.ones(100_000), ticking(40, 50.0)) == Unread("no_time", "stats skipped: 40 ms budget")

    @pytest.mark.parametrize("t", [torch.ones(1000), torch.ones(1).expand(10**12)], ids=["small", "expanded"])
    def test_few_distinct_elements_cost_no_time_worth_saving(self, t):
        assert stats_of(t, ticking(40, 50.0))["exact"]

    def test_a_sample_stands_for_what_the_time_did_not_allow(self):
        torch.manual_seed(1)
        t = torch.randn(6_000_001) + 3
        s = stats_of(t, ticking(40, 5.0))
        assert s["exact"] is False
        assert 10_000 < s["read"] < t.numel()
        assert abs(s["mean"] - t.double().mean().item()) <= s["mean_error"] < 0.05
        assert s["std"] == pytest.approx(1.0, rel=0.05)

    def test_a_sample_of_integers_speaks_for_the_rest(self):
        t = torch.cat([torch.zeros(1 << 20), torch.ones(3 << 20)]).long()
        s = stats_of(t, ticking(40, 8.0))
        assert s["exact"] is False
        assert abs(s["mean"] - 0.75) <= s["mean_error"]

    def test_busy_cores_change_the_pace_but_not_the_answer(self):
        t = torch.arange(5_000_000).remainder(1009)
        s = stats_of(t, ticking(1e9, 100.0))
        assert s["exact"] is True
        assert s["mean"] == int(t.sum()) / t.numel()

    def test_what_clearly_does_not_fit_is_sampled_early(self):
        s = stats_of(torch.zeros(20_000_000), ticking(40.0, 5.0))
        assert s["exact"] is False
        assert s["read"] < 5_000_000

    def test_an_element_limit_needs_no_clock(self):
        t = torch.arange(10**6)
        s = stats_of(t.view(1000, 1000).t()[:, ::2], ticking(40.0, max_elements=5000))
        assert s["exact"] is False
        assert 2000 < s["read"] <= 5000
        assert s["mean"] == pytest.approx(499_500, rel=0.05)

    def test_a_sample_is_as_large_as_it_may_be(self):
        s = stats_of(torch.arange(10**6), Budget(max_elements=100_000))
        assert 90_000 < s["read"] <= 100_000

    def test_one_piece_of_a_sample_is_read_whatever_the_time(self):
        s = stats_of(torch.arange(10**6), ticking(40.0, 30.0, max_elements=100_000))
        assert 0 < s["read"] <= 16_384

    def test_a_sample_is_not_fooled_by_periodic_data(self):
        t = torch.arange(8_000_000).remainder(1000).float()
        s = stats_of(t, ticking(40.0, max_elements=10_000))
        assert s["mean"] == pytest.approx(499.5, rel=0.02)

    @settings(max_examples=100)
    @given(tensors(), st.integers(1, 20))
    def test_any_sample_is_made_of_real_elements(self, t, most):
        s = stats_of(t, ticking(40.0, max_elements=most))
        values = python_values(t)
        assert s["exact"] or s["read"] < s["count"]
        assert s["min"] is None or s["min"] in values
        assert s["nan"] <= sum(v != v for v in values)


def test_integers_of_several_blocks_close_to_one_are_told_exactly():
    t = torch.ones(BIG, dtype=torch.int32)
    t[::1000] = 2
    s, share = stats_of(t), len(t[::1000]) / BIG
    assert s["mean"] == pytest.approx(1 + share, rel=1e-15)
    assert s["std"] == pytest.approx(math.sqrt(share * (1 - share)), rel=1e-6)


def test_integers_at_one_end_of_int64_and_a_single_one_at_the_other():
    t = torch.tensor([2**63 - 1] * 9 + [-(2**63)])
    check(stats_of(t), python_values(t))


class Elsewhere(torch.Tensor):
    """Stands in for a tensor of a device."""

    is_cpu = False


class TestDevice:
    @pytest.mark.parametrize("t", [torch.arange(1000.0), torch.tensor(3.0), torch.ones(1).expand(5)])
    def test_what_is_not_on_the_cpu_is_read_there(self, t):
        there, here = stats_of(t.as_subclass(Elsewhere)), stats_of(t)
        names = ("count", "min", "max", "mean", "zeros", "exact", "read")
        assert [there[name] for name in names] == [here[name] for name in names]

    """The reductions for accelerators, run where every machine can run them."""

    @settings(max_examples=150)
    @given(tensors())
    def test_agree_with_rational_arithmetic_too(self, t):
        from tensor_inspector.measure.stats import device

        with torch.no_grad():
            tally = device.read(torch, t.reshape(-1) if t.dim() == 0 else t, t.numel(), Budget())
        check(tally.stats(t.numel()), python_values(t))

    def test_what_does_not_fit_is_thinned_along_the_dimensions(self):
        from tensor_inspector.measure.stats import device

        t = torch.arange(10**6).view(10, 1000, 100)
        with torch.no_grad():
            s = device.read(torch, t, t.numel(), ticking(40.0, max_elements=5000)).stats(t.numel())
        assert s["exact"] is False
        assert 2000 < s["read"] <= 5000
        assert s["mean"] == pytest.approx(499_500, rel=0.05)

    def test_every_few_elements_begin_half_a_step_in(self):
        from tensor_inspector.measure.stats import device

        found = device.few(torch, torch.arange(101), 10, Budget()).tolist()
        assert found == list(range(5, 101, 11))

    def test_integers_are_told_apart_over_the_whole_range(self):
        s = on_device(torch.tensor([-(2**63), 0, 2**63 - 1]))
        assert s["std"] == pytest.approx(2.0**63, rel=1e-9)

    def test_what_varies_near_the_least_numbers_is_not_zero(self):
        s = on_device(torch.tensor([1e-200, 3e-200], dtype=torch.float64))
        assert s["std"] == pytest.approx(math.sqrt(2) * 1e-200, rel=1e-9, abs=0)

    @pytest.mark.parametrize(
        ("free", "idle", "has_room"), [(1 << 20, 0, False), (1 << 40, 0, True), (1 << 20, 1 << 30, True)]
    )
    def test_a_full_device_is_not_asked_for_scratch(self, free, idle, has_room):
        from tensor_inspector.measure.stats import device

        class OnCuda(torch.Tensor):
            @property
            def device(self):
                return torch.device("cuda:0")

        asked = {"mem_get_info": (free, 1 << 41), "memory_reserved": idle + 1000, "memory_allocated": 1000}
        with ExitStack() as stack:
            for name, answer in asked.items():
                stack.enter_context(patch.object(torch.cuda, name, lambda of, answer=answer: answer))
            found = device.few(torch, torch.arange(10**5).as_subclass(OnCuda), 10**5, Budget())
        assert (found == Unread("no_memory", "no memory left on cuda:0")) is not has_room

    @pytest.mark.parametrize(
        "make",
        [
            lambda x: x,
            lambda x: x[3:, ::4],
            lambda x: x.t(),
            lambda x: x[0, 0],
            lambda x: x[:, :1].expand(30, 7),
            lambda x: x.flatten().unfold(0, 5, 2),
            lambda x: torch.complex(x, -x).conj(),
            lambda x: torch.complex(x, -x)[1:, 2:].conj().imag,
        ],
    )
    def test_few_elements_of_a_device_are_brought_to_the_cpu_as_they_are(self, make):
        from tensor_inspector.measure.stats import device

        class Elsewhere(torch.Tensor):
            is_cpu = False

            def cpu(self):
                assert self.is_contiguous()  # of others the device would make a copy first
                return self.as_subclass(torch.Tensor).clone()

        there = make(torch.arange(1500.0).view(30, 50)).as_subclass(Elsewhere)
        here = device.at_hand(there)
        assert type(here) is torch.Tensor
        assert (here.is_neg(), here.is_conj()) == (there.is_neg(), there.is_conj())
        assert torch.equal(here, there.as_subclass(torch.Tensor))
        large = torch.empty((1 << 19) + 1).as_subclass(Elsewhere)
        assert device.at_hand(large) is large

    def test_magnitudes_beyond_their_own_type_are_told_too(self):
        from tensor_inspector.measure.stats import device

        with torch.no_grad():
            tally = device.read(torch, torch.tensor([3e38 + 3e38j, 1j]), 2, Budget())
        assert tally.abs.hi == pytest.approx(3e38 * math.sqrt(2), rel=1e-6)
        assert tally.abs.pos_inf == 0

    def test_a_few_elements_are_brought_to_the_cpu_for_percentiles(self):
        from tensor_inspector.measure.stats import device

        t = torch.arange(10**6).view(1000, 1000)
        assert len(device.few(torch, t, 10**6, Budget())) == 10**6
        assert 2000 < len(device.few(torch, t, 5000, Budget())) <= 5000
        assert device.few(torch, t, 5000, ticking(40, 50.0)) == Unread("no_time", "stats skipped: 40 ms budget")


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("sign", [1, -1])
def test_infinities_among_many_numbers_far_from_zero_count_for_nothing_else(name, sign):
    t = sign * torch.arange(100, 104).repeat(10_000).to(getattr(torch, name))
    t[1], t[::1000], t[500::1000] = 0.0, math.inf, -math.inf
    check(stats_of(t), python_values(t))
