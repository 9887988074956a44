"""The lens `details`: what the page of one value shows. Facts, how its elements are spread, a picture, the elements."""

from __future__ import annotations

import base64
import gc
import json
import random
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable
from math import inf, nan, prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from asking import Paused
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from torch import nn
from untouched import Watch, lasting, peak_memory

from tensor_inspector.kinds import Child
from tensor_inspector.kinds.tables.tables import Table
from tensor_inspector.lenses import registry
from tensor_inspector.lenses.lens import InvalidQuestion
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.wire import tagged

SCHEMA = json.loads((Path(__file__).parents[2] / "pyhelper" / "protocol.schema.json").read_text("utf-8"))
FOUND = Draft7Validator({"$ref": "#/definitions/DetailsFound", "definitions": SCHEMA["definitions"]})
NAN, INF, NEG_INF = 1, 2, 4
PARTS = "facts distribution picture values"


def asked(value: Any, budget: Budget | None = None, **options: Any) -> dict[str, Any]:
    """The answer of all slices, which is as the contract says."""
    with Untouched():
        lens = registry.lens("details", {"value": Child("x", value, "x")}, options, budget or Budget(), None)
        while not lens.go_on():
            assert 0 <= lens.progress() <= 1
            lens.budget.renew(20)
        found: Any = lens.found()
    FOUND.validate(json.loads(json.dumps(tagged(found), allow_nan=False)))
    return found  # type: ignore[no-any-return]


def picture(value: Any, budget: Budget | None = None, **options: Any) -> dict[str, Any]:
    return asked(value, budget, parts="picture", **options)["picture"]  # type: ignore[no-any-return]


def spread(value: Any, budget: Budget | None = None, **options: Any) -> dict[str, Any]:
    return asked(value, budget, parts="distribution", **options)["distribution"]  # type: ignore[no-any-return]


def rows(value: Any, **options: Any) -> list[list[str]]:
    return asked(value, parts="values", **options)["values"]["rows"]  # type: ignore[no-any-return]


def reasons(value: Any, **options: Any) -> dict[str, str]:
    found = asked(value, **{"parts": PARTS, **options})
    assert found["line"]
    assert found["facts"]["type"]
    return {one["part"]: one["reason"] for one in found.get("missing", [])}


def floats(text: str) -> np.ndarray[Any, Any]:
    return np.frombuffer(base64.b64decode(text), "<f4").astype(np.float64)


def shown(found: dict[str, Any], at: int = 0, field: str = "values") -> np.ndarray[Any, Any]:
    """The numbers of a plane in the units of the value."""
    return floats(found["planes"][at][field]).reshape(found["tiles"]) * found["factor"] + found["offset"]


def marks(found: dict[str, Any], at: int = 0) -> list[list[int]]:
    flags = base64.b64decode(found["planes"][at]["marks"]) or bytes(found["tiles"][0] * found["tiles"][1])
    return np.frombuffer(flags, np.uint8).reshape(found["tiles"]).tolist()  # type: ignore[no-any-return]


def of_torch(dtype: str) -> Any:
    """A dtype, which older ones have not."""
    return getattr(torch, dtype, None) or pytest.skip(f"this torch has no {dtype}")


def library(name: str) -> Any:
    return pytest.importorskip(name)


def late() -> Budget:
    """A budget whose time is over."""
    return Budget(0)


def timed(step: float, ms: float = 20) -> Budget:
    """A budget whose clock moves on by so many milliseconds at each look."""
    now = [0.0]

    def clock() -> float:
        now[0] += step / 1000
        return now[0]

    return Budget(ms, clock=clock)


# Facts


class Own:
    def __init__(self) -> None:
        self.x = 1


class Unmade(nn.Module):
    pass


