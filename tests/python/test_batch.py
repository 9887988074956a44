"""The lens `batch`, checked against torch, numpy and pandas, and by brute force."""

from __future__ import annotations

import dataclasses
import runpy
import sys
from collections import Counter, OrderedDict, namedtuple
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import hostile
import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from asking import Paused
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler, TensorDataset
from untouched import Watch

from tensor_inspector import batch
from tensor_inspector.kinds import Child
from tensor_inspector.lenses.batch import parts as finding
from tensor_inspector.lenses.batch.batch import BatchLens
from tensor_inspector.measure import samples
from tensor_inspector.safe.budget import Budget

Pair = namedtuple("Pair", "x y")


@dataclasses.dataclass
class Sample:
    image: torch.Tensor
    label: int


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def parts(value: object) -> dict[str, Any]:
    return {part["path"]: part for part in batch(value)["parts"]}


def problems(value: object) -> dict[str, str]:
    return {problem["code"]: problem["text"] for problem in batch(value)["problems"]}


IMAGES, LABELS = torch.randn(6, 3, 4, 4, generator=seeded()), torch.tensor([0, 1, 2, 0, 1, 0])
NESTED: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "a pair": (lambda: (IMAGES, LABELS), ["[0]", "[1]"]),
    "a list, as a loader makes it": (lambda: [IMAGES, LABELS], ["[0]", "[1]"]),
    "a dict": (lambda: {"x": IMAGES, "meta": {"y": LABELS}}, ["['x']", "['meta']['y']"]),
    "an ordered dict": (lambda: OrderedDict(x=IMAGES), ["['x']"]),
    "a named tuple": (lambda: Pair(IMAGES, LABELS), [".x", ".y"]),
    "a dataclass": (lambda: Sample(IMAGES, 3), [".image", ".label"]),
    "arrays": (lambda: (IMAGES.numpy(), LABELS.numpy()), ["[0]", "[1]"]),
    "texts": (lambda: {"text": ["a", "b"], "y": [0, 1]}, ["['text']", "['y']"]),
    "a tensor": (lambda: IMAGES, [""]),
    "samples": (lambda: [{"x": IMAGES[0], "y": 1}, {"x": IMAGES[1], "y": 0}], ["[i]['x']", "[i]['y']"]),
    "pairs": (lambda: [(IMAGES[at], at) for at in range(6)], ["[i][0]", "[i][1]"]),
    "tensors of several sizes": (lambda: [torch.ones(at, 2) for at in (1, 2, 3)], ["[i]"]),
    "three tensors of one batch": (lambda: [IMAGES, IMAGES, IMAGES], ["[0]", "[1]", "[2]"]),
}


@pytest.mark.parametrize("case", NESTED)
def test_each_part_is_told_by_its_path(case: str) -> None:
    make, paths = NESTED[case]
    assert list(parts(make())) == paths


def test_a_model_output_is_told_by_its_fields() -> None:
    outputs = pytest.importorskip("transformers.modeling_outputs")
    assert list(parts(outputs.BaseModelOutput(last_hidden_state=torch.ones(2, 3)))) == ["['last_hidden_state']"]


@pytest.mark.parametrize(
    "tensor",
    [
        IMAGES, IMAGES.half(), IMAGES.bfloat16(), IMAGES.double(), LABELS, LABELS.to(torch.uint8), IMAGES > 0,
        torch.tensor([1.0, torch.nan, torch.inf]), torch.empty(0, 3), torch.tensor(2.5),
    ],
    ids=lambda tensor: f"{tensor.dtype} {list(tensor.shape)}",
)  # fmt: skip
@pytest.mark.parametrize("as_array", [False, True])
def test_shape_dtype_and_range_are_those_of_the_library(tensor: torch.Tensor, as_array: bool) -> None:
    if as_array and tensor.dtype is torch.bfloat16:
        pytest.skip("numpy has no bfloat16")
    part = parts({"x": tensor.numpy() if as_array else tensor})["['x']"]
    finite = tensor[tensor.isfinite()].double()
    assert part["shape"] == list(tensor.shape)
    assert part["dtype"] == str(tensor.dtype)[6:]
    assert (part["nan"], part["inf"]) == (int(tensor.isnan().sum()), int(tensor.isinf().sum()))
    if len(finite):
        assert (part["min"], part["max"]) == (float(finite.min()), float(finite.max()))
        assert part["mean"] == pytest.approx(float(finite.mean()), abs=1e-6)
    else:
        assert (part["min"], part["max"], part["mean"]) == (None, None, None)


@pytest.mark.parametrize(
    "labels",
    [
        LABELS, LABELS.to(torch.int16), LABELS.to(torch.uint8), LABELS[:, None], LABELS.float(), LABELS > 0,
        torch.tensor([-100, 3, 3, -100]), torch.tensor([2**40, 2**40 + 1]),
    ],
    ids=lambda tensor: f"{tensor.dtype} {list(tensor.shape)}",
)  # fmt: skip
@pytest.mark.parametrize("as_what", ["tensor", "array", "list"])
def test_labels_are_counted(labels: torch.Tensor, as_what: str) -> None:
    flat = labels.flatten().tolist()
    value: Any = labels if as_what == "tensor" else labels.numpy() if as_what == "array" else flat
    part = parts({"y": value})["['y']"]
    assert {label["label"]: label["count"] for label in part["labels"]} == dict(Counter(flat))
    assert part["distinct"] == len(set(flat))
    times = [amount for label, amount in Counter(flat).items() if label != -100]
    assert part["imbalance"] == (max(times) / min(times) if len(times) > 1 else None)


