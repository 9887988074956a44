"""Percentiles, histograms, and where the first NaN and infinity are: of tensors and arrays, against plain arithmetic."""

import math
import warnings
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from stats_reference import ticking

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import as_kind
from tensor_inspector.measure.stats import Unread
from tensor_inspector.measure.stats.distribution import distribution
from tensor_inspector.measure.stats.first import first_special
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")

from test_stats import Elsewhere, python_values, tensors  # noqa: E402
from test_stats_numpy import arrays  # noqa: E402
from zoo.tensors import jag, nest  # noqa: E402

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
    @settings(max_examples=300)
    @given(tensors(), SHARES)
    def test_of_tensors_of_every_dtype_and_layout(self, t, shares):
        check_quantiles(spread(t, shares)["quantiles"], python_values(t))

    @settings(max_examples=300)
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
        assert spread(t, [0.875])["quantiles"]["values"] == [float(top)]
        assert spread(t[1:3], [0.5])["quantiles"]["values"] == [top - 2]

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
        with pytest.raises(ValueError, match=r"^quantiles lie between 0 and 1$"):
            spread(torch.ones(3), shares)


class TestHistogram:
    @settings(max_examples=300)
    @given(tensors(), st.integers(1, 40))
    def test_of_tensors_of_every_dtype_and_layout(self, t, bins):
        check_histogram(spread(t, bins=bins)["histogram"], python_values(t), bins)

    @settings(max_examples=300)
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

    def test_a_zero_with_a_sign_is_in_the_bin_of_zero(self):
        found = spread(torch.tensor([-1.0, -0.0, 0.0, 1.0]), bins=2)["histogram"]
        assert (found["edges"], found["counts"]) == ([-1.0, 0.0, 1.0], [1, 3])

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

    def test_a_sample_is_no_larger_than_percentiles_need(self):
        assert spread(np.arange(10**6), [0.5], 0, Budget(max_elements=500_000))["quantiles"]["read"] <= 131_072

    def test_a_sample_of_a_view_with_gaps_is_of_its_elements_alone(self):
        t = torch.arange(1000.0).repeat(2000).view(1000, 2000)[:, :1000:2]
        found = spread(t, [0.0, 0.5, 1.0], 0, Budget(max_elements=5000))
        assert not found["quantiles"]["exact"]
        assert [value % 2 for value in found["quantiles"]["values"]] == [0, 0, 0]
        assert found["quantiles"]["values"][1] == pytest.approx(498, abs=50)

    def test_nothing_is_read_when_no_time_is_left(self):
        assert spread(torch.arange(5), [0.5], 0, ticking(80, 100.0)) == Unread("no_time", "skipped: 80 ms budget")

    def test_freed_memory_is_not_read(self):
        t = torch.ones(100)
        t.untyped_storage().resize_(0)
        assert spread(t, [0.5]) == Unread("freed", "storage freed")


def first_by_hand(values, shape, test):
    for place, value in enumerate(values):
        if test(value):
            return [int(i) for i in np.unravel_index(place, shape)] if shape else []
    return None


class TestFirst:
    @settings(max_examples=300)
    @given(tensors())
    def test_special_values_are_found_in_the_order_of_indices_of_tensors(self, t):
        self.check(t, python_values(t))

    @settings(max_examples=300)
    @given(arrays())
    def test_and_of_arrays(self, a):
        self.check(a, a.reshape(-1).tolist())

    def check(self, value, values):
        with torch.no_grad():
            found = first_special(value, Budget())
        assert found[0] == first_by_hand(values, tuple(value.shape), lambda v: v != v)
        assert found[1] == first_by_hand(values, tuple(value.shape), lambda v: v in (math.inf, -math.inf))

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
            assert first_special(view, Budget()) == (nan, inf)

    def test_on_a_device_they_are_looked_for_there(self):
        there = torch.tensor([0.0, math.inf, math.nan]).as_subclass(Elsewhere)
        assert first_special(there, Budget()) == ([2], [1])

    def test_a_complex_number_is_one_if_a_part_is(self):
        values = [1, complex(0, math.nan), complex(math.inf, 1)]
        for value in (torch.tensor(values), torch.tensor(values).conj(), np.array(values)):
            assert first_special(value, Budget()) == ([1], [2])

    def test_a_negated_view_is_read_where_it_lies(self):
        t = torch.tensor([1, complex(0, math.inf)]).conj().imag
        assert first_special(t, Budget()) == (None, [1])

    def test_the_element_of_no_dimensions_has_no_index(self):
        assert first_special(torch.tensor(math.nan), Budget()) == ([], None)
        assert first_special(np.array(math.inf), Budget()) == (None, [])

    def test_only_what_is_wanted_is_looked_for(self):
        t = torch.tensor([1.0, math.inf, math.nan])
        assert first_special(t, Budget(), inf=False) == ([2], None)

    def test_what_is_not_found_in_time_is_not_told(self):
        t = torch.zeros(10**6)
        t[-1] = math.nan
        assert first_special(t, ticking(40, 7.0)) == (None, None)

    def test_a_device_would_say_the_same(self):
        from tensor_inspector.measure.stats import device

        t = torch.zeros(3, 40)
        t[1, 3], t[2, 1] = math.nan, -math.inf
        assert device.first_positions(torch, t, Budget()) == (43, 81)
        assert device.first_positions(torch, t, ticking(0.0)) == (None, None)