VALUES: dict[str, Callable[[], Any]] = {
    "module": lambda: nn.Linear(2, 3), "dict": lambda: {"a": 1}, "int": lambda: 3, "None": lambda: None,
    "text": lambda: "words", "object": Own, "class": lambda: Own, "list": list, "list of tensors": lambda: [torch.ones(2)],
    "frame": lambda: library("pandas").DataFrame({"a": [1, 2]}), "module that is not made": lambda: Unmade.__new__(Unmade),
    "array of texts": lambda: np.array(["a", "b"]), "array of objects": lambda: np.array([None, {}]),
    "optimizer": lambda: torch.optim.SGD([torch.ones(1)], lr=0.1), "ordered": lambda: OrderedDict(a=1),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_facts_are_there_of_any_value_and_why_nothing_else_is(name: str) -> None:
    value = VALUES[name]()
    missing = reasons(value)
    assert list(missing) == ["values", "distribution", "picture"]
    assert all(reason[0] in "ans" and len(reason) > 10 for reason in missing.values())


def test_facts_are_as_a_hover_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        weight, model = nn.Parameter(torch.randn(5, 4)), nn.Linear(2, 2)
        weight.grad = torch.randn(5, 4)
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    for expression in ("weight", "model"):
        node = paused.ask("inspect", expression=expression)["node"]
        node["facts"].pop("thumbnail", None)
        found = paused.lens("details", value=expression)["found"]
        assert (found["line"], found["facts"]) == (node["line"], node["facts"])


def test_rows_of_the_tree_have_details_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        x = torch.arange(6.0).view(2, 3)
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    frame = paused.ask("frame", expanded={"x": {"rows": {"values": {}}}})
    (x,) = (node for node in frame["rows"]["nodes"] if node["name"] == "x")
    group = x["page"]["nodes"][0]
    of_group, of_row = (
        paused.ask("lens", lens="details", values={"value": {"snapshot": frame["snapshot"], "node": node["id"]}})[
            "found"
        ]
        for node in (group, group["page"]["nodes"][1])
    )
    assert shown(of_row["picture"]).tolist() == [[3.0, 4.0, 5.0]]
    assert of_group["line"] == "2 rows"
    assert (
        of_group["missing"][1]["reason"]
        == "a picture is of a tensor, an array or lists of numbers, not of a row of the tree"
    )


WITHOUT: dict[str, tuple[Callable[[], Any], dict[str, str]]] = {
    "no dimension": (lambda: torch.tensor(2.0), {
        "picture": "a picture is of one dimension or two: this has none",
        "values": "a table is of one dimension or two: this has none"}),
    "no element": (lambda: torch.ones(0, 3), {
        "distribution": "a distribution is of elements: shape [0, 3] has none",
        "picture": "a picture is of elements: shape [0, 3] has none",
        "values": "a table is of elements: shape [0, 3] has none"}),
    "meta": (lambda: torch.ones(2, 2, device="meta"), {
        part: f"no {word} of this Tensor: meta tensor: no values"
        for part, word in (("distribution", "distribution"), ("picture", "picture"), ("values", "table"))}),
    "an int": (lambda: 3, {
        part: f"a {word} is of a tensor, an array or lists of numbers, not of int"
        for part, word in (("distribution", "distribution"), ("picture", "picture"), ("values", "table"))}),
    "freed": (lambda: freed(), {
        part: f"no {word} of this Tensor: storage freed"
        for part, word in (("distribution", "distribution"), ("picture", "picture"), ("values", "table"))}),
}  # fmt: skip


EXTREMES: dict[str, tuple[Callable[[], Any], list[int] | None, list[int] | None]] = {
    "first among equals": (lambda: torch.tensor([[2.0, 1.0, 9.0], [1.0, 9.0, 3.0]]), [0, 1], [0, 2]),
    "neither NaN nor infinite": (lambda: torch.tensor([nan, inf, 5.0, -inf, 7.0]), [2], [4]),
    "none is finite": (lambda: np.array([nan, inf, -inf]), None, None),
    "integers that float64 rounds": (lambda: torch.tensor([2**62, 2**62 + 1, 2**62 - 1]), [2], [1]),
    "unsigned of 64 bits": (lambda: np.array([2**63 + 1, 2**63, 5], dtype=np.uint64), [2], [0]),
    "unsigned of torch": (lambda: torch.tensor([7, 60000, 3], dtype=torch.uint16), [2], [1]),
    "bools": (lambda: torch.tensor([True, False, True]), [1], [0]),
    "half precision": (lambda: torch.tensor([0.5, 65504.0, -1.0], dtype=torch.float16), [2], [1]),
    "complex, by magnitude": (lambda: torch.tensor([3 + 4j, 1j, -6.0]), [1], [2]),
    "expanded": (lambda: torch.tensor([[1.0], [5.0]]).expand(2, 10**9), [0, 0], [1, 0]),
    "not contiguous": (lambda: torch.arange(6.0).reshape(2, 3).t(), [0, 0], [2, 1]),
    "no dimension": (lambda: torch.tensor(3.0), [], []),
    "lists": (lambda: [[1, 5], [0, 2]], [1, 0], [0, 1]),
    "in a later block": (lambda: torch.cat([torch.zeros(200_000), torch.tensor([1.0, -1.0])]), [200_001], [200_000]),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_the_least_and_the_greatest_element_are_found(name: str) -> None:
    make, least, greatest = EXTREMES[name]
    found = asked(make(), parts="extremes")["extremes"]
    assert (found.get("min"), found.get("max")) == (least, greatest)


def test_what_has_no_element_has_neither_a_least_nor_a_greatest() -> None:
    assert reasons(torch.zeros(0, 3), parts="facts extremes") == {
        "extremes": "the least and the greatest are of elements: shape [0, 3] has none"
    }


def frame(name: str) -> Any:
    columns: dict[str, Any] = {
        "b": [2.5, nan, -1.0],
        "a": ["x", "=1", "y"],
        "n": [2**60, 1, 0],
        "on": [True, False, True],
    }
    if name == "pandas":
        pandas = pytest.importorskip("pandas")
        return pandas.DataFrame(columns, index=["first", "second", "third"])
    return pytest.importorskip("polars").DataFrame(columns)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_table_has_cells_with_the_numbers_that_they_are_sorted_by(name: str) -> None:
    found = asked(frame(name), parts="table")["table"]
    assert (found["shape"], found["window"], found["names"]) == ([3, 4], [0, 3, 0, 4], ["b", "a", "n", "on"])
    assert found["labels"] == (["first", "second", "third"] if name == "pandas" else ["0", "1", "2"])
    numbers, texts, whole, flags = found["columns"]
    assert numbers["numbers"][0] == 2.5
    assert numbers["numbers"][2] == -1
    assert texts == {"texts": ["x", "=1", "y"]}
    assert whole["numbers"] == [2**60, 1, 0]
    assert flags["texts"] == ["True", "False", "True"]


PANDAS_COLUMNS: dict[str, tuple[Callable[[Any], Any], list[str], list[float | None] | None]] = {
    "integers": (lambda pd: pd.array([7, None, 3], dtype="Int64"), ["7", "NA", "3"], [7, None, 3]),
    "floats": (lambda pd: pd.array([7.5, None, 3], dtype="Float64"), ["7.5", "NA", "3"], [7.5, None, 3]),
    "bools": (lambda pd: pd.array([True, None, False], dtype="boolean"), ["True", "NA", "False"], [1, None, 0]),
    "sparse": (lambda pd: pd.arrays.SparseArray([0, 1, 0]), ["0", "1", "0"], [0, 1, 0]),
    "categories that are numbers": (lambda pd: pd.Categorical([100, None, 50]), ["100", "missing", "50"], None),
    "categories": (lambda pd: pd.Categorical(["b", None, "a"]), ["b", "missing", "a"], None),
    "periods": (
        lambda pd: pd.PeriodIndex(["2020-01", "NaT", "2020-02"], freq="M"),
        ["2020-01", "NaT", "2020-02"],
        None,
    ),
}


@pytest.mark.parametrize("name", PANDAS_COLUMNS)
def test_cells_that_are_missing_or_no_numbers_are_not_sorted_as_such(name: str) -> None:
    make, texts, numbers = PANDAS_COLUMNS[name]
    pandas = pytest.importorskip("pandas")
    values = make(pandas)
    found = asked(pandas.DataFrame({"x": values}), parts="table")["table"]
    assert found["columns"] == [{"texts": texts, **({} if numbers is None else {"numbers": numbers})}]


@pytest.mark.parametrize(
    ("name", "labels"), [("categories", ["b", "missing", "a"]), ("periods", ["2020-01", "NaT", "2020-02"])]
)
def test_rows_have_the_labels_of_their_index(name: str, labels: list[str]) -> None:
    pandas = pytest.importorskip("pandas")
    index = pandas.Index(PANDAS_COLUMNS[name][0](pandas))
    found = asked(pandas.DataFrame({"x": [1, 2, 3]}, index=index), parts="table")["table"]
    assert found["labels"] == labels


HUGE: list[tuple[int, str, float | None]] = [
    (2**64, str(2**64), 2**64),
    (-(2**70), str(-(2**70)), -(2.0**70)),
    (10**400, "int of 1,329 bits", None),
    (-(10**5000), "−int of 16,610 bits", None),
]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_huge_integer_is_a_cell_as_any(library: str) -> None:
    tables = pytest.importorskip(library)
    values = [whole for whole, _, _ in HUGE]
    column = tables.Series(values, dtype=object if library == "pandas" else tables.Object)
    found = asked(tables.DataFrame({"x": column}), parts="table")["table"]
    assert found["columns"] == [{"texts": [text for _, text, _ in HUGE], "numbers": [number for _, _, number in HUGE]}]


def test_the_names_of_many_columns_are_found_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    asked_for: list[int] = []
    head = Table.head

    def watched(self: Table, start: int, count: int) -> list[tuple[str, str]]:
        asked_for.append(count)
        return head(self, start, count)

    monkeypatch.setattr(Table, "head", watched)
    found = asked(pandas.DataFrame(np.zeros((1, 300))), parts="table", window=[0, 1, 0, 300])["table"]
    assert (found["names"], set(found["dtypes"])) == ([str(at) for at in range(300)], {"float64"})
    assert asked_for == [1] * 300


def test_labels_of_a_table_are_what_one_reads() -> None:
    pandas = pytest.importorskip("pandas")
    for index, texts in [
        (pandas.CategoricalIndex(["p", "q", None]), ["p", "q", "missing"]),
        (pandas.CategoricalIndex([10, 20, 10]), ["10", "20", "10"]),
        (pandas.period_range("2020-03", periods=3, freq="M"), ["2020-03", "2020-04", "2020-05"]),
        (pandas.Index(pandas.array([1, None, 3], "Int64")), ["1", "NA", "3"]),
        (pandas.date_range("2020-01-01", periods=3), ["2020-01-01", "2020-01-02", "2020-01-03"]),
        (pandas.Index(["a", "b", "c"]), ["a", "b", "c"]),
    ]:
        found = asked(pandas.DataFrame({"x": [1, 2, 3]}, index=index), parts="table")["table"]
        across = asked(pandas.DataFrame([[1, 2, 3]], columns=index), parts="table")["table"]
        assert (found["labels"], across["names"]) == (texts, texts)


def test_a_large_table_is_told_by_the_window_and_in_parts() -> None:
    pandas = pytest.importorskip("pandas")
    large = pandas.DataFrame(np.arange(600_000).reshape(3000, 200), columns=[f"c{at}" for at in range(200)])
    first = asked(large, parts="table")["table"]
    assert first["window"] == [0, 100, 0, 50]
    later = asked(large, parts="table", window=[2990, 3000, 198, 200])["table"]
    assert later["labels"] == [str(at) for at in range(2990, 3000)]
    assert [column["numbers"][-1] for column in later["columns"]] == [599_998, 599_999]
    assert reasons(large, parts="facts table", window=[3000, 3001, 0, 1]) == {
        "table": "window has rows 3000 to 3001 of 3000: there are none"
    }


def test_what_is_no_table_has_none_and_no_reason() -> None:
    assert reasons(torch.zeros(2, 2), parts="facts table") == {}


def freed() -> torch.Tensor:
    x = torch.ones(3, 4)
    x.untyped_storage().resize_(0)
    return x


@pytest.mark.parametrize("name", WITHOUT)
def test_what_is_missing_has_a_reason(name: str) -> None:
    make, said = WITHOUT[name]
    assert reasons(make()) == said


@pytest.mark.filterwarnings("ignore")  # of making the values
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.eye(3).to_sparse(),
        lambda: torch.nested.nested_tensor([torch.ones(2)]),
    ],
)
def test_what_is_kept_in_another_way_is_said_to_be(make: Callable[[], torch.Tensor]) -> None:
    assert list(reasons(make())) == ["values", "distribution", "picture"]