@pytest.mark.parametrize(
    "values",
    [
        torch.randn(50), torch.randint(0, 255, (2, 3, 40, 40), dtype=torch.uint8), torch.arange(5000),
        torch.tensor([0.5, 1.5]), torch.randint(0, 30_000, (8, 64)),
    ],
    ids=lambda tensor: f"{tensor.dtype} {list(tensor.shape)}",
)  # fmt: skip
def test_what_is_no_label_is_not_counted_as_one(values: torch.Tensor) -> None:
    assert parts({"x": values})["['x']"]["labels"] is None


def brute_force(rows: list[Any]) -> list[int]:
    return [next(other for other, known in enumerate(rows) if known == row) for row in rows]


@given(st.lists(st.lists(st.integers(-1, 1), min_size=70, max_size=70), min_size=2, max_size=12), st.booleans())
def test_equal_samples_are_those_that_brute_force_finds(rows: list[list[int]], as_array: bool) -> None:
    value: Any = np.array(rows) if as_array else torch.tensor(rows)
    assert samples.equal_samples(value, Budget()) == brute_force(rows)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8, torch.bool]
)
def test_equal_samples_are_found_in_every_dtype_also_where_they_differ_late(dtype: torch.dtype) -> None:
    values = (torch.rand(1, 3, 40, 40) * 200).expand(6, -1, -1, -1).clone().to(dtype)
    values[2, 2, 39, 38] = values[2, 2, 39, 38] == 0
    assert samples.equal_samples(values, Budget()) == [0, 0, 2, 0, 0, 0]


def test_nan_is_equal_to_nan_among_samples() -> None:
    values = torch.tensor([[torch.nan, 1.0], [torch.nan, 1.0], [torch.nan, 2.0]])
    assert samples.equal_samples(values, Budget()) == [0, 0, 2]


def test_where_there_is_no_time_equal_samples_are_not_known() -> None:
    assert samples.equal_samples(IMAGES, Budget(0)) is None


def test_samples_are_equal_where_all_their_parts_are() -> None:
    x, y = IMAGES[[0, 1, 0, 0]], torch.tensor([5, 6, 5, 7])
    assert parts((x, y))["[0]"]["duplicates"] == 2
    assert problems((x, y)) == {
        "duplicates": "1 sample of 4 equal to an earlier one",
        "contradiction": "sample 3 repeats sample 0 with another [1]",
    }
    assert problems((IMAGES, LABELS)) == {}


def test_columns_that_are_constant_are_told() -> None:
    table = torch.randn(20, 5, generator=seeded())
    table[:, [1, 4]] = 3
    assert parts({"x": table})["['x']"]["constant_columns"] == [1, 4]
    assert "columns 1, 4 constant" in str(batch({"x": table}))
    assert parts({"x": table.numpy()})["['x']"]["constant_columns"] == [1, 4]


@pytest.mark.parametrize(
    "value", [torch.ones(2, 4), {"attention_mask": torch.ones(30, 4)}, torch.ones(30, 4)], ids=["few", "mask", "all"]
)
def test_columns_that_are_constant_are_not_told_where_that_proves_nothing(value: Any) -> None:
    assert batch(value)["parts"][0]["constant_columns"] == []


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc])
def test_of_a_sparse_tensor_the_zeros_count_too(layout: torch.layout) -> None:
    part = parts(torch.eye(4).to_sparse(layout=layout))[""]
    assert (part["min"], part["max"], part["mean"]) == (0, 1, 0.25)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_sparse_tensor_whose_values_add_up_has_no_range() -> None:
    part = parts(torch.sparse_coo_tensor([[1, 1]], [2.0, 3.0], (4,)))[""]
    assert (part["min"], part["max"], part["mean"]) == (None, None, None)
    assert part["unread"] == "sparse: values at one place add up"


@pytest.mark.parametrize(
    "make",
    [
        lambda texts: np.array(texts), lambda texts: np.array(texts, dtype=object), pd.Series,
        lambda texts: pd.Series([*texts, None], dtype="string"), lambda texts: pd.Series([*texts, None]),
    ],
    ids=["strings", "objects", "pandas", "pandas with NA", "pandas with NaN"],
)  # fmt: skip
def test_labels_in_an_array_of_texts_are_counted_as_in_a_list(make: Callable[[Any], Any]) -> None:
    part = parts({"y": make(["a", "b", "a"])})["['y']"]
    assert part["labels"] == [{"label": "a", "count": 2}, {"label": "b", "count": 1}]
    assert (part["distinct"], part["imbalance"], part["unread"]) == (2, 2.0, None)


