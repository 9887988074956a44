"""Objects of libraries whose line says that they hold NaN: datasets, columns, metrics, arguments, buffers."""

from __future__ import annotations

import functools
import math
from array import array
from collections import ChainMap
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .specimen import Specimen, Zoo

NAN = math.nan


def warns(make: Callable[[float], Any], says: str, *needs: str) -> Specimen:
    """What is made with NaN, which its line says."""
    return Specimen(lambda: make(NAN), says=(says,), needs=needs, changed=lambda: make(2.0))


def dataset(last: float) -> Any:
    import torch

    return torch.utils.data.TensorDataset(torch.zeros(2), torch.tensor([1.0, last]))


def loader(of: Any) -> Any:
    import torch

    return torch.utils.data.DataLoader(of)


def subset(last: float) -> Any:
    import torch

    return torch.utils.data.Subset(dataset(last), [0])


def partial(last: float) -> Any:
    import torch

    return functools.partial(torch.add, torch.tensor([1.0, last]), alpha=last)


def matrix(last: float) -> memoryview:
    return memoryview(array("d", [1.0, 2.0, last, 4.0])).cast("B").cast("d", (2, 2))


def polars_series(items: list[Any]) -> Any:
    return import_module("polars").Series("a", items)


def metric(last: float) -> Any:
    found = import_module("torchmetrics").MeanMetric()
    found.update(1.0)
    found.mean_value.fill_(last)
    return found


def flax_value(last: float) -> Any:
    from flax import nnx

    return nnx.Param(import_module("jax.numpy").array([1.0, last]))


def xarray_variable(last: float) -> Any:
    return import_module("xarray").Variable("x", [1.0, last])


def records(last: float) -> Any:
    import numpy as np

    return np.array([(1.0, 2), (last, 3)], dtype=[("x", "f8"), ("n", "i4")])


def indexed(last: float) -> Any:
    return import_module("xarray").DataArray([1.0, 2.0], dims="x", coords={"x": [1.0, last]})


