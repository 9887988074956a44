"""The numbers of a value that are kept when it is gone: those of its statistics, read once."""

from __future__ import annotations

import math
import sys
from types import FrameType
from typing import Any

import asking
import numpy
import pytest
import torch

from tensor_inspector.kinds import as_kind, measured
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched

ONE = {"shape": [], "dtype": "float32", "device": "cpu", "version": 0}


class Celsius(float):
    def __float__(self) -> float:
        raise AssertionError("code of the program")


def measurement(value: object, budget: Budget | None = None) -> Any:
    with Untouched():
        return measured.measurement_of(as_kind(value, budget or Budget()))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, {"value": 3}),
        (True, {"value": 1}),
        (Celsius(2.5), {"value": 2.5}),
        (torch.tensor(1.5), {**ONE, "value": 1.5, "nan": 0, "inf": 0}),
        (torch.tensor([-math.inf]), {**ONE, "shape": [1], "value": -math.inf, "nan": 0, "inf": 1}),
        (numpy.float32(1.5), {"shape": [], "dtype": "float32", "value": 1.5, "nan": 0, "inf": 0}),
        (torch.zeros(0), {**ONE, "shape": [0], "nan": 0, "inf": 0}),
        (torch.tensor([1 + 2j]), {**ONE, "shape": [1], "dtype": "complex64"}),
        ("text", None),
        (1j, None),
        (torch.nn.Linear(2, 1), None),
    ],
    ids=repr,
)
def test_a_value_has_these_numbers(value: object, expected: Any) -> None:
    assert measurement(value) == expected


def test_of_more_elements_it_is_what_the_statistics_say() -> None:
    found = measurement(torch.tensor([[-1.0, 0.0, 1.0, math.nan, math.inf]]))
    assert {name: found[name] for name in ("shape", "mean", "std", "min", "max", "nan", "inf")} == {
        "shape": [1, 5],
        "mean": 0.0,
        "std": pytest.approx(1.0),
        "min": -1.0,
        "max": 1.0,
        "nan": 1,
        "inf": 1,
    }


def test_nan_is_nan() -> None:
    assert math.isnan(measurement(torch.tensor(math.nan))["value"])


def test_a_sample_says_so() -> None:
    found = measurement(torch.zeros(100_000), Budget(max_elements=1000))
    assert found["sampled"] is True
    assert "sampled" not in measurement(torch.zeros(100_000))


def test_a_tensor_that_was_written_to_has_another_version() -> None:
    tensor = torch.zeros(2)
    tensor += 1
    assert measurement(tensor)["version"] == 1


def test_its_elements_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    kind = as_kind(torch.rand(5000), Budget())
    with Untouched():
        kind.line()
        monkeypatch.setattr(type(kind.form), "read", reads.append)  # type: ignore[attr-defined]
        assert measured.measurement_of(kind) is not None
    assert reads == []


def paused() -> FrameType:
    loss, text = torch.tensor(2.5), "text"
    assert (loss, text) is not None
    return sys._getframe()


def test_a_pin_carries_them_where_it_has_some(monkeypatch: pytest.MonkeyPatch) -> None:
    pins = [{"expression": name} for name in ("loss", "text", "gone")]
    answer = asking.Paused(paused(), monkeypatch).ask("frame", pins=pins)
    assert [pin.get("measurement", {}).get("value") for pin in answer["pins"]] == [2.5, None, None]


def test_what_was_run_carries_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asking.Paused(paused(), monkeypatch)
    assert asked.ask("evaluate", expression="loss * 2")["measurement"]["value"] == 5
    assert "measurement" not in asked.ask("inspect", expression="loss")