PROBLEMS: dict[str, tuple[Callable[[], Any], dict[str, str]]] = {
    "a label is missing": (lambda: (IMAGES, LABELS[:5]), {"batch_size": "[1] has 5, the others 6"}),
    "by name": (lambda: {"a": IMAGES, "b": LABELS, "y": LABELS[:2]}, {"batch_size": "['y'] has 2, the others 6"}),
    "devices": (
        lambda: (IMAGES, torch.ones(6, device="meta")), {"device": "on 2 devices: cpu: [0], meta: [1]"}
    ),
    "dtypes": (lambda: (IMAGES, IMAGES.double() * 2), {"dtype": "float32: [0], float64: [1]"}),
    "dtypes among samples": (
        lambda: [{"x": torch.ones(2)}, {"x": torch.ones(2, dtype=torch.int64)}], {"dtype": "[i]['x'] is of float32, int64"}
    ),
    "ranks among samples": (
        lambda: [{"x": torch.ones(2)}, {"x": torch.ones(2, 2)}], {"shape": "[i]['x'] is [2], [2, 2]"}
    ),
    "a mask that is too short": (
        lambda: {"input_ids": torch.arange(12).view(2, 6), "attention_mask": torch.ones(2, 5)},
        {"length": "['attention_mask'] is [2, 5], input_ids [2, 6]"},
    ),
    "lengths beyond the ids": (
        lambda: {"input_ids": torch.arange(12).view(2, 6), "lengths": torch.tensor([6, 7])},
        {"length": "['lengths'] goes to 7, input_ids have 6"},
    ),
    "nothing": (lambda: {"x": IMAGES, "y": LABELS, "text": ["a"] * 6, "lr": 0.1}, {}),
    "lengths of another number": (
        lambda: {"x": IMAGES, "y": LABELS, "lengths": torch.arange(5)}, {"batch_size": "['lengths'] has 5, the others 6"}
    ),
    "a list of two": (lambda: [IMAGES, IMAGES[:5]], {"batch_size": "[1] has 5, the others 6"}),
    "a list of three": (lambda: [IMAGES, IMAGES, IMAGES[:5]], {"batch_size": "[2] has 5, the others 6"}),
    "samples one after the other": (lambda: {"x": torch.randn(7), "lengths": torch.tensor([3, 4])}, {}),
    "a key that some samples lack": (
        lambda: [{"x": torch.ones(2), "y": 1}, {"x": torch.zeros(2)}, {"x": -torch.ones(2), "y": 2}],
        {"keys": "[i]['y'] is in 2 of 3 samples"},
    ),
    "keys that some samples lack": (
        lambda: {"all": [{"a": 1, "b": 2, "c": 3}, {"a": 4, "b": 5}, {"a": 7, "c": 0}]},
        {"keys": "['all'][i]['b'] is in 2 of 3 samples, ['all'][i]['c'] in 2"},
    ),
    "a sample that has one key of three": (
        lambda: [{"x": torch.ones(2), "y": 1, "z": 2}, {"x": -torch.ones(2), "y": 1, "z": 3}, {"x": torch.zeros(2)}],
        {"keys": "[i]['y'] is in 2 of 3 samples, [i]['z'] in 2"},
    ),
    "images of several sizes": (lambda: [{"x": torch.ones(3, size, 4), "y": size} for size in (4, 5, 6)], {}),
}  # fmt: skip


@pytest.mark.parametrize("case", PROBLEMS)
def test_what_does_not_fit_is_told(case: str) -> None:
    make, told = PROBLEMS[case]
    assert problems(make()) == told