def test_only_the_parts_that_were_asked_for_are_there() -> None:
    assert set(asked(torch.ones(2, 2))) == {"lens", "line", "facts", "distribution", "picture"}
    assert set(asked(torch.ones(2, 2), parts="values picture")) == {"lens", "picture", "values"}
    assert set(asked({}, parts="facts")) == {"lens", "line", "facts"}


# The picture


def tiled(x: np.ndarray[Any, Any], tile: tuple[int, int], fold: Any) -> np.ndarray[Any, Any]:
    high, wide = tile
    return np.array(
        [
            [fold(x[top : top + high, left : left + wide]) for left in range(0, x.shape[1], wide)]
            for top in range(0, x.shape[0], high)
        ]
    )


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("how", "fold"), [("mean", np.mean), ("min", np.min), ("max", np.max), ("nearest", lambda part: part[0, 0])]
)
def test_tiles_are_over_their_elements(library: str, exact: bool, how: str, fold: Any) -> None:
    x = np.random.default_rng(0).standard_normal((103, 250))
    found = picture(torch.from_numpy(x) if library == "torch" else x, tiles=20, shown=how, exact=exact)
    assert (found["tile"], found["tiles"], found["complete"], found["read"]) == ([13, 13], [8, 20], True, 1.0)
    assert (found["offset"], found["factor"], found["shown"], found["sort"]) == (0, 1, how, "float")
    np.testing.assert_allclose(shown(found), tiled(x, (13, 13), fold), rtol=1e-6, atol=1e-7)
    assert marks(found) == [[0] * 20] * 8
    plane = found["planes"][0]
    assert (plane["min"], plane["max"], plane["nan"], plane["pos_inf"], plane["neg_inf"]) == (x.min(), x.max(), 0, 0, 0)


def test_marks_are_of_all_that_a_tile_holds() -> None:
    x = torch.tensor([[nan, 1.0, inf, 2.0], [inf, -inf, -inf, inf], [1.0, nan, -inf, -inf], [1.0, 2.0, 3.0, 4.0]])
    found = picture(x, tiles=2)
    assert marks(found) == [[NAN + INF + NEG_INF, INF + NEG_INF], [NAN, NEG_INF]]
    assert shown(found).tolist() == [[1.0, 2.0], [pytest.approx(4 / 3), 3.5]]
    plane = found["planes"][0]
    assert (plane["nan"], plane["pos_inf"], plane["neg_inf"], plane["min"], plane["max"]) == (2, 3, 4, 1.0, 4.0)


def test_a_tile_without_a_finite_element_is_nan() -> None:
    found = picture(torch.full((2, 2), nan))
    assert np.isnan(shown(found)).all()
    assert (found["planes"][0]["min"], found["planes"][0]["max"]) == (None, None)


@given(
    st.integers(1, 30), st.integers(1, 30), st.integers(1, 12), st.integers(0, 2**32),
    st.sampled_from(["mean", "min", "max", "nearest"]), st.sampled_from(["torch", "numpy", "lists"]), st.booleans(),
)  # fmt: skip
def test_reducing_loses_no_count(
    height: int, width: int, tiles: int, seed: int, how: str, library: str, exact: bool
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((height, width))
    for value in (nan, inf, -inf):
        x[rng.random(x.shape) < 0.05] = value
    value: Any = {"torch": torch.from_numpy(x), "numpy": x, "lists": x.tolist()}[library]
    found = picture(value, tiles=tiles, shown=how, exact=exact)
    plane, high, wide = found["planes"][0], *found["tile"]
    assert max(found["tiles"]) <= tiles
    assert (plane["nan"], plane["pos_inf"], plane["neg_inf"]) == (
        np.isnan(x).sum(),
        (x == inf).sum(),
        (x == -inf).sum(),
    )
    flags = NAN * np.isnan(x) + INF * (x == inf) + NEG_INF * (x == -inf)
    assert marks(found) == tiled(flags, (high, wide), lambda part: np.bitwise_or.reduce(part.reshape(-1))).tolist()


LINES: dict[str, tuple[Callable[[], Any], dict[str, Any], list[float], list[float]]] = {
    "whole": (lambda: torch.tensor([3.0, 1.0, 2.0]), {}, [3, 1, 2], [3, 1, 2]),
    "in tiles": (lambda: torch.tensor([3.0, 1.0, 2.0, 9.0, 8.0]), {"tiles": 3}, [1, 2, 8], [3, 9, 8]),
    "of a window": (lambda: torch.arange(10.0), {"window": [0, 1, 4, 8], "tiles": 2}, [4, 6], [5, 7]),
    "along a dimension": (lambda: torch.arange(12.0).view(3, 4), {"dims": [0], "index": [-1]}, [3, 7, 11], [3, 7, 11]),
    "what is asked is not regarded": (lambda: torch.arange(4.0), {"tiles": 2, "shown": "max"}, [0, 2], [1, 3]),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
def test_of_one_dimension_the_range_is_shown(name: str) -> None:
    make, options, lows, highs = LINES[name]
    found = picture(make(), **options)
    assert (found["shown"], shown(found)[0].tolist(), shown(found, field="highs")[0].tolist()) == ("range", lows, highs)
    assert found["tiles"][0] == 1


X = torch.arange(2 * 3 * 4 * 5, dtype=torch.float64).view(2, 3, 4, 5)
PLACES: dict[str, tuple[dict[str, Any], Any, dict[str, Any]]] = {
    "the last two": ({}, X[0, 0], {"dims": [2, 3], "index": [0, 0], "window": [0, 4, 0, 5]}),
    "at an index": ({"index": [1, -1]}, X[1, 2], {"dims": [2, 3], "index": [1, 2]}),
    "other dimensions": ({"dims": [0, -1], "index": [2, 3]}, X[:, 2, 3, :], {"dims": [0, 3], "index": [2, 3]}),
    "transposed": ({"dims": [3, 1], "index": [1, 0]}, X[1, :, 0, :].T, {"dims": [3, 1], "index": [1, 0]}),
    "a window": ({"window": [1, 3, 2, 5]}, X[0, 0, 1:3, 2:5], {"window": [1, 3, 2, 5]}),
    "a window, transposed": ({"dims": [3, 2], "window": [1, 3, 2, 4]}, X[0, 0].T[1:3, 2:4], {"dims": [3, 2], "window": [1, 3, 2, 4]}),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("library", ["torch", "numpy", "lists"])
def test_any_part_of_a_value_is_shown(name: str, library: str) -> None:
    options, expected, told = PLACES[name]
    value: Any = {"torch": X, "numpy": X.numpy(), "lists": X.tolist()}[library]
    found = picture(value, **options)
    assert shown(found).tolist() == expected.tolist()
    assert {field: found[field] for field in told} == told
    table = asked(value, parts="values", **options)["values"]
    assert [[float(text) for text in row] for row in table["rows"]] == expected.tolist()
    assert {field: table[field] for field in told} == told


FACETS: dict[str, tuple[dict[str, Any], list[tuple[list[int], Any]]]] = {
    "one": ({"facets": [0]}, [([i], X[i, 0]) for i in range(2)]),
    "two": ({"facets": [0, 1]}, [([i, j], X[i, j]) for i in range(2) for j in range(3)]),
    "in the other order": ({"facets": [1, -4]}, [([j, i], X[i, j]) for j in range(3) for i in range(2)]),
    "at an index": ({"facets": [1], "index": [1]}, [([j], X[1, j]) for j in range(3)]),
    "lines": ({"dims": [2], "facets": [1], "index": [1, 2]}, [([j], X[1, j, :, 2][None]) for j in range(3)]),
}  # fmt: skip


@pytest.mark.parametrize("name", FACETS)
@pytest.mark.parametrize("exact", [False, True])
def test_facets_stand_side_by_side_in_row_major_order(name: str, exact: bool) -> None:
    options, planes = FACETS[name]
    found = picture(X, exact=exact, **options)
    assert [plane["index"] for plane in found["planes"]] == [at for at, _ in planes]
    for at, (_, expected) in enumerate(planes):
        assert shown(found, at).tolist() == expected.tolist()
        assert (found["planes"][at]["min"], found["planes"][at]["max"]) == (expected.min(), expected.max())
    assert (found["left_out"], found["facets"]) == (0, [at % 4 for at in options["facets"]])


def test_where_there_is_no_room_planes_have_fewer_tiles_and_facets_are_left_out() -> None:
    found = picture(torch.zeros(50, 3, 200, 300), facets=[0, 1])
    assert (len(found["planes"]), found["left_out"]) == (64, 86)
    assert prod(found["tiles"]) * 64 <= 1 << 18
    assert prod(found["tiles"]) * 64 > 1 << 17
    assert prod(picture(torch.zeros(2000, 2000), tiles=1024)["tiles"]) <= 1 << 18
    assert picture(torch.zeros(2000, 100), tiles=1024)["tiles"] == [1000, 100]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "index": ({"index": [2, 0]}, "index 2 is outside of dimension 0, of size 2"),
    "too few": ({"index": [0]}, "index has an integer for each of 2 other dimensions, not 1"),
    "with facets": ({"facets": [0], "index": [0, 0]}, "index has an integer for each of 1 other dimensions, not 2"),
    "dimension": ({"dims": [4, 0]}, "dims 4 is outside of 4 dimensions"),
    "twice": ({"dims": [1, -3]}, "dims are different dimensions, not 1 twice"),
    "three": ({"dims": [0, 1, 2]}, "dims are one dimension or two, not 3"),
    "none": ({"dims": []}, "dims are one dimension or two, not 0"),
    "facet twice": ({"facets": [0, 0]}, "facets are different dimensions, not 0 twice"),
    "facet of the picture": ({"facets": [3]}, "dimension 3 is both of a picture and of its facets"),
    "three facets": ({"dims": [3], "facets": [0, 1, 2]}, "facets are two dimensions at most, not 3"),
    "empty window": ({"window": [2, 2, 0, 5]}, "window has rows 2 to 2 of 4: there are none"),
    "beyond": ({"window": [0, 4, 0, 6]}, "window has columns 0 to 6 of 5: there are none"),
    "half a window": ({"window": [0, 4]}, "window has four numbers, not 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_option_that_does_not_fit_the_value_loses_no_other_part(name: str) -> None:
    options, said = REFUSED[name]
    found = asked(X, parts=PARTS, **options)
    assert found["missing"] == [
        {"part": "values", "reason": said.replace("picture", "table")}, {"part": "picture", "reason": said}
    ]  # fmt: skip
    assert (found["distribution"]["count"], "facts" in found) == (120, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"parts": "facts pictures"},
            "parts are some of facts distribution picture values extremes table comparison error_map, "
            "with blanks between them",
        ),
        (
            {"parts": ""},
            "parts are some of facts distribution picture values extremes table comparison error_map, "
            "with blanks between them",
        ),
        ({"exact": 1}, "exact is true or false"),
        ({"robust": "yes"}, "robust is true or false"),
        ({"dims": 1}, "dims is a list of whole numbers"),
        ({"index": [0.5]}, "index is a list of whole numbers"),
        ({"window": [True, 1, 0, 1]}, "window is a list of whole numbers"),
        ({"facets": "0"}, "facets is a list of whole numbers"),
        ({"tiles": 0}, "tiles is a whole number from 1 to 1024"),
        ({"tiles": 1025}, "tiles is a whole number from 1 to 1024"),
        ({"tiles": 1.5}, "tiles is a whole number from 1 to 1024"),
        ({"bins": 257}, "bins is a whole number from 1 to 256"),
        ({"shown": "median"}, "shown is one of mean, min, max, nearest"),
        ({"shown": 1}, "shown is one of mean, min, max, nearest"),
        ({"colour": 1}, "'details' has no option 'colour'"),
    ],
)
def test_what_is_no_option_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidQuestion) as refused:
        asked(X, **options)
    assert str(refused.value) == said


