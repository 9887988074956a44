"""The lens `memory` on tables: what pandas keeps for their columns counts once, whatever views it has of it; of what
others keep it says that it is not counted."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from asking import Paused

from tensor_inspector import gateway
from tensor_inspector.lenses.memory import roots

N = 1000


def asked(value: object, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)
    monkeypatch.setattr(roots, "_LAST", ())

    def stop(table: object) -> FrameType:
        return sys._getframe()

    answer = Paused(stop(value), monkeypatch).lens("memory")
    assert isinstance(answer, dict)
    return answer


class Mine(pd.DataFrame):
    """A table of the program's own class, which must not be asked."""

    def __getitem__(self, key: object) -> Any:
        raise AssertionError("code of the program ran")

    @property
    def shape(self) -> Any:
        raise AssertionError("code of the program ran")


class Column(pd.Series):  # type: ignore[type-arg]
    """A series of the program's own class."""


def test_a_series_whose_class_has_a_summary_counts_as_any(monkeypatch: pytest.MonkeyPatch) -> None:
    gateway.prefer({"summaries": {f"{__name__}.Column": "{missing}"}})
    try:
        found = asked(Column(np.zeros(N)), monkeypatch)["found"]
    finally:
        gateway.prefer({})
    assert [group["name"] for group in found["groups"]] == ["table"]
    assert 8 * N <= found["bytes"] < 8 * N + 100


@pytest.mark.parametrize(
    ("make", "bytes"),
    [
        (lambda: pd.DataFrame({"a": np.zeros(N), "b": np.zeros(N)}), 16 * N),
        (lambda: pd.DataFrame({"a": np.zeros(N), "b": np.zeros(N, np.int32), "c": np.zeros(N, bool)}), 13 * N),
        (lambda: pd.DataFrame({"a": pd.Categorical(["x", "y"] * (N // 2))}), N),
        (lambda: pd.DataFrame({"a": pd.array([1, None] * (N // 2), dtype="Int64")}), 9 * N),
        (lambda: pd.DataFrame({"a": pd.date_range("2020", periods=N, freq="s")}), 8 * N),
        (lambda: pd.DataFrame(np.zeros((N, 4))), 32 * N),
        (lambda: pd.DataFrame({"a": np.zeros(N)}, index=np.arange(N)[::-1]), 16 * N),
        (lambda: pd.Series(np.zeros(N)), 8 * N),
        (lambda: pd.Index(np.arange(N)[::-1]), 8 * N),
        (lambda: Mine({"a": np.zeros(N)}), 8 * N),
    ],
)
def test_a_table_is_one_variable_that_takes_what_its_columns_do(
    make: Callable[[], object], bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(make(), monkeypatch)["found"]
    (group,) = found["groups"]
    assert group["name"] == "table"
    assert bytes <= group["bytes"] < bytes + 100, "labels take some bytes"
    assert found["complete"] is True


def test_what_has_been_looked_at_takes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pd.DataFrame({"a": np.zeros(N), "b": np.zeros(N, np.int32)})
    before = asked(table, monkeypatch)["found"]["bytes"]
    assert (table.shape, table.isna().sum().sum()) == ((N, 2), 0)
    assert asked(table, monkeypatch)["found"]["bytes"] == before


def test_columns_are_named_and_share_what_they_are_made_from(monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.zeros((N, 2))
    both = {"table": pd.DataFrame(array, columns=["a", "b"], copy=False), "tensor": torch.from_numpy(array)}
    found = asked(both, monkeypatch)["found"]
    first = found["blocks"][0]
    assert first["bytes"] == 16 * N
    assert {"table[\"table\"]['a']", "table[\"table\"]['b']", 'table["tensor"]'} <= set(first["names"])


@pytest.mark.parametrize(
    "column",
    [
        lambda: pd.Categorical([1, 2] * (N // 2)),
        lambda: pd.array([1, None] * (N // 2), dtype="Int64"),
        lambda: pd.date_range("2020", periods=N, freq="s"),
        lambda: pd.interval_range(0, N),
        lambda: pd.array(["x"] * N, dtype="string"),
        lambda: np.array(["x"] * N, object),
    ],
)
def test_what_a_column_is_kept_in_has_the_name_of_the_column(
    column: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = asked(pd.DataFrame({"a": column()}), monkeypatch)["found"]
    names = {name for one in found["blocks"] for name in one["names"]}
    assert "table['a']" in names <= {"table['a']", "table.columns"}


@pytest.mark.parametrize("make", [lambda: pl.DataFrame({"a": np.zeros(N)}), lambda: pl.Series(np.zeros(N))])
def test_what_nobody_tells_of_is_said_to_be_missing(
    make: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = asked({"x": torch.zeros(N), "y": make()}, monkeypatch)
    found, line = answer["found"], answer["node"]["line"]
    assert (found["bytes"], found["complete"]) == (4 * N, False)
    (name,) = found["uncounted"]
    assert name in ("polars.DataFrame", "polars.Series")
    assert line.startswith("at least 3.9 KiB · ")
    assert f"not counted: {name}" in line