RAGGED: dict[str, tuple[Callable[[], Any], int, list[str]]] = {
    "texts of two lengths": (lambda: [torch.ones(3), torch.ones(5)], 2, ["[i]"]),
    "beside labels": (lambda: {"x": [torch.ones(3), torch.ones(5)], "y": LABELS[:2]}, 2, ["['x'][i]", "['y']"]),
    "in a pair": (lambda: ([torch.ones(3, 4), torch.ones(5, 4)], LABELS[:2]), 2, ["[0][i]", "[1]"]),
    "arrays": (lambda: ([np.ones(3), np.ones(5)], np.array([0, 1])), 2, ["[0][i]", "[1]"]),
    "a tuple of three": (lambda: tuple(torch.randn(size) for size in (3, 4, 3)), 3, ["[i]"]),
    "token ids": (lambda: {"ids": [[1, 2, 3], [4, 5]], "y": [0, 1]}, 2, ["['ids'][i]", "['y']"]),
    "images of two sizes": (
        lambda: {"x": [torch.ones(3, 4, 4), torch.ones(3, 5, 4)], "y": LABELS[:2]}, 2, ["['x'][0]", "['x'][1]", "['y']"]
    ),
    "images of one size, and boxes": (
        lambda: ([IMAGES[0], IMAGES[1]], [{"boxes": torch.ones(size, 4)} for size in (3, 1)]), 2,
        ["[0][0]", "[0][1]", "[1][i]['boxes']"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", RAGGED)
def test_samples_of_several_lengths_are_no_batches_of_several_sizes(case: str) -> None:
    make, size, paths = RAGGED[case]
    found = batch(make())
    assert (found["size"], found["problems"]) == (size, [])
    assert [part["path"] for part in found["parts"]] == paths


@pytest.mark.parametrize(
    "make",
    [
        lambda: ([IMAGES, IMAGES], LABELS[:5]),
        lambda: (IMAGES.flatten(1), IMAGES.flatten(1)[:5]),
        lambda: {"x": [IMAGES, IMAGES.flatten(1)], "y": LABELS[:5]},
    ],
    ids=["inputs of one shape", "a pair", "inputs of two shapes"],
)
def test_several_inputs_and_labels_of_another_number_do_not_fit(make: Callable[[], Any]) -> None:
    assert list(problems(make())) == ["batch_size"]


@pytest.mark.parametrize(
    "make",
    [
        lambda texts, labels: [texts, labels],
        lambda texts, labels: list(zip(*zip(texts, labels))),
        lambda texts, labels: {"batch": (texts, labels)},
    ],
)
def test_a_list_of_texts_and_one_of_labels_are_two_parts(make: Callable[[Any, Any], Any]) -> None:
    found = batch(make(["a", "b", "c"], [0, 1, 1]))
    assert [part["labels"] for part in found["parts"]][-1] == [{"label": 0, "count": 1}, {"label": 1, "count": 2}]


def test_a_part_of_many_samples_is_told_as_one() -> None:
    value = [{"boxes": torch.full((size, 4), float(size)), "labels": torch.arange(size)} for size in (1, 2, 3)]
    found = parts(value)
    boxes = found["[i]['boxes']"]
    assert (boxes["values"], boxes["shape"], boxes["min"], boxes["max"]) == (3, [None, 4], 1.0, 3.0)
    assert boxes["mean"] == pytest.approx(float(torch.cat([one["boxes"] for one in value]).mean()))
    assert found["[i]['labels']"]["labels"] == [{"label": at, "count": 3 - at} for at in range(3)]
    assert batch(value)["size"] == 3


def test_texts_are_told_by_their_lengths_and_how_many_differ() -> None:
    part = parts({"text": ["a", "bbb", "a", ""]})["['text']"]
    assert (part["min"], part["max"], part["distinct"]) == (0, 3, 3)
    assert "1 empty" in str(batch({"text": [f"{at:03}" for at in range(300)] + [""]}))


FRAME = pd.DataFrame(
    {
        "age": [30.0, np.nan, 50.0, 30.0], "city": ["a", "b", "a", None], "n": [1, 1, 1, 1], "ok": [True, False, True, True],
        "when": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-03"]), "kind": pd.Categorical(["x", "y", "x", "x"]),
        "nullable": pd.array([1, 2, None, 2], dtype="Int64"),
    }
)  # fmt: skip


@pytest.mark.parametrize("name", ["age", "city", "n", "ok", "kind", "nullable"])
def test_a_column_of_pandas_is_told_as_pandas_tells_it(name: str) -> None:
    part, column = parts(FRAME)[repr(name)], FRAME[name]
    assert part["distinct"] == column.nunique()
    assert {one["label"]: one["count"] for one in part["labels"]} == column.value_counts().to_dict()
    assert part["missing"] == int(column.isna().sum())
    if name in ("age", "n", "nullable"):
        assert (part["min"], part["max"]) == (column.min(), column.max())


@pytest.mark.parametrize("name", ["age", "city", "n", "ok"])
def test_a_column_of_polars_is_told_as_polars_tells_it(name: str) -> None:
    frame = pl.DataFrame(
        {"age": [30.0, None, 50.0], "city": ["a", "b", "a"], "n": [1, 1, 1], "ok": [True, False, None]}
    )
    part, column = parts(frame)[repr(name)], frame[name]
    assert part["missing"] == column.null_count()
    assert part["distinct"] == column.drop_nulls().n_unique()
    assert {one["label"]: one["count"] for one in part["labels"]} == Counter(column.drop_nulls().to_list())


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([1, None, 3, 4], "3 numbers · 1 missing · 1…4 · μ 2.67"),
        (["a", None, "b", None], "2 strings · 2 missing · 2 different: 'a' ×1, 'b' ×1"),
        ((None, 0.5), "1 number · 1 missing · all 0.5"),
    ],
)
@pytest.mark.parametrize("as_samples", [False, True])
def test_what_is_missing_in_a_list_is_counted_and_printed(values: Any, line: str, as_samples: bool) -> None:
    found = batch(
        [{"v": value, "x": torch.ones(2)} for value in values]
        if as_samples
        else {"v": values, "x": np.ones(len(values))}
    )
    part = found["parts"][0]
    assert (found["size"], part["missing"], len(found["parts"])) == (len(values), list(values).count(None), 2)
    assert f"{part['path']}  {line}" in str(found)


def test_samples_that_lack_a_value_are_equal_where_all_else_is() -> None:
    rows = torch.tensor([[0, 0], [1, 1], [0, 0], [1, 1]])
    assert problems({"v": [1, None, 2, None], "x": rows})["duplicates"] == "1 sample of 4 equal to an earlier one"


def test_tensors_that_some_samples_lack_are_counted() -> None:
    part = parts([{"mask": torch.ones(3), "y": 1}, {"mask": None, "y": 2}])["[i]['mask']"]
    assert (part["missing"], part["shape"]) == (1, [3])


def test_a_part_that_all_samples_lack_is_printed_as_missing() -> None:
    found = str(batch([{"x": torch.ones(2), "y": None} for _ in range(3)]))
    assert "\n  [i]['y']  3 missing" in found


def test_items_that_no_expression_reaches_are_named_by_their_place() -> None:
    class Odd(list):  # type: ignore[type-arg]
        def __getitem__(self, key: object) -> object:
            raise AssertionError

    assert list(parts({"a": Odd([IMAGES, LABELS]), "b": {IMAGES}})) == ["['a'][0]", "['a'][1]", "['b']{0}"]


def test_a_dict_of_a_class_of_its_own_is_told_by_its_keys() -> None:
    class Odd(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: object) -> object:
            raise AssertionError

    assert list(parts(Odd(x=torch.ones(3), y=torch.ones(3)))) == ["['x']", "['y']"]


@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_has_a_sample_for_each_of_its_tensors(layout: torch.layout) -> None:
    nested = torch.nested.nested_tensor([torch.ones(2, 3), torch.zeros(4, 3)], layout=layout)
    found = batch({"s": nested, "y": torch.arange(2)})
    assert (found["size"], found["problems"], found["parts"][0]["max"]) == (2, [], 1)


@pytest.mark.parametrize("name", FRAME)
def test_what_is_missing_in_a_column_is_printed(name: str) -> None:
    missing = int(FRAME[name].isna().sum())
    row = next(line for line in str(batch(FRAME)).splitlines() if line.startswith(f"  {name!r}  "))
    assert any(f"{missing} {noun}" in row for noun in ("missing", "NaN", "NaT", "NA")) is bool(missing)
    found = batch({"x": FRAME[name]})
    if name in ("city", "kind"):
        assert found["parts"][0]["missing"] == missing
        assert found["parts"][0]["distinct"] == FRAME[name].nunique()
        assert ("missing" in str(found)) is bool(missing)


def test_a_columns_objects_are_not_compared() -> None:
    class Odd:
        def __ne__(self, other: object) -> bool:
            sys.exit("bye")

        __eq__ = __ne__
        __hash__ = None  # type: ignore[assignment]

    assert parts(pd.DataFrame({"o": [Odd()]}))["'o'"]["labels"] is None


def test_a_table_has_as_many_samples_as_rows() -> None:
    found = batch(FRAME)
    assert (found["of"], found["size"], found["problems"]) == ("table", 4, [])
    assert "2020-01-01…2020-01-03" in str(found)


class Counting(Dataset[int]):
    def __init__(self) -> None:
        self.root = "data"
        self.asked = 0

    def __len__(self) -> int:
        self.asked += 1
        return 5

    def __getitem__(self, at: int) -> int:
        self.asked += 1
        return at


def test_a_loader_is_told_by_its_settings_and_nothing_is_iterated() -> None:
    data = Counting()
    loader = DataLoader(data, 2, shuffle=True, drop_last=True, num_workers=0)
    before = data.asked
    found = batch(loader)
    settings = dict(found["settings"])
    assert (found["of"], found["size"]) == ("loader", None)
    assert [settings[name] for name in ("batch_size", "shuffle", "drop_last")] == ["2", "True", "True"]
    assert settings["collate_fn"] == "default_collate"
    assert settings["batches"] == "not asked: only the program's code could tell"
    assert data.asked == before


@pytest.mark.parametrize(
    ("make", "of", "size"),
    [
        (lambda: TensorDataset(IMAGES, LABELS), "dataset", 6),
        (lambda: DataLoader(TensorDataset(IMAGES), 4), "loader", 2),
        (lambda: DataLoader([1, 2, 3], 2), "loader", 2),
        (lambda: RandomSampler(TensorDataset(IMAGES)), "sampler", 6),
        (lambda: BatchSampler(SequentialSampler([1, 2, 3]), 2, False), "sampler", 2),
        (Counting, "dataset", None),
    ],
)
def test_how_many_samples_there_are_is_told_where_torch_keeps_it(
    make: Callable[[], Any], of: str, size: int | None
) -> None:
    found = batch(make())
    assert (found["of"], found["size"]) == (of, size)


def test_no_code_of_the_program_runs_and_nothing_changes() -> None:
    value = {
        "bad": hostile.objects(),
        "x": IMAGES,
        "deep": [[{"y": LABELS}]],
    }
    value["self"] = value
    batch(value)
    hostile.RAN.clear()
    with Watch(value) as watch:
        batch(value)
        batch(FRAME)
    assert (watch.changes(), hostile.RAN) == ([], [])


@pytest.mark.parametrize("value", [None, object(), print, torch.nn.Linear(1, 1), []])
def test_what_holds_no_data_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"not a batch of tensors|holds nothing"):
        batch(value)