def test_an_expanded_dimension_is_read_once() -> None:
    x = torch.tensor([[1.5], [nan]])[:, :1].expand(2, 10**10)
    found = asked(x, parts=PARTS, exact=True, tiles=4)
    drawn = found["picture"]
    assert (drawn["tiles"], shown(drawn)[0].tolist(), drawn["complete"]) == ([2, 4], [1.5] * 4, True)
    assert (drawn["planes"][0]["nan"], marks(drawn)[1]) == (10**10, [NAN] * 4)
    assert (found["distribution"]["count"], found["distribution"]["nan"]) == (2 * 10**10, 10**10)
    one = asked(torch.ones(1, 1).expand(10**5, 10**5), parts=PARTS)
    assert shown(one["picture"]).tolist() == np.ones(one["picture"]["tiles"]).tolist()
    assert one["distribution"]["histogram"]["counts"] == [10**10]
    assert one["values"]["rows"] == [["1.0"] * 20] * 100


def test_a_value_of_many_dimensions() -> None:
    x = torch.arange(2.0**12).view([2] * 12)
    found = picture(x, dims=[0, 11], facets=[5, 6], index=[1] * 8)
    assert shown(found, 3).tolist() == x[:, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, :].tolist()


def test_names_of_dimensions_are_told_where_there_are_any() -> None:
    assert "names" not in picture(torch.ones(2, 3))
    try:
        x = torch.ones(2, 3, 4, names=("N", None, "C"))  # type: ignore[call-arg]
    except (TypeError, RuntimeError):
        pytest.skip("this torch has no named tensors")
    assert picture(x)["names"] == ["N", None, "C"]