def quantized(stored, scale, zero_point, dtype=torch.uint8):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated
        return torch._make_per_tensor_quantized_tensor(torch.tensor(stored, dtype=dtype), scale, zero_point)


class TestFacts:
    """What is asked for in the facts of a value that is not all plain numbers."""

    def asked(self, value, **more):
        return facts(value, quantiles=[0, 0.5, 1], bins=2, **more)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: np.ma.array([9.0, 1.0, 2.0, 4.0, math.nan], mask=[1, 0, 0, 0, 0]),
            lambda: np.ma.array([[9, 1], [2, 4]], mask=[[1, 0], [0, 0]]).T,
            lambda: pytest.importorskip("pandas").Series([1, None, 2, 4], dtype="Int64"),
            lambda: pytest.importorskip("pandas").Series([1, None, 2, 4], dtype="Float32"),
            lambda: pytest.importorskip("polars").Series([1, None, 2, 4]),
            lambda: pytest.importorskip("polars").Series([1.0, 2.0]).append(pytest.importorskip("polars").Series([4.0])),
            lambda: pytest.importorskip("scipy.sparse").csr_matrix([[0, 1.0], [2.0, 4.0]]),
            lambda: pytest.importorskip("scipy.sparse").lil_matrix([[0, 1.0], [2.0, 4.0]]),
            lambda: pytest.importorskip("scipy.sparse").dok_matrix([[0, 1.0], [2.0, 4.0]]),
            lambda: pytest.importorskip("scipy.sparse").dia_matrix([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 4.0]]),
            lambda: torch.tensor([[0, 1.0], [2.0, 4.0]]).to_sparse(),
            lambda: nest(torch.tensor([4.0, 1.0]), torch.tensor([2.0])),
            pytest.param(
                lambda: jag(torch.tensor([4.0, 1.0]), torch.tensor([2.0])),
                marks=pytest.mark.skipif(not hasattr(torch, "jagged"), reason="needs torch.jagged"),
            ),
        ],
    )  # fmt: skip
    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    def test_of_what_is_there_or_stored(self, make):
        found = self.asked(make())
        assert found["quantiles"]["values"] == [1, 2, 4]
        assert found["quantiles"]["exact"]
        assert sum(found["histogram"]["counts"]) == 3

    @pytest.mark.parametrize("hide", [1, 3])
    def test_what_is_repeated_counts_as_often(self, hide):
        mask = np.broadcast_to(np.arange(4) < hide, (5, 4))
        found = self.asked(np.ma.array(np.broadcast_to(np.arange(4.0), (5, 4)), mask=mask))
        assert found["quantiles"]["values"] == [hide, (hide + 3) / 2, 3]
        assert found["quantiles"]["read"] == sum(found["histogram"]["counts"]) == 5 * (4 - hide)

    def test_of_negative_integers_beside_hidden_ones(self):
        stats = facts(np.ma.array([-5, 3, 9], mask=[0, 0, 1], dtype="i1"))["stats"]
        assert (stats["count"], stats["min"], stats["max"], stats["mean"]) == (2, -5, 3, -1.0)

    def test_of_magnitudes_beyond_their_own_type_nothing_warns(self):
        stats = facts(np.ma.array([3e38 + 3e38j, 1j], mask=[0, 1], dtype="c8"))["stats"]
        assert stats["real"]["count"] == 1

    @pytest.mark.parametrize("value", [np.ma.array(3.0), np.ma.array([2.0, 3.0], mask=[1, 0])])
    def test_of_one_number(self, value):
        assert self.asked(value)["quantiles"]["values"] == [3.0, 3.0, 3.0]

    def test_of_none(self):
        assert self.asked(np.ma.array([2.0, 3.0], mask=True))["quantiles"]["values"] == [None] * 3
        assert self.asked(np.ma.zeros((0, 3)))["quantiles"]["values"] == [None] * 3

    def test_of_a_masked_array_too_large_for_the_time_are_marked(self):
        many = np.ma.array(np.arange(1_000_000.0), mask=np.arange(1_000_000) % 2 == 0)
        with torch.no_grad():
            contents = as_kind(many, Budget()).contents
            found = spread(contents.measured(), [0.5], 0, Budget(max_elements=5000))["quantiles"]
        assert not found["exact"]
        assert found["values"] == pytest.approx([500_000], rel=0.01)

    @pytest.mark.parametrize(
        ("value", "why"),
        [
            (np.ma.array(["a", "b"], mask=[1, 0]), "strings, not numbers"),
            (quantized([0, 1, 2], 0.1, 3), "quantized"),
            ([1, 2], "it has no numbers of its own"),
            (np.full(3, np.longdouble("1e4000")), "float128 values beyond float64"),
            (np.full(3, np.longdouble("1e-4000")), "float128 values beyond float64"),
        ],
    )
    def test_why_there_are_none_is_said(self, value, why):
        found = self.asked(value)
        assert "quantiles" not in found
        assert "histogram" not in found
        if "float128" not in why or np.dtype(np.longdouble).name == "float128":
            assert f"percentiles and histogram not read: {why}" in found["notes"]

    @pytest.mark.parametrize("text", ["1e400", "-1e4000", "1e-400"])
    def test_no_number_beyond_float64_is_lost(self, text):
        if np.dtype(np.longdouble).itemsize <= 8:
            pytest.skip("longdouble is float64 here")
        a = np.append(np.ones(70_000, dtype=np.longdouble), np.longdouble(text))
        assert spread(a, [0.5]) == Unread("precision", f"{a.dtype} values beyond float64")
        assert spread(a + 1j * a, [0.5]) == Unread("precision", f"{(a * 1j).dtype} values beyond float64")

    def test_no_magnitude_beyond_float64_is_lost(self):
        a = np.array([1, 1.7e308 * (1 + 1j), complex(math.inf, 0)])
        assert (
            spread(a, [0.5])
            == spread(torch.from_numpy(a), [0.5])
            == Unread("precision", "complex128 values beyond float64")
        )

    @pytest.mark.parametrize(
        ("value", "rows"),
        [
            (
                np.array(["2020-01-01", "NaT", "2020-01-04"], "M8[D]"),
                {"mean": "2020-01-02T12:00:00", "0%": "2020-01-01", "median": "2020-01-02T12:00:00", "100%": "2020-01-04",
                 "2020-01-01…2020-01-02": "1", "2020-01-03…2020-01-04": "1"},
            ),
            (np.array([1, 2, 2], "m8[s]"), {"mean": "0:00:01.666666667", "median": "0:00:02", "0:00:01": "1", "0:00:02": "2"}),
            (np.array([1, 2], "m8[s]"), {"mean": "0:00:01.5", "median": "0:00:01.5"}),
            (np.array([1, 2], "m8[ns]"), {"mean": "≈2 ns", "median": "≈2 ns"}),
            (np.array(["2020-01", "2020-02"], "M8[M]"), {"mean": "≈2020-01", "median": "≈2020-01", "2020-01": "1"}),
            (np.array([], "M8[M]"), {"median": "none"}),
            (np.array([2**63 - 1, 2**63 - 2], "m8[D]"), {"100%": "9223372036854775807 days"}),
            (np.array([2**62, -(2**62)], "m8[ns]"), {"median": "0 days"}),
            # beyond what a float64 holds to the tick
            (np.array([2**61 + 7], "M8[us]"), {"mean": "75039-04-04T19:00:13.693959", "median": "75039-04-04T19:00:13.693959"}),
            (np.array([2**61 + 1, 2**61 + 7], "M8[us]"),
             {"mean": "≈75039-04-04T19:00:13.694", "0%": "75039-04-04T19:00:13.693953", "median": "75039-04-04T19:00:13.693956",
              "100%": "75039-04-04T19:00:13.693959"}),
            (np.array([2**61 + 1, 2**61 + 6], "M8[us]"), {"median": "≈75039-04-04T19:00:13.694"}),
        ],
    )  # fmt: skip
    def test_of_dates_and_spans_are_told_as_such(self, value, rows):
        found = self.asked(value)
        told = dict(found.get("rows", []))
        assert {label: told[label].replace(",", "") for label in rows} == rows
        assert "quantiles" not in found
        assert found["unread"] == ("dates" if value.dtype.kind == "M" else "durations") + ", not numbers"

    def test_of_dates_in_the_zone_that_they_have(self):
        pandas = pytest.importorskip("pandas")
        zoned = pandas.Series(pandas.to_datetime(["2020-01-01T12:00", "2020-01-01T13:00"])).dt.tz_localize("Asia/Tokyo")
        told = dict(self.asked(zoned)["rows"])
        assert told["mean"] == told["median"] == "2020-01-01 12:30:00+09:00"
        assert dict(self.asked(pandas.Series(pandas.period_range("2020-01", periods=3, freq="M")))["rows"]) == {
            "earliest": "2020-01", "latest": "2020-03", "mean": "2020-02", "NaT": "0", "index": "int64[3] · 0…2",
            "0%": "2020-01", "median": "2020-02", "100%": "2020-03", "2020-01…2020-02": "2", "2020-03…2020-04": "1",
        }  # fmt: skip

    @example([2173913049231002049], "us")
    @given(st.lists(st.integers(-(2**62), 2**62), min_size=1), st.sampled_from(["s", "ms", "us", "ns"]))
    def test_what_lies_between_dates_is_between_them(self, ticks, unit):
        told = dict(facts(np.array(ticks, f"M8[{unit}]"), quantiles=[0, 0.37, 1])["rows"])
        assert (told["0%"], told["100%"]) == (told["earliest"], told["latest"])
        for label in ("mean", "37%"):
            text = told[label].lstrip("≈")
            digits = np.datetime64(text, unit).astype("int64")
            assert min(ticks) - 2048 <= int(digits) <= max(ticks) + 2048


