"""numpy's arrays beyond plain numbers: what is told of them, how it is counted, and that nothing of them moves."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stats_reference import check, ticking
from test_paths import walked

from tensor_inspector import facts, summarize, tree
from tensor_inspector.kinds import Elements, Property, Rows, TextRow
from tensor_inspector.kinds.numpy.dates import date_text
from tensor_inspector.measure.valid import Arrays, count_hidden, of_valid
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.stop.expression import resolve

nan, inf = math.nan, math.inf


def unmasked(part: Arrays) -> Any:
    array, mask = part.arrays
    return array[~mask]


DTYPES = ["float64", "float32", "float16", "int64", "uint64", "int8", "bool"]


@st.composite
def masked_arrays(draw: Any) -> Any:
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    size = draw(st.integers(0, 60))
    if dtype.kind == "f":
        wide = st.floats(width=dtype.itemsize * 8, allow_subnormal=False)  # type: ignore[arg-type]
        items = draw(
            st.lists(st.one_of(wide, st.sampled_from([nan, inf, -inf, 0.0, 1.0])), min_size=size, max_size=size)
        )
    elif dtype.kind == "b":
        items = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    else:
        ends = np.iinfo(dtype)
        items = draw(st.lists(st.integers(int(ends.min), int(ends.max)), min_size=size, max_size=size))
    mask = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    return np.ma.masked_array(np.array(items, dtype), mask)


@pytest.mark.filterwarnings("ignore:overflow")
def test_masked_magnitudes_that_are_infinite_are_told_from_those_beyond_float64() -> None:
    infinite: Any = facts(np.ma.masked_array([complex(inf, 1), 3 + 4j, 7], [False, False, True]))["stats"]
    assert (infinite["abs"]["pos_inf"], infinite["abs"]["max"]) == (1, 5.0)
    beyond: Any = facts(np.ma.masked_array([1.5e308 + 1.5e308j, 7], [False, True]))["stats"]
    assert (beyond["abs"]["pos_inf"], beyond["abs"]["max"], beyond["real"]["max"]) == (0, None, 1.5e308)


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="longdouble is float64 here")
@pytest.mark.parametrize("other", ["1e400", "1.0000000000000000001"])
def test_masked_long_doubles_that_float64_does_not_tell_say_so(other: str) -> None:
    found = facts(np.ma.masked_array(np.array([1, np.longdouble(other), 5]), [False, False, True]))
    assert found["stats"] is None
    assert "float64" in found["unread"]


class Hostile(type):
    def __hash__(cls) -> int:
        raise AssertionError("user code ran")

    __eq__: Any = __hash__


@pytest.mark.parametrize(
    ("base", "given", "line"),
    [
        ("float64", 1.5, "float64 1.5"), ("float16", 1.5, "float16 1.5"), ("int8", 3, "int8 3"),
        ("complex64", 2j, "complex64 0 + 2i"), ("str_", "a", "Own · not read: its metaclass has a say in that"),
    ],
)  # fmt: skip
def test_a_scalar_s_metaclass_is_not_asked(base: str, given: Any, line: str) -> None:
    value: Any = Hostile("Own", (getattr(np, base),), {})(given)
    assert summarize(value) == line
    assert facts([value])["type"] == "list"
    assert "Own" in facts(value)["type"]


@given(masked_arrays())
def test_what_a_mask_leaves_is_counted_exactly(value: Any) -> None:
    left = value.compressed()
    stats: Any = facts(value)["stats"]
    if left.dtype.kind == "b":
        assert (stats["count"], stats["zeros"]) == (len(left), int((~left).sum()))
    else:
        check(stats, [item if isinstance(item, int) else float(item) for item in left.tolist()])


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1e9, 10**17, -(10**18)]), st.sampled_from(["f8", "i8"]))
def test_many_blocks_are_merged_without_loss(seed: int, far: float, dtype: str) -> None:
    random = np.random.default_rng(seed)
    array = (random.integers(-1000, 1000, (3, 25_000)) + (far if dtype == "f8" else int(far))).astype(dtype)
    mask = random.random(array.shape) < 0.3
    stats = of_valid(Arrays(array, mask), unmasked, Budget())
    check(stats, array[~mask].tolist())


def test_what_is_repeated_is_read_once() -> None:
    stats: Any = of_valid(
        Arrays(np.broadcast_to([1.0, nan, 3.0], (10**9, 3))), lambda part: part.arrays[0].ravel(), Budget()
    )
    assert (stats["count"], stats["nan"], stats["mean"], stats["exact"]) == (3 * 10**9, 10**9, 2.0, True)
    assert count_hidden(np.broadcast_to([True, False], (10**9, 2))) == 10**9


def test_what_there_was_no_time_for_is_marked() -> None:
    array = np.arange(2_000_000.0)
    mask = np.arange(2_000_000) % 4 == 0
    budget = ticking(5, 0.5)
    stats: Any = of_valid(Arrays(array, mask), unmasked, budget)
    assert not stats["exact"]
    assert 0 < stats["read"] < 1_500_000
    assert abs(stats["mean"] - 1e6) <= stats["mean_error"]


def test_a_line_says_how_much_of_a_masked_array_was_read() -> None:
    line = summarize(
        np.ma.masked_array(np.random.default_rng(0).normal(size=20_000_000), np.zeros(20_000_000, bool)), budget_ms=10
    )
    assert "of 20.0M read" in line or "stats skipped" in line


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.datetime64("2020-01-01T00:00:00.000000000"), "2020-01-01"),
        (np.datetime64("2020-01-01T12:30:00.250000"), "2020-01-01T12:30:00.25"),
        (np.datetime64("2020"), "2020"),
        (np.datetime64("2020-02"), "2020-02"),
        (np.datetime64("NaT", "s"), "NaT"),
        (np.datetime64(-1, "ns"), "1969-12-31T23:59:59.999999999"),
        (np.timedelta64(0, "s"), "0 days"),
        (np.timedelta64(1, "D"), "1 day"),
        (np.timedelta64(90_000, "s"), "1 day 1:00:00"),
        (np.timedelta64(-90_000, "s"), "−1 day 1:00:00"),
        (np.timedelta64(5_400_500, "ms"), "1:30:00.5"),
        (np.timedelta64(1500, "us"), "1.5 ms"),
        (np.timedelta64(-7, "ns"), "−7 ns"),
        (np.timedelta64(2, "W"), "14 days"),
        (np.timedelta64(3, "M"), "3 months"),
        (np.timedelta64("NaT", "s"), "NaT"),
    ],
)
def test_dates_and_spans_as_text(value: Any, text: str) -> None:
    assert date_text(value) == text


@given(st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62)), min_size=1))
def test_the_range_of_dates_is_that_of_those_that_are_there(ticks: list[int | None]) -> None:
    array = np.array(["NaT" if tick is None else tick for tick in ticks], "M8[s]")
    there = [tick for tick in ticks if tick is not None]
    rows = dict(facts(array).get("rows", []))
    if there:
        assert rows["earliest"] == date_text(np.datetime64(min(there), "s"))
        assert rows["latest"] == date_text(np.datetime64(max(there), "s"))
        assert rows["NaT"] == str(len(ticks) - len(there))
    else:
        assert "all NaT" in summarize(array)


PATHS: dict[str, Callable[[], Any]] = {
    "structured": lambda: np.array([(1.5, (1, 2)), (2.5, (3, 4))], dtype=[("x", "f8"), ("at", "i4", (2,))]),
    "structured, two dimensions": lambda: np.zeros((2, 3), dtype=[("x", "f8"), ("it's", "i4")]),
    "nested records": lambda: np.zeros(2, dtype=[("box", [("low", "f4")])]),
    "record": lambda: np.array([(1.5, (1, 2))], dtype=[("x", "f8"), ("at", "i4", (2,))])[0],
    "objects": lambda: np.array([[1], {"k": 2}], dtype=object),
    "objects, 0-d": lambda: np.array({"k": 1}, dtype=object),
    "masked": lambda: np.ma.masked_array(np.arange(6.0).reshape(2, 3), np.eye(2, 3)),
    "matrix": lambda: np.matrix([[1, 2], [3, 4]]),
    "windows": lambda: np.lib.stride_tricks.sliding_window_view(np.arange(4.0), 2),
    "dates": lambda: np.arange(6).astype("M8[D]").reshape(2, 3),
    "generator": lambda: np.random.default_rng(1),
    "flat": lambda: np.arange(3.0).flat,
}


def same(shown: Any, reached: Any) -> bool:
    shown = shown.value if isinstance(shown, Elements) else shown
    if isinstance(shown, np.ndarray) and shown.dtype.names is None:
        return np.array_equal(np.asarray(shown), np.asarray(reached))
    return shown is reached or bool(np.all(shown == reached))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", PATHS)
def test_a_path_reaches_the_value_that_is_shown(name: str) -> None:
    value = PATHS[name]()
    reached = 0
    with Untouched():
        for snapshot, node, _ in walked(value):
            shown = snapshot.value(node["id"])
            if "path" in node and not isinstance(shown, (Rows, TextRow, Property)):
                reached += 1
                assert same(shown, eval(node["path"], {"value": value})), node["path"]
    assert reached > 0


def test_a_class_of_the_program_that_has_its_own_subscripts_offers_no_paths() -> None:
    class Own(np.ndarray):
        def __getitem__(self, key: Any) -> Any:
            raise RuntimeError("it ran")

    value = np.ndarray.view(np.arange(6.0).reshape(2, 3), Own)
    assert all("path" not in node for _, node, _ in walked(value) if node["name"].startswith("["))


@pytest.mark.parametrize("key", ["value[0]", "value[0, 1]", "value[1:]"])
def test_subscripts_are_followed_with_the_mask(key: str) -> None:
    value = PATHS["masked"]()
    with Untouched():
        found = resolve(key, {"value": value}, {}, Budget())
    wanted = eval(key, {"value": value})
    if isinstance(found, Elements):
        assert summarize(found).endswith("1 masked") == (np.ma.count_masked(wanted) == 1)
    else:
        assert (found is np.ma.masked) == (wanted is np.ma.masked)


def test_finalizers_and_overrides_of_the_program_do_not_run() -> None:
    ran: list[str] = []

    class Watching(np.ndarray):
        def __array_finalize__(self, made_from: Any) -> None:
            ran.append("finalized")

        @property
        def dtype(self) -> Any:  # type: ignore[override]
            ran.append("dtype")
            raise RuntimeError

        def __getattribute__(self, name: str) -> Any:
            ran.append(name)
            raise RuntimeError

    value = np.ndarray.view(np.arange(4.0), Watching)
    ran.clear()
    assert summarize(value) == "Watching · float64[4] · 0…3 · μ 1.5 σ 1.29"
    assert facts(value)["stats"] is not None
    tree(value, depth=3)
    assert ran == []


def test_no_number_is_drawn_and_no_iterator_moved() -> None:
    generator, legacy = np.random.default_rng(7), np.random.RandomState(7)
    walker = np.arange(5.0).flat
    nested = np.nditer(np.arange(5.0))
    next(walker), next(nested)
    before = str((generator.bit_generator.state, legacy.get_state(), walker.index, nested.iterindex))
    for value in (generator, legacy, walker, nested, generator.bit_generator):
        summarize(value), facts(value), tree(value, depth=4)
    assert str((generator.bit_generator.state, legacy.get_state(), walker.index, nested.iterindex)) == before


def test_what_numpy_loads_when_needed_is_not_loaded_by_a_look() -> None:
    code = (
        "import sys, numpy as np; before = set(sys.modules); from tensor_inspector import summarize, facts, tree\n"
        "values = [np.arange(4), np.float32(1), np.zeros(2, 'f4,i4'), np.array(['a']), np.array([None]), np.dtype('f4'),\n"
        "          np.arange(3).astype('M8[D]'), np.add, np.sum]\n"
        "for value in values: summarize(value), facts(value), tree(value, depth=3)\n"
        "print(sorted(name for name in set(sys.modules) - before if name.startswith('numpy')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_strings_of_megabytes_are_not_taken_out_whole() -> None:
    value = np.array(["a" * 2_000_000, "b"] * 3)
    assert summarize(value) == "U2000000[6] · 2 distinct: 'aaaaaaaaaaaaaaaaaaaaaaaa…', 'b'"
    assert ["longest", "256 or more"] in facts(value)["rows"]
    assert "[1]  'b'" in tree(value)