CATEGORIES: dict[str, tuple[Callable[[], Any], dict[str, Any], str, Any]] = {
    "of integers": (lambda: torch.tensor([[7, -1], [7, -1]]), {}, "nearest", [[-1, 2], [7, 2]]),
    "in tiles": (lambda: torch.tensor([[3, 5] * 8] * 4), {"tiles": 4}, "nearest", [[3, 32], [5, 32]]),
    "a minimum is one": (lambda: torch.tensor([[3, 5] * 8] * 4), {"tiles": 4, "shown": "min"}, "min", [[3, 32], [5, 32]]),
    "of two planes": (lambda: torch.tensor([[[1, 1]], [[2, 2]]]), {"facets": [0]}, "nearest", [[1, 2], [2, 2]]),
    "of bools": (lambda: torch.tensor([[True, True]]), {}, "mean", [[0, 0], [1, 2]]),
    "of numpy": (lambda: np.array([[1, 1]], np.uint8), {}, "nearest", [[1, 2]]),
    "of a window": (lambda: torch.tensor([[1, 1, 2, 2]]), {"window": [0, 1, 2, 4]}, "nearest", [[2, 2]]),
    "each once": (lambda: torch.arange(9).view(3, 3), {}, "mean", None),
    "none in the first plane": (lambda: torch.stack([torch.arange(20), torch.ones(20, dtype=torch.int64)])[:, None], {"facets": [0]}, "mean", None),
    "of floats": (lambda: torch.ones(3, 3), {}, "mean", None),
    "too many": (lambda: torch.arange(13).repeat(4, 1), {}, "mean", None),
    "a line": (lambda: torch.tensor([1, 1, 1]), {}, "range", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CATEGORIES)
@pytest.mark.parametrize("exact", [False, True])
def test_categories_have_labels(name: str, exact: bool) -> None:
    make, options, how, labels = CATEGORIES[name]
    found = picture(make(), exact=exact, **options)
    assert (found["shown"], found.get("labels")) == (how, labels)


def test_of_bools_the_share_of_true_is_shown() -> None:
    found = picture(torch.tensor([[True, False, True, True]] * 2), tiles=2)
    assert (shown(found).tolist(), found["sort"], found["planes"][0]["max"]) == ([[0.5, 1.0]], "bool", 1)


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("conjugated", [False, True])
def test_complex_numbers_have_magnitudes_and_phases(library: str, conjugated: bool) -> None:
    x = np.random.default_rng(1).standard_normal((6, 5, 2)).view(np.complex128)[..., 0]
    value: Any = torch.from_numpy(x) if library == "torch" else x
    found = picture(value.conj() if conjugated else value, tiles=3)
    expected = np.abs(x)
    np.testing.assert_allclose(shown(found), tiled(expected, (2, 2), np.mean), rtol=1e-6)
    phases = np.angle((x.conj() if conjugated else x)[::2, ::2])
    np.testing.assert_allclose(floats(found["planes"][0]["phase"]).reshape(3, 3), phases, rtol=1e-6)
    assert (found["sort"], spread(value)["quantiles"]["values"][-1]) == ("complex", pytest.approx(expected.max()))


KEPT: dict[str, list[Any]] = {
    "far from 0": [1e9 + 1e-3, 1e9 + 2e-3, 1e9 + 3e-3],
    "far below 0": [-1e9 - 1e-3, -1e9 - 2e-3],
    "beyond float32": [1e300, 2e300, -3e300],
    "at both ends": [-1.7e308, 1.7e308, 0.0],
    "tiny": [1e-60, 2e-60, 5e-60],
    "the least": [5e-324, 1e-323],
    "all alike": [1e9 + 0.25, 1e9 + 0.25],
    "zeros": [0.0, 0.0],
}


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_differences_are_kept_in_float32(name: str, library: str) -> None:
    x = np.array([KEPT[name]])
    found = picture(torch.from_numpy(x) if library == "torch" else x)
    spacing = min(1e308, float(x.max()) - float(x.min()))
    np.testing.assert_allclose(shown(found), x, rtol=1e-7, atol=spacing * 1e-6)
    if name != "the least":
        assert len(set(shown(found)[0])) == len(set(x[0]))
    if name == "zeros":
        assert (found["offset"], found["factor"]) == (0, 1)


@pytest.mark.parametrize(
    "numbers",
    [
        [2**60 + 1, 2**60, 2**60 + 5], [-(2**62) + 1, -(2**62)], [2**53 + 1, 2**53 + 2], [0, 1, 2], [10**9, 10**9 + 1],
        [-(2**63), -(2**63) + 1],
    ],
)  # fmt: skip
@pytest.mark.parametrize("library", ["torch", "numpy", "uint64", "swapped"])
def test_whole_numbers_far_from_zero_are_told_apart(numbers: list[int], library: str) -> None:
    if library == "uint64":
        numbers = [2**64 - 1 - abs(number) // 2**10 % 1000 for number in numbers] if min(numbers) < 0 else numbers
        value: Any = torch.tensor([numbers], dtype=of_torch("uint64"))
    else:
        value = (
            torch.tensor([numbers])
            if library == "torch"
            else np.array([numbers], {"swapped": ">i8"}.get(library, "i8"))
        )
    found = picture(value, shown="min")
    assert type(found["offset"]) is int
    exact = [found["offset"] + int(number * found["factor"]) for number in floats(found["planes"][0]["values"])]
    assert exact == numbers
    assert (found["planes"][0]["min"], found["planes"][0]["max"]) == (min(numbers), max(numbers))


def test_whole_numbers_of_the_whole_range_are_about_right() -> None:
    numbers = [-(2**63), 2**63 - 1, 0, 2**61]
    found = picture(torch.tensor([numbers]))
    np.testing.assert_allclose(shown(found)[0], np.array(numbers, float), rtol=1e-6, atol=1e12)


SMALL: dict[str, Any] = {
    "float16": lambda: torch.tensor([[0.1, 65504.0, nan]]).half(),
    "bfloat16": lambda: torch.tensor([[0.1, 3e38, -inf]]).bfloat16(),
    "float8_e4m3fn": lambda: torch.tensor([[0.1, 448.0, nan]]).to(of_torch("float8_e4m3fn")),
    "float8_e5m2": lambda: torch.tensor([[0.1, 57344.0, inf]]).to(of_torch("float8_e5m2")),
    "float8_e4m3fnuz": lambda: torch.tensor([[0.1, 200.0, nan]]).to(of_torch("float8_e4m3fnuz")),
    "uint16": lambda: torch.tensor([[1, 65535]], dtype=of_torch("uint16")),
    "uint64": lambda: torch.tensor([[1, 2**64 - 1]], dtype=of_torch("uint64")),
    "int8": lambda: torch.tensor([[-128, 127]], dtype=torch.int8),
    "complex32": lambda: torch.tensor([[1 + 2j, 3j]]).to(torch.complex32),
    "numpy's float16": lambda: np.array([[0.1, inf]], np.float16),
    "long double": lambda: np.array([[0.1, 3.0]], np.longdouble),
    "jax's": lambda: library("jax.numpy").array([[0.1, 2.0]]),
    "jax's bfloat16": lambda: library("jax.numpy").array([[0.1, 2.0]], "bfloat16"),
    "bytes": lambda: memoryview(b"abc"),
    "an image": lambda: library("PIL.Image").new("RGB", (4, 3), (1, 2, 3)),
    "masked": lambda: np.ma.array([[1.0, 2.0]], mask=[[False, True]]),
    "flipped": lambda: torch.ones(2, 2, dtype=torch.complex64).conj().imag,
    "a parameter": lambda: nn.Parameter(torch.ones(2, 2)),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # of making the values
@pytest.mark.parametrize("name", SMALL)
def test_every_part_is_there_of_all_that_has_elements(name: str) -> None:
    value = SMALL[name]()
    assert "missing" not in asked(value, parts=PARTS)


# The distribution


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "float16"])
def test_the_histogram_and_the_quantiles_are_those_of_numpy(library: str, exact: bool, dtype: str) -> None:
    x = (np.random.default_rng(3).standard_normal((77, 91)) * 100).astype(dtype)
    found = spread(torch.from_numpy(x) if library == "torch" else x, exact=exact, bins=32)
    histogram, quantiles = found["histogram"], found["quantiles"]
    counts, _ = np.histogram(x.astype(float), np.array(histogram["edges"], float))
    if dtype == "int64":
        counts = [((x >= low) & (x < high)).sum() for low, high in zip(histogram["edges"], histogram["edges"][1:])]
    assert histogram["counts"] == list(counts)
    assert quantiles["at"] == [0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0]
    np.testing.assert_allclose(quantiles["values"], np.quantile(x.astype(float), quantiles["at"]), rtol=1e-6)
    assert (found["count"], found["read"], found["exact"], found["below"], found["above"]) == (
        x.size,
        x.size,
        True,
        0,
        0,
    )
    assert (found["nan"], found["zeros"]) == (0, (x == 0).sum())


@given(
    st.lists(
        st.one_of(st.sampled_from([nan, inf, -inf, 0.0, -0.0, 1.0]), st.floats(width=32), st.integers(-3, 3)), min_size=1, max_size=60
    ),
    st.integers(1, 20), st.booleans(), st.sampled_from(["float32", "float64", "int32", "int64", "float16"]),
)  # fmt: skip
def test_each_element_is_counted_once(numbers: list[float], bins: int, robust: bool, dtype: str) -> None:
    if dtype[:3] == "int":
        numbers = [int(number) if abs(number) < 2**31 else 5 for number in numbers]
    with np.errstate(all="ignore"):
        x = np.array(numbers).astype(dtype)
    for value in (x, torch.from_numpy(x)):
        found = spread(value, bins=bins, robust=robust)
        inside = sum(found["histogram"]["counts"])
        assert inside + found["below"] + found["above"] + found["nan"] + found["pos_inf"] + found["neg_inf"] == len(x)
        assert (found["nan"], found["pos_inf"]) == (np.isnan(x).sum(), (x == inf).sum())
        assert (found["neg_inf"], found["zeros"]) == ((x == -inf).sum(), (x == 0).sum())
        edges = found["histogram"]["edges"]
        if edges:
            finite = x[np.isfinite(x)].astype(float)
            assert found["below"] == (finite < edges[0]).sum()
            assert found["above"] == ((finite > edges[-1]) if dtype[:5] == "float" else (finite >= edges[-1])).sum()
        assert robust or found["below"] == found["above"] == 0


@pytest.mark.parametrize("exact", [False, True])
def test_a_robust_histogram_leaves_out_the_outermost(exact: bool) -> None:
    x = torch.cat([torch.linspace(0, 1, 10_000), torch.tensor([1e9, -1e9])])
    found = spread(x, robust=True, exact=exact)
    edges, quantiles = found["histogram"]["edges"], np.quantile(x.double().numpy(), [0.005, 0.995])
    np.testing.assert_allclose([edges[0], edges[-1]], quantiles, rtol=0.02)
    assert (found["below"], found["above"]) == (50, 50)
    assert sum(found["histogram"]["counts"]) == 10_002 - 100
    assert found["quantiles"]["values"][-1] == 1e9
    assert spread(x)["below"] == 0


def test_the_gradient_has_a_distribution_of_its_own() -> None:
    weight = nn.Parameter(torch.ones(3, 4))
    assert "gradient" not in asked(weight)
    weight.grad = torch.cat([torch.zeros(11), torch.tensor([nan])]).view(3, 4)
    found = asked(weight, parts="distribution", robust=True)["gradient"]
    assert (found["count"], found["nan"], found["zeros"]) == (12, 1, 11)
    assert "gradient" not in asked(weight * 2)
    retained = weight * 2
    retained.retain_grad()
    retained.sum().backward()
    assert asked(retained, parts="distribution")["gradient"]["zeros"] == 0
    weight.grad = None
    weight.grad = torch.eye(3, 4).to_sparse()
    assert {"distribution"} == set(asked(weight, parts="distribution")) - {"lens"}


def test_lists_are_as_arrays() -> None:
    assert spread([[1, 2], [2, 4]])["histogram"] == spread(np.array([[1, 2], [2, 4]]))["histogram"]
    assert picture([True, False])["sort"] == "bool"
    assert rows([1.5, 2]) == [["1.5", "2.0"]]
    assert rows([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], index=[1]) == [["5", "6"], ["7", "8"]]
    assert reasons([[1, 2], [3]])["picture"] == "a picture is of lists of equal lengths: these are not"
    assert reasons([10**30])["values"] == "no table of these lists: they hold integers beyond 64 bits"
    assert reasons([0] * (2**18 + 1))["distribution"] == "a distribution is of lists of up to 262,144 numbers"


# The elements

DIGITS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "float32": (lambda: torch.tensor([0.1, 1 / 3, 1e7, -0.0, 1e-45, 3.4e38]), ["0.1", "0.33333334", "10000000.0", "-0.0", "1e-45", "3.4e+38"]),
    "float64": (lambda: torch.tensor([0.1, 1 / 3], dtype=torch.float64), ["0.1", "0.3333333333333333"]),
    "float16": (lambda: torch.tensor([0.1, 1 / 3, 6e-8]).half(), ["0.1", "0.3333", "6e-08"]),
    "bfloat16": (lambda: torch.tensor([0.1, 1 / 3]).bfloat16(), ["0.1", "0.334"]),
    "float8": (lambda: torch.tensor([0.1, 448.0]).to(of_torch("float8_e4m3fn")), ["0.1", "450.0"]),
    "not finite": (lambda: torch.tensor([nan, inf, -inf]), ["nan", "inf", "-inf"]),
    "bool": (lambda: torch.tensor([True, False]), ["True", "False"]),
    "int64": (lambda: torch.tensor([2**62, -3]), ["4611686018427387904", "-3"]),
    "uint64": (lambda: torch.tensor([2**64 - 1], dtype=of_torch("uint64")), ["18446744073709551615"]),
    "complex": (lambda: torch.tensor([1 + 2j, 0.1 - 0.1j, complex(nan, inf)]), ["1+2j", "0.1-0.1j", "nan+infj"]),
    "complex128": (lambda: np.array([1 / 3 + 2j]), ["0.3333333333333333+2j"]),
    "numpy's float32": (lambda: np.array([0.1, 16777216], ">f4"), ["0.1", "16777216.0"]),
    "long double": (lambda: np.array(["0.1"], np.longdouble), ["0.1"]),
}  # fmt: skip