class TestQuantized:
    """The numbers that stored integers stand for are those that torch makes of them."""

    @pytest.mark.parametrize("scale", [0.1, 1e37, 3e38, 1e60, 1e-39, 1e-44, 1e-60])
    @pytest.mark.parametrize("zero_point", [0, 3, 200])
    def test_at_every_scale(self, scale, zero_point):
        self.check(quantized(range(256), scale, zero_point))

    @pytest.mark.parametrize("zero_point", [0, 7, -(2**31), 2**31 - 1])
    def test_wide_ones_wrap_as_those_of_torch(self, zero_point):
        self.check(quantized([2**31 - 1, -(2**31), 16_777_217, 5], 1.5, zero_point, torch.int32))

    def check(self, value):
        with torch.no_grad(), Untouched():
            found = as_kind(value, Budget()).reading()
        made = value.dequantize().tolist()
        ordered = finite(made)
        assert [found["nan"], found["pos_inf"], found["neg_inf"], found["zeros"]] == [
            sum(v != v for v in made), made.count(math.inf), made.count(-math.inf), made.count(0.0)
        ]  # fmt: skip
        assert (found["min"], found["max"]) == ((ordered[0], ordered[-1]) if ordered else (None, None))
        if ordered:
            mean = sum(map(Fraction, ordered)) / len(ordered)
            assert abs(Fraction(found["mean"]) - mean) <= Fraction(found["mean_error"]) + abs(mean) / 2**50


