"""Statistics of numpy arrays, with torch not needed: values, layouts, memory maps, budgets."""

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_reference import check, ticking

from tensor_inspector import facts
from tensor_inspector.measure.stats import Unread, of_array
from tensor_inspector.safe.budget import Budget

np = pytest.importorskip("numpy")

MOST = sys.float_info.max
DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?", ">f4", ">i8", ">u2"]


def stats_of(a, budget=None):
    return of_array(a, budget or Budget())


def python_values(a):
    return [int(v) if a.dtype.kind == "b" else v for v in a.reshape(-1).tolist()]


@st.composite
def arrays(draw):
    """Arrays of any bit pattern, byte order and layout: steps forwards and backwards, overlaps, expanded axes."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    data = draw(st.binary(min_size=dtype.itemsize, max_size=60 * dtype.itemsize))
    if dtype.kind == "b":
        flat = np.frombuffer(data, "u1") % 2 == 1
    else:
        flat = np.frombuffer(data[: len(data) // dtype.itemsize * dtype.itemsize], dtype)
    shape, strides, room = [], [], len(flat) - 1
    for _ in range(draw(st.integers(0, 4))):
        stride = draw(st.integers(0, max(0, room)))
        size = draw(st.integers(1, 5 if stride == 0 else min(8, room // stride + 1)))
        shape.append(size)
        strides.append(stride * dtype.itemsize)
        room -= (size - 1) * stride
    view = np.lib.stride_tricks.as_strided(flat, shape, strides, writeable=False)
    return view[(..., *(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in shape))]


@settings(max_examples=400)
@given(arrays())
def test_values_agree_with_rational_arithmetic_for_every_dtype_and_layout(a):
    check(stats_of(a), python_values(a))


@settings(max_examples=30)
@given(
    name=st.sampled_from(DTYPES),
    seed=st.integers(0, 2**31),
    step=st.sampled_from([1, 2, -1, -3]),
    specials=st.booleans(),
)
def test_values_of_several_blocks_agree_too(name, seed, step, specials):
    rng = np.random.default_rng(seed)
    a = rng.normal(20, 30, (400, 500))
    if np.dtype(name).kind != "f":
        a = a.clip(0, 127)
    elif specials:
        a[rng.random(a.shape) < 0.01] = [math.nan, math.inf, -math.inf][seed % 3]
    a = a.astype(name).T[::step]
    check(stats_of(a), python_values(a))


@pytest.mark.parametrize("name", ["i8", "u8"])
def test_integers_over_their_whole_range_are_right_to_the_last_digit(name):
    info = np.iinfo(name)
    values = [int(info.min), int(info.max), int(info.max) - 1] * 30_000
    check(stats_of(np.array(values, dtype=name)), values)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
@pytest.mark.parametrize("number", [complex(math.nan, math.inf), complex(-math.inf, math.nan)])
@pytest.mark.parametrize("others", [1, 5000])
def test_a_complex_number_with_nan_in_a_part_is_nan_whatever_the_other_is(name, number, others):
    a = np.array([number, complex(1, math.inf), *([1 + 1j] * others)], dtype=name)
    magnitude = stats_of(a)["abs"]
    assert (magnitude["nan"], magnitude["pos_inf"]) == (1, 1)


@pytest.mark.parametrize("name", ["c8", "c16"])
def test_complex_numbers_are_told_by_parts_and_magnitude(name):
    a = np.array([1 + 2j, complex(math.nan, 3), -4j], dtype=name)
    s = stats_of(a)
    check(s["imag"], [2.0, 3.0, -4.0])
    assert (s["real"]["nan"], s["imag"]["nan"], s["abs"]["nan"]) == (1, 0, 1)
    assert s["abs"]["max"] == 4.0


@pytest.mark.parametrize("n", [3, 1000, 70_000])
@pytest.mark.parametrize("value", [1.0, 0.1, -1e200, 3e-200])
def test_the_rounding_of_the_mean_is_no_spread(n, value):
    a = np.full(n, value)
    a[1] = np.nextafter(value, 0)
    check(stats_of(a), a.tolist())


@pytest.mark.parametrize("values", [[MOST, MOST], [MOST, MOST / 2], [MOST, -MOST], [5e-324, 5e-324, 1e-323]])
def test_means_at_the_ends_of_float64_are_bounded(values):
    s = stats_of(np.array(values))
    check(s, values)
    assert s["mean_error"] > 0.0 or s["min"] == s["max"]


LONG = np.finfo(np.longdouble).maxexp > 1024  # elsewhere it is float64 by another name


@pytest.mark.skipif(not LONG, reason="longdouble is float64 here")
class TestLongDouble:
    def test_is_read_as_the_nearest_float64(self):
        a = np.array([1, 2**63, -0.1, math.nan, math.inf, 0], dtype=np.longdouble)
        check(stats_of(a), [1.0, 2.0**63, float(a[2]), math.nan, math.inf, 0.0])

    def test_spreads_as_it_does_where_float64_hardly_tells(self):
        third, step = np.longdouble(1) / 3, np.finfo(np.longdouble).eps
        a = np.array([third * (1 + k * 1000 * step) for k in range(50)])
        s = stats_of(a)
        assert s["std"] == pytest.approx(float((a - third).std(ddof=1)), rel=1e-5)
        assert abs(float(a.mean() - s["mean"])) <= s["mean_error"]
        assert stats_of(np.full(3, third))["std"] == 0.0

    def test_spreads_as_it_does_far_from_one_too(self):
        far = np.longdouble(10) ** 6
        a = far + np.array([0.0, 1.7, 3.3, 4.1], dtype=np.longdouble) * np.longdouble(10) ** -10
        s = stats_of(a)
        assert s["std"] == pytest.approx(float((a - far).std(ddof=1)), rel=1e-4)
        assert s["mean_error"] < 1e-6

    @pytest.mark.parametrize("n", [1, 70_000])
    def test_is_not_called_constant_where_it_is_not(self, n):
        a = np.repeat(np.array([1, 1 + np.finfo(np.longdouble).eps]), n)
        assert stats_of(a) == Unread("precision", f"{a.dtype} values that float64 does not tell apart")
        assert stats_of(a * 1j) == Unread("precision", f"{(a * 1j).dtype} values that float64 does not tell apart")

    @pytest.mark.parametrize("text", ["1e400", "-1e4000", "1e-400"])
    def test_is_not_read_where_float64_would_lose_a_number(self, text):
        a = np.append(np.ones(70_000, dtype=np.longdouble), np.longdouble(text))
        assert stats_of(a) == Unread("precision", f"{a.dtype} values beyond float64")
        assert stats_of(a + 1j * a) == Unread("precision", f"{(a * 1j).dtype} values beyond float64")


def test_magnitudes_beyond_their_own_type_are_told_where_float64_holds_them():
    s = stats_of(np.array([3e38 + 3e38j], dtype="c8"))
    assert s["abs"]["max"] == pytest.approx(3e38 * math.sqrt(2), rel=1e-6)
    s = stats_of(np.array([1.5e308 + 1.5e308j]))
    assert (s["abs"]["count"], s["abs"]["min"], s["abs"]["max"], s["abs"]["pos_inf"]) == (1, None, None, 0)
    check(s["real"], [1.5e308])


def test_an_expanded_array_counts_all_it_stands_for():
    s = stats_of(np.broadcast_to(np.float16(2), (10**6, 10**6)))
    assert (s["count"], s["read"], s["exact"], s["mean"]) == (10**12, 10**12, True, 2.0)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1, 1)])
def test_small_shapes(shape):
    check(stats_of(np.ones(shape)), [1.0] * math.prod(shape))


def test_reading_changes_nothing_and_respects_the_users_error_state():
    a = np.array([1e308, -1e308, math.nan, math.inf] * 1000)
    before, state = a.tobytes(), np.seterr(all="raise")
    try:
        stats_of(a[::-3])
        assert np.geterr() == {"divide": "raise", "over": "raise", "under": "raise", "invalid": "raise"}
    finally:
        np.seterr(**state)
    assert a.tobytes() == before


def test_a_subclass_runs_none_of_its_code():
    class Hostile(np.ndarray):
        def __array_finalize__(self, other):
            if getattr(self, "armed", False) or getattr(other, "armed", False):
                raise AssertionError("user code ran")

        def __getitem__(self, key):
            raise AssertionError("user code ran")

        def __array_function__(self, *args, **kwargs):
            raise AssertionError("user code ran")

    a = np.arange(5.0).view(Hostile)
    a.armed = True
    check(stats_of(a), [0.0, 1.0, 2.0, 3.0, 4.0])


def test_neither_a_property_base_nor_the_class_of_a_foreign_base_is_asked():
    class Based(np.ndarray):
        @property
        def base(self):
            raise AssertionError("user code ran")

    class Lent:
        held = np.arange(5.0)
        __array_interface__ = held.__array_interface__

        @property
        def __class__(self):
            raise AssertionError("user code ran")

    for a in (np.arange(5.0).view(Based), np.asarray(np.arange(5.0).view(Based)), np.asarray(Lent())):
        check(stats_of(a), [0.0, 1.0, 2.0, 3.0, 4.0])
        assert facts(a, quantiles=[0.5])["quantiles"]["values"] == [2.0]


@pytest.mark.parametrize("a", [np.array(["a"]), np.array([None]), np.array(["2020"], "M8[D]"), np.zeros(2, "i4,f4")])
def test_what_is_no_number_is_not_read(a):
    assert isinstance(stats_of(a), Unread)


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file can't be truncated there")
def test_a_truncated_memory_map_is_not_read(tmp_path):
    path = tmp_path / "values"
    a = np.memmap(path, dtype="f4", mode="w+", shape=(1000, 100), offset=64)
    assert stats_of(a[3:])["zeros"] == 99_700
    os.truncate(path, 5000)
    assert stats_of(a[3:]).code == "truncated"
    assert stats_of(np.asarray(a).T).code == "truncated"


def test_nothing_is_read_when_no_time_is_left():
    assert stats_of(np.ones(10**6), ticking(40, 50.0)) == Unread("no_time", "stats skipped: 40 ms budget")


def test_a_sample_is_marked_and_close():
    a = np.random.default_rng(3).normal(5, 1, (3000, 1000))
    for view in (a, a[:, ::2], a.T[::-1]):
        s = stats_of(view, ticking(40.0, max_elements=100_000))
        assert s["exact"] is False
        assert 50_000 < s["read"] <= 100_000
        assert abs(s["mean"] - view.mean()) <= s["mean_error"] < 0.05


def test_torch_is_not_needed():
    code = (
        "import sys, numpy; sys.modules['torch'] = None; from tensor_inspector.safe.budget import Budget;"
        "from tensor_inspector.measure.stats import of_array; print(of_array(numpy.arange(5), Budget())['mean'])"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True).stdout == b"2.0\n"