@pytest.mark.parametrize("name", DIGITS)
def test_elements_are_written_in_the_fewest_digits(name: str) -> None:
    make, texts = DIGITS[name]
    assert rows(make()) == [texts]


@given(st.lists(st.floats(width=32), min_size=1, max_size=40), st.sampled_from(["float32", "float16", "bfloat16", "float64", "float8_e5m2"]))  # fmt: skip
def test_what_is_written_is_the_same_element(numbers: list[float], dtype: str) -> None:
    x = torch.tensor(numbers, dtype=torch.float64).to(of_torch(dtype))
    (texts,) = rows(x)
    again = torch.tensor([float(text) for text in texts], dtype=torch.float64).to(x.dtype)
    assert torch.equal(again.double().nan_to_num(7.25, 8.25, 9.25), x.double().nan_to_num(7.25, 8.25, 9.25))
    if dtype == "float32":
        shortest = [np.format_float_positional(np.float32(number), trim="-") for number in numbers]
        assert [digits(text) for text in texts] == [digits(text) for text in shortest]


def digits(text: str) -> int:
    """How many there are between the first and the last that is no zero."""
    return len(text.lstrip("-").partition("e")[0].replace(".", "").strip("0"))


WINDOWS: dict[str, tuple[tuple[int, ...], dict[str, Any], list[int]]] = {
    "the first rows and columns": ((500, 300), {}, [0, 100, 0, 20]),
    "small": ((3, 4), {}, [0, 3, 0, 4]),
    "a line": ((5000,), {}, [0, 1, 0, 2000]),
    "as asked": ((500, 300), {"window": [7, 9, 5, 105]}, [7, 9, 5, 105]),
    "too many": ((500, 300), {"window": [0, 500, 100, 200]}, [0, 20, 100, 200]),
    "too wide": ((2, 5000), {"window": [1, 2, 1000, 5000]}, [1, 2, 1000, 3000]),
    "with facets": ((4, 500, 300), {"facets": [0]}, [0, 100, 0, 20]),
}  # fmt: skip


@pytest.mark.parametrize("name", WINDOWS)
def test_a_page_of_elements_is_of_the_first_that_fit(name: str) -> None:
    shape, options, window = WINDOWS[name]
    x = torch.arange(prod(shape)).view(shape)
    found = asked(x, parts="values", **options)["values"]
    top, bottom, left, right = found["window"]
    assert found["window"] == window
    plane = x[0] if len(shape) == 3 else x if len(shape) == 2 else x[None]
    assert found["rows"] == [list(map(str, row)) for row in plane[top:bottom, left:right].tolist()]


# Time


@pytest.mark.parametrize("make", [lambda: torch.ones(3000, 2000), lambda: np.ones((3000, 2000))])
def test_without_time_a_sample_is_shown(make: Callable[[], Any]) -> None:
    x = make()
    x[5, 7] = inf
    found = asked(x, timed(1), parts="facts picture values")
    drawn = found["picture"]
    assert (drawn["complete"], 0 < drawn["read"] < 1, found["values"]["rows"][0][0]) == (False, True, "1.0")
    assert np.nanmax(shown(drawn)) == 1
    assert 0 < picture(x, late())["read"] < 1
    sampled = spread(x, timed(0.5, 100))
    assert (
        sampled["exact"],
        sampled["read"] < 6_000_000,
        sum(sampled["histogram"]["counts"]) >= sampled["read"] - 1,
    ) == (False, True, True)


def test_facets_of_a_sample_have_one_layout() -> None:
    found = picture(torch.ones(6, 1000, 1000), timed(1), facets=[0])
    assert (found["complete"], len(found["planes"])) == (False, 6)
    assert all(shown(found, at).tolist() == np.ones(found["tiles"]).tolist() for at in range(6))