@pytest.mark.parametrize(
    "value",
    [
        torch.ones(3, device="meta"), torch.ones(3).to_sparse(), torch.nested.nested_tensor([torch.ones(2)], layout=torch.jagged),
        np.array(["a", None], dtype=object),
        np.zeros(2, [("a", "i4")]), np.ma.masked_array([1, 2], [0, 1]), torch.ones(2, dtype=torch.complex64),
    ],
    ids=lambda value: str(type(value)),
)  # fmt: skip
def test_odd_elements_are_told_as_far_as_they_can_be(value: object) -> None:
    found = batch({"odd": value, "x": torch.ones(3)})
    assert [part["path"] for part in found["parts"]] == ["['odd']", "['x']"]
    assert str(found)


def test_a_batch_without_end_is_told_in_part() -> None:
    deep: Any = torch.ones(2)
    for _ in range(100):
        deep = [deep, 1.5]
    assert batch(deep)["complete"] is False
    assert batch({str(at): torch.ones(1) for at in range(500)})["complete"] is False


def test_work_is_done_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {str(at): torch.randn(50_000) for at in range(40)}
    assert value
    paused = Paused(sys._getframe(), monkeypatch)
    question = {"lens": "batch", "values": {"batch": {"expression": "value"}}}
    answer = paused.ask("lens", **question, limits={"ms": 1})
    seen = [answer["progress"]]
    while not answer["done"]:
        where = {"snapshot": answer["snapshot"], "resume": answer["resume"]}
        answer = paused.ask("lens", **question, **where, limits={"ms": 5})
        seen.append(answer["progress"])
    assert seen == sorted(seen)
    assert len(answer["found"]["parts"]) == 40


