"""Percentiles, histograms, and where the first NaN and infinity are: of tensors and arrays, against plain arithmetic."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_reference import ticking

from tensor_inspector.budget import Budget
from tensor_inspector.stats import Unread
from tensor_inspector.stats.distribution import distribution
from tensor_inspector.stats.first import First, first_special

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

from test_stats import python_values, tensors  # noqa: E402
from test_stats_numpy import arrays  # noqa: E402

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=5).map(lambda some: [0.0, *some, 0.5, 1.0])


def spread(value, quantiles=(), bins=0, budget=None):
    with torch.no_grad():
        return distribution(value, budget or Budget(), quantiles, bins)


def finite(values):
    return sorted(v for v in values if not isinstance(v, float) or math.isfinite(v))


def check_quantiles(found, values):
    """Every quantile lies where linear interpolation between exact numbers puts it."""
    ordered = finite(values)
    assert found["exact"] is True
    assert found["read"] == len(values)
    for share, value in zip(found["at"], found["values"]):
        if not ordered:
            assert value is None
            continue
        place = share * (len(ordered) - 1)
        low, part = ordered[int(place)], Fraction(place - int(place))
        high = ordered[min(int(place) + 1, len(ordered) - 1)]
        want = Fraction(low) + part * (Fraction(high) - Fraction(low))
        if part == 0:
            assert value == low
            assert type(value) is type(low)
        elif isinstance(low, int):
            assert abs(Fraction(value) - want) <= abs(want) / 2**52
        else:
            rounding = max(abs(Fraction(low)), abs(Fraction(high))) / 2**51
            assert abs(Fraction(value) - want) <= rounding + Fraction(5e-324)


def check_histogram(found, values, bins):
    """The bins hold what their own edges say, are equally wide, and reach from the least number to the greatest."""
    ordered, edges, counts = finite(values), found["edges"], found["counts"]
    if not ordered:
        assert (edges, counts) == ([], [])
        return
    assert edges == sorted(edges)
    assert 1 <= len(counts) <= bins
    assert len(edges) == len(counts) + 1
    whole = isinstance(ordered[0], int)
    assert edges[0] == ordered[0]
    assert edges[-1] == ordered[-1] or (whole and edges[-1] > ordered[-1])
    for i, count in enumerate(counts):
        last = i == len(counts) - 1
        assert count == sum(1 for v in ordered if edges[i] <= v and (v < edges[i + 1] or last)), i
    widths = {Fraction(b) - Fraction(a) for a, b in zip(edges, edges[1:])}
    largest = max(abs(Fraction(edge)) for edge in edges)
    assert max(widths) - min(widths) <= (0 if whole else largest / 2**50 + Fraction(1e-323))


class TestQuantiles:
    @settings(max_examples=300, deadline=None)
    @given(tensors(), SHARES)
    def test_of_tensors_of_every_dtype_and_layout(self, t, shares):
        check_quantiles(spread(t, shares)["quantiles"], python_values(t))

    @settings(max_examples=300, deadline=None)
    @given(arrays(), SHARES)
    def test_of_arrays_of_every_dtype_and_layout(self, a, shares):
        values = [int(v) if a.dtype.kind == "b" else v for v in a.reshape(-1).tolist()]
        check_quantiles(spread(a, shares)["quantiles"], values)

    @pytest.mark.parametrize("name", ["float64", "float32", "bfloat16", "float16", "int64", "int16", "uint8"])
    def test_of_many_numbers_agree_with_sorting(self, name):
        torch.manual_seed(3)
        t = (torch.randn(300, 700, dtype=torch.float64) * 50).clamp(0 if name == "uint8" else -300, 255)
        t = t.to(getattr(torch, name)).t()
        check_quantiles(spread(t, [0, 0.01, 0.1, 0.5, 0.75, 0.999, 1])["quantiles"], python_values(t))

    def test_of_big_integers_are_right_to_the_last_digit(self):
        top = 2**63 - 1
        t = torch.tensor([top, top - 1, top - 3, -top - 1, 0])
        assert spread(t, [0, 0.25, 0.5, 0.75, 1])["quantiles"]["values"] == [-top - 1, 0, top - 3, top - 1, top]
        assert spread(t.numpy().astype("u8"), [0.25])["quantiles"]["values"] == [top - 3]

    def test_between_the_ends_of_float64_do_not_overflow(self):
        t = torch.tensor([-1.7e308, 1.7e308], dtype=torch.float64)
        assert spread(t, [0.5])["quantiles"]["values"] == [0.0]

    def test_of_an_expanded_tensor_count_what_it_stands_for(self):
        found = spread(torch.tensor([1.0, 2.0]).expand(10**11, 2), [0.25, 0.75], 2)
        assert found["quantiles"]["values"] == [1.0, 2.0]
        assert found["histogram"]["counts"] == [10**11, 10**11]
        assert found["histogram"]["read"] == 2 * 10**11

    def test_of_complex_numbers_are_those_of_their_magnitudes(self):
        for t in (torch.tensor([3 + 4j, 0, 1j]), torch.tensor([3 + 4j, 0, 1j]).conj(), np.array([3 + 4j, 0, 1j])):
            assert spread(t, [0, 0.5, 1])["quantiles"]["values"] == [0.0, 1.0, 5.0]

    def test_of_a_negated_view_are_those_of_its_own_numbers(self):
        t = torch.complex(torch.zeros(3), torch.tensor([1.0, 2.0, 5.0])).conj().imag
        assert t.is_neg()
        assert spread(t, [0, 0.5, 1])["quantiles"]["values"] == [-5.0, -2.0, -1.0]

    @pytest.mark.parametrize("shares", [[-0.1], [1.5], [math.nan]])
    def test_outside_of_0_to_1_are_refused(self, shares):
        with pytest.raises(ValueError, match="between 0 and 1"):
            spread(torch.ones(3), shares)


class TestHistogram:
    @settings(max_examples=300, deadline=None)
    @given(tensors(), st.integers(1, 40))
    def test_of_tensors_of_every_dtype_and_layout(self, t, bins):
        check_histogram(spread(t, bins=bins)["histogram"], python_values(t), bins)

    @settings(max_examples=300, deadline=None)
    @given(arrays(), st.integers(1, 40))
    def test_of_arrays_of_every_dtype_and_layout(self, a, bins):
        values = [int(v) if a.dtype.kind == "b" else v for v in a.reshape(-1).tolist()]
        check_histogram(spread(a, bins=bins)["histogram"], values, bins)

    def test_of_many_numbers_is_what_numpy_counts(self):
        a = np.random.default_rng(1).normal(0, 1, (500, 600))
        counts, edges = np.histogram(a, 32)
        found = spread(a, bins=32)["histogram"]
        assert found["counts"] == counts.tolist()
        assert found["edges"] == pytest.approx(edges.tolist())

    def test_bins_of_integers_hold_whole_numbers(self):
        assert spread(torch.arange(10), bins=16)["histogram"]["edges"] == list(range(11))
        assert spread(torch.arange(256).byte(), bins=16)["histogram"]["edges"] == list(range(0, 257, 16))

    def test_of_one_number_is_one_bin(self):
        found = spread(torch.full((5,), 0.5), bins=8)["histogram"]
        assert (found["edges"], found["counts"]) == ([0.5, 0.5], [5])


class TestBudget:
    def test_a_sample_is_marked_and_close(self):
        t = torch.arange(1000.0).repeat(4000).view(2000, 2000).t()
        found = spread(t, [0.25, 0.5], 4, ticking(80, 1.0))
        assert found["quantiles"]["exact"] is found["histogram"]["exact"] is False
        assert 10_000 < found["quantiles"]["read"] == found["histogram"]["read"] <= 131_072
        assert found["quantiles"]["values"] == pytest.approx([250, 500], abs=10)
        assert sum(found["histogram"]["counts"]) == found["histogram"]["read"]

    def test_what_fits_the_time_is_exact(self):
        assert spread(torch.arange(1_000_000), [0.5], 0, ticking(80, 0.001))["quantiles"]["exact"]

    def test_an_element_limit_needs_no_clock(self):
        found = spread(np.arange(10**6), [0.5], 0, Budget(max_elements=5000))
        assert found["quantiles"]["read"] <= 5000

    def test_nothing_is_read_when_no_time_is_left(self):
        assert spread(torch.arange(5), [0.5], 0, ticking(80, 100.0)) == Unread("skipped: 80 ms budget")

    def test_freed_memory_is_not_read(self):
        t = torch.ones(100)
        t.untyped_storage().resize_(0)
        assert spread(t, [0.5]) == Unread("storage freed")


def first_by_hand(values, shape, test):
    for place, value in enumerate(values):
        if test(value):
            return [int(i) for i in np.unravel_index(place, shape)] if shape else []
    return None


class TestFirst:
    @settings(max_examples=300, deadline=None)
    @given(tensors())
    def test_special_values_are_found_in_the_order_of_indices_of_tensors(self, t):
        self.check(t, python_values(t))

    @settings(max_examples=300, deadline=None)
    @given(arrays())
    def test_and_of_arrays(self, a):
        self.check(a, a.reshape(-1).tolist())

    def check(self, value, values):
        with torch.no_grad():
            found = first_special(value, Budget())
        assert found.nan == first_by_hand(values, tuple(value.shape), lambda v: v != v)
        assert found.inf == first_by_hand(values, tuple(value.shape), lambda v: v in (math.inf, -math.inf))

    @pytest.mark.parametrize("name", ["float64", "float32", "float16", "bfloat16", "float8_e5m2", "complex64"])
    def test_late_ones_in_large_tensors(self, name):
        if not hasattr(torch, name):
            pytest.skip(f"needs torch.{name}")
        t = torch.zeros(700, 900).to(getattr(torch, name))
        t[611, 7], t[650, 0], t[3, 5] = math.nan, math.nan, math.inf
        for view, nan, inf in (
            (t, [611, 7], [3, 5]),
            (t.t(), [0, 650], [5, 3]),
            (t[1::2, 1:], [305, 6], [1, 4]),
            (t.expand(4, 700, 900), [0, 611, 7], [0, 3, 5]),
        ):
            assert first_special(view, Budget()) == First(nan, inf)

    def test_a_complex_number_is_one_if_a_part_is(self):
        values = [1, complex(0, math.nan), complex(math.inf, 1)]
        for value in (torch.tensor(values), torch.tensor(values).conj(), np.array(values)):
            assert first_special(value, Budget()) == First([1], [2])

    def test_a_negated_view_is_read_where_it_lies(self):
        t = torch.tensor([1, complex(0, math.inf)]).conj().imag
        assert first_special(t, Budget()) == First(None, [1])

    def test_the_element_of_no_dimensions_has_no_index(self):
        assert first_special(torch.tensor(math.nan), Budget()) == First([], None)
        assert first_special(np.array(math.inf), Budget()) == First(None, [])

    def test_only_what_is_wanted_is_looked_for(self):
        t = torch.tensor([1.0, math.inf, math.nan])
        assert first_special(t, Budget(), inf=False) == First([2], None)

    def test_what_is_not_found_in_time_is_not_told(self):
        t = torch.zeros(10**6)
        t[-1] = math.nan
        assert first_special(t, ticking(40, 7.0)) == First(None, None)

    def test_a_device_would_say_the_same(self):
        from tensor_inspector.stats import device

        t = torch.zeros(3, 40)
        t[1, 3], t[2, 1] = math.nan, -math.inf
        assert device.first_places(torch, t, Budget()) == (43, 81)
        assert device.first_places(torch, t, ticking(0.0)) == (None, None)