def test_one_inf_among_many_is_found_where_it_is_to_be_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        x = torch.zeros(30_000_000)
        x[23_456_789] = inf
        x = x.view(5000, 6000)
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    question = {"lens": "details", "values": {"value": {"expression": "x"}}, "limits": {"ms": 60}}
    first = paused.ask("lens", **question, options={"parts": "picture distribution"})
    assert (first["done"], first["found"]["picture"]["complete"]) == (True, False)
    options = {"parts": "picture distribution", "exact": True}
    answer, progress = paused.ask("lens", **question, options=options), [0.0]
    while not answer["done"]:
        progress.append(answer["progress"])
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.ask("lens", **question, options=options, **where)
    drawn, found = answer["found"]["picture"], answer["found"]["distribution"]
    assert (len(progress) > 2, progress) == (True, sorted(progress))
    assert (drawn["complete"], drawn["planes"][0]["pos_inf"]) == (True, 1)
    row, column = 23_456_789 // 6000, 23_456_789 % 6000
    high, wide = drawn["tile"]
    assert marks(drawn)[row // high][column // wide] == INF
    assert (found["exact"], found["pos_inf"], found["zeros"], found["read"]) == (True, 1, 29_999_999, 30_000_000)


def test_what_was_exact_is_the_same_in_many_slices_as_in_one() -> None:
    x = torch.randn(400, 700)
    x[3, 4], x[5, 6] = nan, -inf
    for value in (x, x.numpy(), torch.randint(0, 5, (400, 700)), x.to(torch.complex64)):
        for options in ({}, {"robust": True, "shown": "max"}):
            whole = asked(value, parts="distribution picture values", exact=True, **options)
            assert asked(value, timed(3), parts="distribution picture values", exact=True, **options) == whole


def test_work_that_is_not_gone_on_with_dies_with_the_stop() -> None:
    x = torch.ones(3000, 3000)
    lens = registry.lens("details", {"value": Child("x", x, "x")}, {"exact": True}, timed(3), None)
    with Untouched():
        assert not lens.go_on()
    gone = weakref.ref(x), weakref.ref(lens)
    gc.disable()
    try:
        del x, lens
        assert [value() for value in gone] == [None, None]
    finally:
        gc.enable()


@pytest.mark.parametrize("value", [[[1, 2], [3, 4]], [torch.ones(2), torch.ones(2)], [[1], [2, 3]]])
def test_what_lists_hold_is_let_go_of(value: Any) -> None:
    def look() -> None:
        lens = registry.lens("details", {"value": Child("x", value, "x")}, {"parts": PARTS}, Budget(), None)
        with Untouched():
            assert lens.go_on()

    assert lasting(look) <= 0


def test_memory_that_is_gone_between_two_slices_is_not_read() -> None:
    x = torch.ones(3000, 3000)
    lens = registry.lens("details", {"value": Child("x", x, "x")}, {"exact": True}, timed(3), None)
    with Untouched():
        assert not lens.go_on()
        x.untyped_storage().resize_(0)
        lens.budget.renew(10**6)
        while not lens.go_on():
            lens.budget.renew(10**6)
        found: Any = lens.found()
    assert found["missing"] == [{"part": part, "reason": "storage freed"} for part in ("distribution", "picture")]
    assert set(found) == {"lens", "line", "facts", "missing"}


# Promises


def trained() -> nn.Parameter:
    weight = nn.Parameter(torch.randn(40, 30))
    (weight * 2).sum().backward()
    return weight


LOOKED: dict[str, Callable[[], Any]] = {
    "parameter": trained, "not a leaf": lambda: torch.randn(40, 30, requires_grad=True) * 2,
    "large": lambda: torch.randn(600, 700), "integers": lambda: torch.randint(0, 4, (50, 60)),
    "complex": lambda: torch.randn(20, 20, dtype=torch.complex64).conj(), "array": lambda: np.arange(600.0).reshape(20, 30)[:, ::2],
    "with NaN": lambda: torch.tensor([[nan, inf], [1.0, -inf]]), "lists": lambda: [[1, 2], [3, 4]],
    "view": lambda: trained()[1:].t(), "expanded": lambda: torch.ones(1, 3).expand(5, 3),
    "half": lambda: torch.randn(30, 30).half(), "model": lambda: nn.Linear(2, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKED)
@pytest.mark.parametrize("exact", [False, True])
def test_nothing_of_the_program_changes(name: str, exact: bool) -> None:
    value = LOOKED[name]()
    options = {"parts": PARTS, "exact": exact, "robust": True}
    asked(value, **options)
    with Watch(value) as watch, Untouched():
        lens = registry.lens("details", {"value": Child("x", value, "x")}, options, timed(0.5), None)
        while not lens.go_on():
            lens.budget.renew(20)
        lens.found(), lens.row()
    assert watch.changes() == []


def test_modes_threads_and_random_numbers_stay_between_slices() -> None:
    x = torch.randn(2000, 2000)
    before = (
        torch.get_rng_state(),
        np.random.get_state()[1].tolist(),
        random.getstate(),
        np.geterr(),
        torch.get_num_threads(),
    )
    lens = registry.lens("details", {"value": Child("x", x, "x")}, {"exact": True}, timed(3), None)
    done, slices = False, 0
    while not done:
        with Untouched():
            done = lens.go_on()
        lens.budget.renew(20)
        slices += 1
        after = (
            torch.get_rng_state(),
            np.random.get_state()[1].tolist(),
            random.getstate(),
            np.geterr(),
            torch.get_num_threads(),
        )
        assert torch.equal(before[0], after[0])
        assert before[1:] == after[1:]
    assert slices > 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int64"])
def test_scratch_memory_is_bounded(dtype: str) -> None:
    x = torch.ones(2000, 2000, dtype=getattr(torch, dtype))
    for options in ({}, {"exact": True}):
        look = {"parts": "facts distribution picture", "tiles": 512, **options}

        def held(look: dict[str, Any] = look) -> None:
            with Untouched():
                lens = registry.lens("details", {"value": Child("x", x, "x")}, look, Budget(), None)
                while not lens.go_on():
                    pass

        held()
        assert peak_memory(held) <= 16


def test_the_answer_is_bounded_and_strict_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> Any:
        x = torch.full((64, 300, 300), complex(nan, inf))
        x[0, 0, 0] = 1e30 + 1e30j
        return sys._getframe()

    paused = Paused(stop(), monkeypatch)
    answer = paused.lens("details", {"parts": PARTS, "facets": [0], "tiles": 1024}, value="x")
    assert answer["op"] == "lens"
    assert len(paused.replies[-1]) < 4 << 20
    FOUND.validate(answer["found"])
    assert answer["node"]["line"] == answer["found"]["line"]


def test_a_program_without_numpy_has_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    x, lists = torch.randn(30, 40), [[1, 2], [3, 4]]
    before = asked(x, parts=PARTS), asked(lists, parts="picture values")
    numpy = sys.modules.pop("numpy")
    try:
        with Untouched():
            after = []
            for value, parts in ((x, PARTS), (lists, "picture values")):
                lens = registry.lens("details", {"value": Child("x", value, "x")}, {"parts": parts}, Budget(), None)
                assert lens.go_on()
                after.append(lens.found())
    finally:
        sys.modules["numpy"] = numpy
    assert tuple(after) == before


def test_as_many_planes_as_there_are_cost_no_more_than_those_that_are_shown() -> None:
    endless = torch.tensor(1.0).expand(10**6, 10**9, 2, 2)
    picture(torch.zeros(2, 2, 2), facets=[0])  # which loads what is needed
    found: dict[str, Any] = {}
    assert peak_memory(lambda: found.update(picture(endless, facets=[0, 1]))) < 16
    assert [plane["index"] for plane in found["planes"]] == [[0, at] for at in range(64)]
    assert found["left_out"] == 10**15 - 64


@pytest.mark.parametrize(
    "numbers",
    [[[-(2**63), 1, 2], [3, 4, 5]], [[2**62 + 12345, 1, 2], [3, 5, 7]], [[0, 10, 20], [30, 40, 2**60]]],
)
def test_whole_numbers_keep_their_digits_beside_one_that_is_huge(numbers: list[list[int]]) -> None:
    found = picture(torch.tensor(numbers))
    (plane,) = found["planes"]
    sent = np.frombuffer(base64.b64decode(plane["values"]), np.float32).astype(float)
    seen = sent * found["factor"] + found["offset"]
    assert [value for value in seen.tolist() if abs(value) < 2**53] == [
        value for row in numbers for value in row if abs(value) < 2**53
    ]


# What is masked, and what is quantized


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("tiles", [8, 512])
def test_masked_elements_are_marked_and_counted_in_a_picture(exact: bool, tiles: int) -> None:
    values, hidden = np.arange(1600.0).reshape(40, 40), np.zeros((40, 40), bool)
    values[0, 0], values[1, 2], values[9, 9], hidden[1, 2], hidden[9, 9] = nan, nan, 1e30, True, True
    found = picture(np.ma.masked_array(values, hidden), exact=exact, tiles=tiles)
    (plane,) = found["planes"]
    assert (plane["masked"], plane["nan"], plane["max"]) == (2, 1, 1599.0)
    side = found["tile"][0]
    there = np.array(marks(found))
    wanted: dict[tuple[int, int], int] = {}
    for place, mark in (((0, 0), 1), ((1, 2), 8), ((9, 9), 8)):
        at = (place[0] // side, place[1] // side)
        wanted[at] = wanted.get(at, 0) | mark
    assert {(int(row), int(column)): int(there[row, column]) for row, column in np.argwhere(there)} == wanted


def test_only_what_has_a_mask_tells_how_many_are_masked() -> None:
    assert "masked" not in picture(np.ones((3, 3)))["planes"][0]
    assert picture(np.ma.masked_array(np.ones((2, 2)), [[True, False], [False, False]]))["planes"][0]["masked"] == 1


@pytest.mark.filterwarnings("ignore")  # of making the values
def test_facets_and_slices_of_quantized_tensors_are_those_of_their_numbers() -> None:
    value = torch.quantize_per_channel(
        torch.randn(3, 5, 6), torch.tensor([0.1, 0.2, 0.3]), torch.arange(3), 0, torch.qint8
    )
    for options in ({}, {"facets": [0]}, {"dims": [2, 0], "index": [4]}, {"window": [1, 4, 2, 5]}, {"dims": [1]}):
        assert picture(value, **options) == picture(value.dequantize(), **options)


@pytest.mark.filterwarnings("ignore")  # of making the values
def test_the_numbers_of_masked_and_quantized_values_are_there() -> None:
    quantized = torch.quantize_per_tensor(torch.tensor([[0.3, -1.0]]), 0.5, 0, torch.qint8)
    assert rows(np.ma.masked_array([[1.5, 2.0]], [[False, True]])) == [["1.5", "masked"]]
    assert rows(quantized) == [["0.5", "-1.0"]]
    assert reasons(quantized) == {}


def under_a_mask(library: str, values: Any, hidden: Any) -> Any:
    if library == "numpy":
        return np.ma.masked_array(values, hidden)
    masked = pytest.importorskip("torch.masked")
    return masked.masked_tensor(torch.from_numpy(values), ~torch.from_numpy(hidden))


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_the_distribution_of_a_masked_value_is_of_what_is_kept(library: str, exact: bool, dtype: str) -> None:
    generator = np.random.default_rng(4)
    values, hidden = (generator.standard_normal((300, 250)) * 100).astype(dtype), generator.random((300, 250)) < 0.3
    hidden[:140] = True  # whole blocks, too
    values[200, 3] = values[250, 4] = 0
    hidden[200, 3], hidden[250, 4] = False, True
    found, wanted = (
        spread(of, exact=exact, bins=32) for of in (under_a_mask(library, values, hidden), values[~hidden])
    )
    assert found.pop("masked") == hidden.sum()
    assert (found.pop("count"), wanted.pop("count")) == (values.size, values.size - hidden.sum())
    assert found == wanted


def test_the_distribution_of_masked_complex_numbers_is_of_the_magnitudes_that_are_kept() -> None:
    values = np.array([3 + 4j, 1e30, 6 + 8j])
    found = spread(np.ma.masked_array(values, [False, True, False]))
    assert (found["quantiles"]["values"][0], found["quantiles"]["values"][-1], found["masked"]) == (5.0, 10.0, 1)


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_where_all_is_masked_the_distribution_says_so(library: str) -> None:
    found = spread(under_a_mask(library, np.ones((3, 4)), np.ones((3, 4), bool)))
    assert (found["masked"], found["read"], found["histogram"]["counts"]) == (12, 0, [])


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_a_sample_of_a_masked_value_tells_how_many_of_it_are_masked(library: str) -> None:
    values, hidden = np.arange(3_000_000.0).reshape(1000, 3000), np.zeros((1000, 3000), bool)
    hidden[:, ::2] = True
    found = spread(under_a_mask(library, values, hidden), late())
    assert not found["exact"]
    assert 0 < found["read"] + found["masked"] < values.size
    assert 0.45 < found["masked"] / (found["read"] + found["masked"]) < 0.55


@pytest.mark.parametrize("make", [np.array, torch.tensor])
def test_that_a_distribution_is_of_magnitudes_is_told_of_complex_numbers_alone(make: Callable[[Any], Any]) -> None:
    found = spread(make([3 + 4j, 0j]))
    assert (found["magnitudes"], found["quantiles"]["values"][-1]) == (True, 5.0)
    assert "magnitudes" not in spread(make([3.0]))


def test_only_what_has_a_mask_has_masked_elements_in_its_distribution() -> None:
    assert "masked" not in spread(np.ones((3, 3)))
    assert spread(np.ma.masked_array(np.ones(2), [True, False]))["masked"] == 1


@pytest.mark.filterwarnings("ignore")  # of making a masked tensor
def test_a_mask_over_an_expanded_value_counts_each_element() -> None:
    values = np.broadcast_to(np.arange(3.0), (5, 3))
    for hidden in (np.broadcast_to([True, False, False], (5, 3)), np.eye(5, 3, dtype=bool)):
        found = spread(np.ma.masked_array(values, hidden), exact=True)
        assert (found["masked"], found["read"]) == (hidden.sum(), 15 - hidden.sum())


QUANTIZED: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "one scale": lambda x: torch.quantize_per_tensor(x, 0.05, 3, torch.qint8),
    "a scale a row": lambda x: torch.quantize_per_channel(x, torch.rand(90) + 0.1, torch.arange(90), 0, torch.qint32),
    "transposed": lambda x: torch.quantize_per_tensor(x, 0.05, 100, torch.quint8).t(),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")  # of making the values
@pytest.mark.parametrize("name", QUANTIZED)
@pytest.mark.parametrize("exact", [False, True])
def test_the_distribution_of_a_quantized_value_is_of_the_numbers_that_it_stands_for(name: str, exact: bool) -> None:
    value = QUANTIZED[name](torch.randn(90, 700))
    assert spread(value, exact=exact) == spread(value.dequantize(), exact=exact)
    assert spread(value, exact=exact, robust=True) == spread(value.dequantize(), exact=exact, robust=True)


@pytest.mark.filterwarnings("ignore")  # of making the values
def test_where_the_extremes_of_masked_and_quantized_values_are_is_found() -> None:
    quantized = torch.quantize_per_tensor(torch.tensor([[0.3, -1.0], [7.0, 0.0]]), 0.5, 0, torch.qint8)
    assert asked(quantized, parts="extremes")["extremes"] == {"min": [0, 1], "max": [1, 0]}
    for dtype in (float, int):
        values, hidden = np.array([[9, 1], [-5, 2]], dtype), np.array([[True, False], [True, False]])
        assert asked(np.ma.masked_array(values, hidden), parts="extremes")["extremes"] == {"min": [0, 1], "max": [1, 1]}
    assert asked(np.ma.masked_array([1, 2], [True, True]), parts="extremes")["extremes"] == {}


@pytest.mark.filterwarnings("ignore")  # of making the values
def test_why_packed_quantized_values_are_not_drawn_is_a_sentence() -> None:
    x, scales = torch.randn(4, 6), torch.rand(4) + 0.1
    packed = torch.quantize_per_channel(x, scales, torch.zeros(4), 0, of_torch("quint4x2"))
    for reason in reasons(packed).values():
        assert reason.endswith("quint4x2 packs several numbers into a byte: dequantize() gives them")
    assert {*reasons(packed)} == {"values", "distribution", "picture"}


# Numbers that float32 can't bear together

FAR_APART: dict[str, list[float]] = {
    "from the least to the most": [5e-324, 1.7976931348623157e308, -1e-300, 0.0],
    "tiny beside one": [1e-200, 1.0, -1e-310],
    "tiny and apart": [0.0, 1e-50, 1.0],
    "one beside the largest": [1e300, 1.0],
}


@pytest.mark.parametrize("name", FAR_APART)
@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("dims", [None, [1]])
def test_numbers_far_apart_arrive_as_they_are(name: str, library: str, dims: list[int] | None) -> None:
    numbers = [FAR_APART[name]]
    value = torch.tensor(numbers, dtype=torch.float64) if library == "torch" else np.array(numbers)
    found = picture(value, **({} if dims is None else {"dims": dims}))
    assert found["wide"] is True
    sent = np.frombuffer(base64.b64decode(found["planes"][0]["values"]), "<f8") * found["factor"] + found["offset"]
    assert sent.tolist() == numbers[0]


@pytest.mark.parametrize("values", [[[1e-30, 1.0]], [[1e300, 2e300]], [[0.0, 1e-300]], [[0.0, 0.0]], [[nan, 1.0]]])
def test_other_numbers_arrive_as_float32(values: list[list[float]]) -> None:
    assert "wide" not in picture(np.array(values))


def test_what_is_float32_arrives_as_it_is() -> None:
    assert "wide" not in picture(np.array([[1e-40, 1.0]], np.float32))