DATA: Zoo = {
    "TensorDataset": warns(dataset, "TensorDataset · NaN in tensors[1] · 2 samples"),
    "TensorDataset in a dict": warns(lambda last: {"train": dataset(last)}, "dict · NaN in train.tensors[1] · "),
    "Subset": warns(subset, "Subset · NaN in dataset.tensors[1] · 1 sample of 2"),
    "DataLoader": warns(
        lambda last: loader(dataset(last)), "DataLoader · NaN in dataset.tensors[1] · TensorDataset: 2 samples"
    ),
    "DataLoader of a subset": warns(
        lambda last: loader(subset(last)), "DataLoader · NaN in dataset.dataset.tensors[1] · Subset: 1 sample"
    ),
    "DataLoader of a list": warns(lambda last: loader([(0, last)]), "DataLoader · NaN in dataset[0][1] · "),
}
PYTHON: Zoo = {
    "ChainMap": warns(lambda last: ChainMap({"x": 1}, {"loss": last}), "ChainMap · NaN in maps[1].loss · 2 maps: "),
    "partial": warns(partial, "partial · NaN in args[0], keywords.alpha · "),
    "memoryview": warns(lambda last: memoryview(array("d", [1.0, last])), "memoryview · NaN in [1] · 16 B"),
    "memoryview of a matrix": warns(matrix, "memoryview · NaN in [1, 0] · 32 B"),
    "memoryview in a dict": warns(
        lambda last: {"view": memoryview(array("f", [last]))}, "dict · NaN in view[0] · 1: view memoryview"
    ),
}
LIBRARIES: Zoo = {
    "structured array": warns(records, "structured[2] · NaN in x · x float64, n int32", "numpy"),
    "structured array in a dict": warns(lambda last: {"rows": records(last)}, "dict · NaN in rows · 1: ", "numpy"),
    "lists of polars": warns(
        lambda last: polars_series([[1.0, last], None, [2.0]]),
        "Series a · List(Float64)[3] · list of 2, null, list of 1 · 1 NaN · 1 null",
        "polars",
    ),
    "structs of polars": warns(lambda last: polars_series([{"x": last, "y": 1}]), "[1] · dict of 2 · 1 NaN", "polars"),
    "lists of polars with Inf": Specimen(
        lambda: polars_series([[1.0, math.inf], [-math.inf, NAN]]),
        says=("Series a · List(Float64)[2] · list of 2, list of 2 · 1 NaN · 2 Inf",),
        needs=("polars",),
        changed=lambda: polars_series([[1.0, math.inf], [2.0, NAN]]),
    ),
    "frame of polars with Inf in structs": Specimen(
        lambda: import_module("polars").DataFrame({"s": [{"x": math.inf}]}),
        says=("DataFrame · Inf in s · 1 × 1: ",),
        needs=("polars",),
        changed=lambda: import_module("polars").DataFrame({"s": [{"x": 2.0}]}),
    ),
    "frame of polars with lists and structs": warns(
        lambda last: import_module("polars").DataFrame({"l": [[last]], "s": [{"x": last}], "n": [[1]]}),
        "DataFrame · NaN in l, s · 1 × 3: ",
        "polars",
    ),
    "array of pyarrow": warns(
        lambda last: import_module("pyarrow").array([1.0, last]), "DoubleArray · 1 NaN · 2 × double", "pyarrow"
    ),
    "chunks of pyarrow": warns(
        lambda last: import_module("pyarrow").chunked_array([[1.0, last], [last]]),
        "ChunkedArray · NaN · 3 × double",
        "pyarrow",
    ),
    "array of pyarrow with a gap": warns(
        lambda last: import_module("pyarrow").array([NAN, 1.0, None, last]).slice(1),
        "DoubleArray · 1 NaN · 3 × double · 1 null",
        "pyarrow",
    ),
    "array of pyarrow with NaN under a gap": Specimen(
        lambda: import_module("pyarrow").array([1.0, NAN, math.inf], from_pandas=True),
        says=("DoubleArray · 1 Inf · 3 × double · 1 null",),
        silent=("NaN",),
        needs=("pyarrow",),
        changed=lambda: import_module("pyarrow").array([1.0, NAN, 2.0], from_pandas=True),
    ),
    "halves of pyarrow in chunks with a gap": warns(
        lambda last: import_module("pyarrow").chunked_array([[1.0], [None, last]], "halffloat"),
        "ChunkedArray · NaN · 3 × halffloat · 1 null",
        "pyarrow",
    ),
    "chunks of pyarrow, one all NaN": warns(
        lambda last: import_module("pyarrow").chunked_array([[1.0], [last]]),
        "ChunkedArray · NaN · 2 × double",
        "pyarrow",
    ),
    "table of pyarrow": warns(
        lambda last: import_module("pyarrow").table({"a": [1.0, last], "b": [1, 2]}),
        "Table · NaN in a · 2 × 2: ",
        "pyarrow",
    ),
    "table of pyarrow in a dict": warns(
        lambda last: {"t": import_module("pyarrow").table({"a": [1.0, last]})}, "dict · NaN in t.a · ", "pyarrow"
    ),
    "mean of torchmetrics": Specimen(
        lambda: metric(NAN),
        says=("MeanMetric · 1 update · ", " · NaN in mean_value · train"),
        needs=("torchmetrics",),
        changed=lambda: metric(2.0),
    ),
    "mean of torchmetrics in a dict": warns(
        lambda last: {"loss": metric(last)}, "dict · NaN in loss · 1: loss MeanMetric", "torchmetrics"
    ),
    "metrics of torchmetrics": warns(
        lambda last: import_module("torchmetrics").MetricCollection({"loss": metric(last)}),
        "MetricCollection(1) · NaN in loss.mean_value · train",
        "torchmetrics",
    ),
    "xarray variable": warns(xarray_variable, "Variable · 1 NaN · f64[2] · dims x", "xarray"),
    "xarray array by a coordinate": warns(indexed, "DataArray · NaN in x · f64[2] · dims x", "xarray"),
    "xarray coordinate": warns(
        lambda last: indexed(last).coords["x"].variable, "IndexVariable · 1 NaN · f64[2] · dims x", "xarray"
    ),
    "flax variable": warns(flax_value, "Param · 1 NaN · f32[2]", "flax"),
    "flax variable in a list": warns(lambda last: [flax_value(last)], "list · NaN in [0] · 1: ", "flax"),
}

SPECIMENS: Zoo = {**DATA, **PYTHON, **LIBRARIES}