def test_samples_of_a_long_list_are_found_and_measured_in_slices() -> None:
    samples = [{"x": torch.ones(2), "y": at % 3} for at in range(4500)]
    time = count()  # a millisecond passes whenever somebody looks at the clock
    found = BatchLens(Child("samples", samples), Budget(20, clock=lambda: next(time) / 1000))
    seen = [found.progress()]
    while not found.go_on():
        seen.append(found.progress())
        found.budget.renew(20)
    assert [*seen, found.progress()] == sorted({*seen, 1.0})
    assert len(seen) > 100
    answer: Any = found.found()
    assert (answer["complete"], answer["size"], found.cut) == (True, 4500, False)
    assert answer["parts"][1]["labels"] == [{"label": label, "count": 1500} for label in range(3)]


def in_slices(parts: dict[str, torch.Tensor], ms: float) -> tuple[int, list[Any]]:
    """In how many slices they are described, and the parts of the answer.

    A millisecond passes whenever somebody looks at the clock: how often one does depends on how many cores are idle.
    """
    time = count()
    lens = BatchLens(Child("parts", parts), Budget(ms, clock=lambda: next(time) / 1000))
    slices = 1
    while not lens.go_on():
        lens.budget.renew(ms)
        slices += 1
    answer: Any = lens.found()
    return slices, answer["parts"]


def test_what_a_slice_had_no_time_to_read_whole_is_read_in_the_next() -> None:
    slices, parts = in_slices({f"x{at}": torch.randn(40_000) for at in range(60)}, 50)
    assert slices > 1
    assert [(part["exact"], part["unread"]) for part in parts] == [(True, None)] * 60


def test_of_what_no_slice_can_read_whole_a_sample_is_told() -> None:
    slices, parts = in_slices({f"x{at}": torch.randn(300_000) for at in range(5)}, 2)
    assert slices <= 10
    assert [part["exact"] for part in parts] == [False] * 5


def test_no_slice_looks_at_more_than_a_few_samples_more_than_it_has_time_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    as_kind = finding.as_kind
    monkeypatch.setattr(finding, "as_kind", lambda value, budget: told.append(value) or as_kind(value, budget))
    found = BatchLens(Child("samples", [(torch.ones(2), at) for at in range(500_000)]), Budget(0))
    amounts = [0]
    while found.progress() < 0.3:
        assert not found.go_on()
        amounts.append(len(told))
    first, *others = (after - before for before, after in zip(amounts, amounts[1:]))
    assert first < 5000
    assert max(others) <= 25
    assert amounts[-1] < 25_000


def test_of_what_is_too_long_for_any_time_the_first_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MOST", 3000)
    found = batch([{"x": at, "y": at} for at in range(5000)])
    assert (found["complete"], found["size"], found["problems"]) == (False, 5000, [])
    assert {part["exact"] for part in found["parts"]} == {False}
    said = str(found)
    assert "no time" not in said
    assert said.startswith("5,000 samples · ≈ of the first 1,000 only"), said
    assert batch([{"x": at, "y": at} for at in range(900)])["complete"] is True
    huge = batch([{str(key): at for key in range(4000)} for at in range(3)])
    assert (huge["complete"], huge["size"], huge["problems"]) == (False, 3, [])


def test_that_a_batch_holds_nothing_is_said_wherever_that_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = [print] * 3000
    assert nothing
    with pytest.raises(TypeError, match="nothing holds no tensors, arrays, numbers or texts"):
        batch(nothing)
    paused = Paused(sys._getframe(), monkeypatch)
    refused = paused.lens("batch", batch="nothing")
    assert "nothing holds no tensors, arrays, numbers or texts" in str(refused)