@pytest.mark.parametrize(
    "quantiles", [[0.5], (0.5,), iter([0.5]), torch.tensor([0.5])], ids=["list", "tuple", "iterator", "tensor"]
)
def test_any_numbers_may_be_asked_for(quantiles: Any) -> None:
    assert facts(torch.arange(3), quantiles=quantiles)["quantiles"]["values"] == [1]


@pytest.mark.parametrize(("asked", "said"), [({"quantiles": 0.5}, "quantiles are shares"), ({"quantiles": "ab"}, "quantiles are shares"),
                                             ({"bins": 1.5}, "bins is a whole"), ({"bins": True}, "bins is a whole")])  # fmt: skip
def test_what_is_no_number_is_refused_in_a_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        facts(torch.arange(3), **asked)


@pytest.mark.parametrize("value", [torch.arange(3), [1]], ids=["a tensor", "no tensor"])
@pytest.mark.parametrize(
    ("ask", "fault", "said"),
    [
        (lambda value: facts(value, quantiles=[2]), ValueError, "quantiles lie between 0 and 1"),
        (lambda value: facts(value, quantiles=[math.nan]), ValueError, "quantiles lie between 0 and 1"),
        (lambda value: facts(value, quantiles=[0.5] * 257), ValueError, "at most 256 quantiles"),
        (lambda value: facts(value, bins=-1), ValueError, "bins must be at least 0, not -1"),
        (lambda value: facts(value, bins=257), ValueError, "at most 256 bins"),
        (lambda value: facts(value, budget_ms=math.nan), ValueError, "budget_ms must be at least 0, not nan"),
        (lambda value: summarize(value, budget_ms="a"), TypeError, "budget_ms is a number"),
        (lambda value: summarize(value, budget_ms=-1), ValueError, "budget_ms must be at least 0, not -1"),
        (lambda value: tree(value, depth="a"), TypeError, "depth is a whole number"),
        (lambda value: tree(value, rows=1.5), TypeError, "rows is a whole number"),
        (lambda value: tree(value, rows=-1), ValueError, "rows must be at least 0, not -1"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_whatever_the_value(
    value: Any, ask: Any, fault: type[Exception], said: str
) -> None:
    with pytest.raises(fault, match=said):
        ask(value)