def test_rows_open_to_labels_and_to_the_value_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    data = (torch.tensor([[0.0, torch.nan]] * 4), torch.tensor([0, 0, 0, 1]))
    assert "uneven" in str(batch(torch.tensor([0] * 30 + [1] * 10)))
    assert data
    paused = Paused(sys._getframe(), monkeypatch)
    answer = paused.lens("batch", batch="data")
    row = answer["node"]
    assert row["name"] == "data in data"
    assert row["line"].startswith(
        "4 samples · [0] 4 NaN · 2 samples of 4 equal to an earlier one · sample 3 repeats sample 0"
    )
    rows = {node["name"]: node for node in row["page"]["nodes"]}
    assert rows["[1]"]["line"] == "int64[4] · 2 labels: 0 ×3, 1 ×1"
    assert rows["[0]"]["badges"] == ["nan"]
    below = paused.below(answer, rows["[1]"])
    assert [(node["name"], node.get("path")) for node in below] == [("labels", None), ("data[1]", "data[1]")]
    assert [node["line"] for node in paused.below(answer, below[0])] == ["3 · 75%", "1 · 25%"]


def test_of_a_list_of_samples_all_are_read() -> None:
    found = batch([(torch.ones(2), 0)] * 900 + [(torch.ones(2), 1)] * 900)
    assert [part["values"] for part in found["parts"]] == [1800, 1800]
    assert found["parts"][1]["labels"] == [{"label": 0, "count": 900}, {"label": 1, "count": 900}]
    assert (found["complete"], "uneven" in str(found)) == (True, False)
    samples = [torch.ones(2)] * 2999 + [torch.tensor([1.0, torch.nan])]
    assert batch(samples)["parts"][0]["nan"] == 1


def test_where_not_all_samples_are_read_each_part_and_the_line_say_so() -> None:
    found = batch([(torch.tensor([1.0, at + 2]), at // 9000) for at in range(18_000)], budget_ms=0)
    assert (found["complete"], {part["exact"] for part in found["parts"]}) == (False, {False})
    first, line, *rows = str(found).splitlines()
    assert first == "not all was looked at: there was no time for more"
    assert line.startswith("18,000 samples · ≈ of the first ")
    assert " of 18,000 · ≈1…" in rows[0]
    assert found["parts"][1]["labels"][0]["label"] == 0
    assert len(found["parts"][1]["labels"]) == 1


@pytest.mark.parametrize(
    "samples", [[{"a": 1}] * 300_000, [{"a": at, "b": "x"} for at in range(200_000)]], ids=["one key", "two keys"]
)
def test_of_many_samples_not_all_the_time_is_spent_to_find_them(samples: list[Any]) -> None:
    time = count()  # a millisecond passes whenever somebody looks at the clock
    found = BatchLens(Child("samples", samples), Budget(200, clock=lambda: next(time) / 1000))
    found.limit = found.budget
    found.go_on()
    found.stop()
    answer = found.found()
    assert answer["lens"] == "batch"
    assert (answer["complete"], found.cut) == (False, True)
    assert all(125 <= part["values"] < len(samples) for part in answer["parts"])
    assert next(time) < 220


def test_the_first_line_says_it_where_time_was_too_short_only_to_list_all() -> None:
    time = count()
    short, enough = Budget(0), Budget(10_000, clock=lambda: next(time) / 1000)
    for sample, limit, is_cut in ((1j, enough, False), (torch.ones(2), short, True)):
        found = BatchLens(Child("samples", [sample] * 6000), limit)
        found.limit = limit
        found.go_on()
        assert found.cut is is_cut


def test_what_was_not_read_is_not_exact() -> None:
    found = batch(torch.ones(3, device="meta"))
    assert (found["parts"][0]["unread"], found["parts"][0]["exact"]) == ("meta tensor: no values", False)
    part = batch([torch.zeros(3) for _ in range(5)] + [torch.zeros(3, device="meta")])["parts"][0]
    assert (part["unread"], part["exact"]) == ("meta tensor: no values", False)


def test_of_what_was_not_all_read_no_badge_says_that_all_are_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    meta = torch.zeros(3, device="meta")
    some = [torch.zeros(3) for _ in range(5)] + [meta]
    assert some
    paused = Paused(sys._getframe(), monkeypatch)
    for name, badges in (("meta", ["unread"]), ("some", ["sampled"])):
        rows = paused.lens("batch", batch=name)["node"]["page"]["nodes"]
        assert [row["badges"] for row in rows if row["name"] in ("value", "[i]")] == [badges]


def test_a_packed_sequence_holds_as_many_samples_as_sequences() -> None:
    packed = nn.utils.rnn.pack_sequence([torch.ones(4), torch.ones(3), torch.ones(1)])
    found = batch(packed)
    assert (found["size"], found["problems"]) == (3, [])
    assert ".batch_sizes  int64[4] · 1…3 · μ" in str(found)


def test_what_chance_makes_of_a_few_labels_is_not_called_uneven() -> None:
    for times, said in (
        ([3, 1], False),
        ([12, 4], False),
        ([30, 10], True),
        ([7, 3, 9, 5, 6], False),
        ([900, 100], True),
    ):
        labels = [label for label, amount in enumerate(times) for _ in range(amount)]
        assert ("uneven" in str(batch(torch.tensor(labels)))) is said


def test_what_contradicts_stands_in_the_line_before_the_parts() -> None:
    data = {f"feature{number}": torch.ones(100, 2) for number in range(4)} | {"y": torch.tensor([0, 1] * 50)}
    told = "sample 1 repeats sample 0 with another ['y']"
    assert told in str(batch(data)).splitlines()[0]


def paused_in(function: str, monkeypatch: pytest.MonkeyPatch) -> Paused:
    """At the marked line of a function of scenario 16."""
    path = Path(__file__).parents[1] / "programs" / "s16_inputs.py"
    lines = path.read_text().splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"def {function}("))
    stop = next(at for at, line in enumerate(lines) if at > start and "# STOP" in line) + 1
    found: list[FrameType] = []

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != str(path):
            return None
        if event == "line" and frame.f_lineno == stop:
            found.append(frame)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        runpy.run_path(str(path))[function]()
    finally:
        sys.settrace(before)
    return Paused(found[0], monkeypatch)


@pytest.mark.parametrize(
    ("function", "name", "said"),
    [
        ("raw_pixels", "images", "float32[16, 3, 10, 10] · 0…255 · μ 12"),
        ("constant_columns", "table", "columns 3, 7 constant"),
        ("few_samples", "batch", "12 samples equal to an earlier one"),
        ("one_class", "labels", "all zeros"),
        ("unbalanced", "labels", "3 labels: 0 ×60, 1 ×3, 2 ×1, uneven 60 : 1"),
    ],
)
def test_inputs_that_no_model_learns_from_well_are_told(
    function: str, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    answer = paused_in(function, monkeypatch).lens("batch", batch=name)
    assert any(said in node["line"] for node in answer["node"]["page"]["nodes"])


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([torch.zeros(3, 4, 4)] * 9 + [torch.zeros(1, 4, 4)], [("shape", "[9] is [1, 4, 4], most are [3, 4, 4]")]),
        ([torch.zeros(3, 4, 4)] * 9 + [torch.zeros(4, 4)], [("shape", "[9] is [4, 4], most are [3, 4, 4]")]),
        ([torch.zeros(3)] * 9 + [torch.zeros(3).double()], [("dtype", "[9] is float64, most are float32")]),
        (
            [{"y": 1}] + [{"x": torch.zeros(3, 3), "y": 1}] * 8 + [{"x": torch.zeros(3, 2), "y": 1}],
            [("keys", "[i]['x'] is in 9 of 10 samples"), ("shape", "[9]['x'] is [3, 2], most are [3, 3]")],
        ),
        ([torch.zeros(at % 2 + 1, 4) for at in range(10)], []),
        ([torch.zeros(9).long()] * 9 + [torch.zeros(4).long()], []),
        ([torch.zeros(3, 4)] * 2 + [torch.zeros(3)] * 2 + [torch.zeros(2)], [("shape", "[i] is [2], [3], [3, 4]")]),
    ],
    ids=["size", "rank", "dtype", "not in all", "as many", "texts", "no majority"],
)  # fmt: skip
def test_the_first_sample_that_differs_from_most_is_named(samples: list[Any], said: list[tuple[str, str]]) -> None:
    found = [(problem["code"], problem["text"]) for problem in batch(samples)["problems"]]
    assert [one for one in found if one[0] != "duplicates"] == said


def test_of_a_long_list_the_first_are_read_and_that_is_said() -> None:
    found = batch({"number": [0] * 70_000 + [1] * 10, "text": [f"{at}" for at in range(70_010)]})
    first, number, text = str(found).splitlines()
    assert first.startswith("70,010 samples · ≈ of each list the first 65,536 only · ")
    assert number == "  ['number']  70,010 numbers · ≈all 0"
    assert text == "  ['text']  70,010 strings · ≥65,536 different, ≈1…5 characters"
    assert (found["complete"], [part["exact"] for part in found["parts"]]) == (False, [False, False])
    listed = batch([{"numbers": [1] * 70_000} for _ in range(5)])
    assert "  [i]['numbers']  350,000 numbers · ≈all 1" in str(listed).splitlines()
    assert listed["complete"] is False
    assert batch([0] * 65_536)["complete"] is True


def test_where_there_was_no_time_for_statistics_the_first_line_says_so() -> None:
    found = batch({"x": torch.randn(1000, 1000)}, budget_ms=0)
    assert (found["complete"], found["parts"][0]["exact"]) == (False, False)
    assert str(found).startswith("not all was looked at: there was no time for more\n")


@pytest.mark.parametrize("dtype", [object, "category"])
def test_texts_of_a_column_are_counted_exactly(dtype: Any) -> None:
    found = batch(pd.DataFrame({"name": pd.Series(["x", "x", "y"], dtype=dtype)}))
    assert str(found).splitlines()[1].endswith(" · 2 labels: 'x' ×2, 'y' ×1")
    assert "≈" not in str(found)
