"""Equal samples of a list: found by brute force, and told as those of stacked ones are."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tensor_inspector import batch
from tensor_inspector.lenses.batch import parts as finding
from tensor_inspector.measure import listed_samples

IMAGES = torch.randn(3, 2, 40, generator=torch.Generator().manual_seed(0))
LATE = IMAGES.clone()
LATE[:, 1, 38] += 1  # where no element stands by which samples are picked that may be equal
TOLD = "sample 2 repeats sample 0 with another {}"


@dataclasses.dataclass
class Sample:
    image: torch.Tensor
    label: int


def problems(value: object) -> dict[str, str]:
    return {problem["code"]: problem["text"] for problem in batch(value)["problems"]}


def three(make: Callable[[Any, int], Any]) -> list[Any]:
    """Of samples the third repeats the first with another label."""
    return [make(IMAGES[0], 0), make(IMAGES[1], 1), make(IMAGES[0].clone(), 1)]


LISTS: dict[str, tuple[list[Any], str]] = {
    "pairs": (three(lambda x, y: (x, y)), "[i][1]"),
    "dicts": (three(lambda x, y: {"x": x, "y": y}), "[i]['y']"),
    "objects": (three(Sample), "[i].label"),
    "arrays": (three(lambda x, y: (x.numpy(), y)), "[i][1]"),
    "labels that are tensors": (three(lambda x, y: (x, torch.tensor(y))), "[i][1]"),
    "labels that are texts": (three(lambda x, y: (x, "ab"[y])), "[i][1]"),
    "ids in lists": (three(lambda x, y: {"ids": x[0].tolist(), "y": y}), "[i]['y']"),
    "ids of several lengths": (three(lambda x, y: (x[0][: 9 if x is IMAGES[1] else 7].tolist(), y)), "[i][1]"),
    "a part that the equal ones lack": (
        three(lambda x, y: {"x": x, "pad": x > 0 if x[0, 0] == IMAGES[1, 0, 0] else None, "y": y}), "[i]['y']"
    ),
    "NaN at one place": (three(lambda x, y: (torch.where(x == x[0, 0], torch.nan, x), y)), "[i][1]"),
}  # fmt: skip


@pytest.mark.parametrize("case", LISTS)
def test_equal_samples_of_different_labels_are_told(case: str) -> None:
    samples, wanted = LISTS[case]
    assert problems(samples)["contradiction"] == TOLD.format(wanted)


def test_it_is_told_of_samples_beside_stacked_labels() -> None:
    data = {"x": [torch.ones(2, 3), torch.ones(3, 3), torch.ones(2, 3)], "y": torch.tensor([0, 1, 1])}
    assert problems(data)["contradiction"] == TOLD.format("['y']")


SILENT: dict[str, list[Any]] = {
    "all differ": [(IMAGES[at], at) for at in range(3)],
    "they differ late": [(IMAGES[0], 0), (LATE[0], 1)],
    "another shape": [(torch.ones(2, 3), 0), (torch.ones(3, 2), 1)],
    "a sample can't be read": [(IMAGES[0], 0), (IMAGES[0], 1), (torch.ones(2, 40, device="meta"), 1)],
    "numbers only": [(1.0, 0), (1.0, 1)],
}


@pytest.mark.parametrize("case", SILENT)
def test_no_more_is_told_than_is_known(case: str) -> None:
    assert problems(SILENT[case]).keys().isdisjoint({"contradiction", "duplicates"})


def test_equal_samples_with_equal_labels_are_told_as_such() -> None:
    found = batch([(IMAGES[0], 0), (IMAGES[1], 1), (IMAGES[0], 0)])
    assert [problem["text"] for problem in found["problems"]] == ["1 sample of 3 equal to an earlier one"]
    assert [part["duplicates"] for part in found["parts"]] == [1, None]


@given(st.lists(st.tuples(st.sampled_from([[0, 0], [0, 1], [1, 0]]), st.integers(0, 1)), min_size=2, max_size=12))
def test_as_many_are_told_as_brute_force_finds(pairs: list[tuple[list[int], int]]) -> None:
    said = problems([(np.array(row), label) for row, label in pairs])
    rows, whole = [row for row, _ in pairs], pairs
    again = sum(row in rows[:at] for at, row in enumerate(rows))
    equal = sum(one in whole[:at] for at, one in enumerate(whole))
    told = said.get("contradiction", "0")
    assert (1 if told.startswith("sample ") else int(told.split()[0])) == again - equal
    assert said.get("duplicates", "0").split()[0] == str(equal)


def test_items_of_the_program_are_not_compared() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise AssertionError("it was compared")

        def __hash__(self) -> int:
            raise AssertionError("it was hashed")

    assert problems([{"x": IMAGES[0], "y": [1, Odd()]}, {"x": IMAGES[0], "y": [2, Odd()]}]) == {}
    assert problems([{"x": [], "y": 1}, {"x": [], "y": 1}, {"x": [Odd()], "y": 1}]) == {}


def test_equal_steps_of_packed_sequences_are_no_equal_samples() -> None:
    said = str(batch(torch.nn.utils.rnn.pack_sequence([torch.ones(4, 2), torch.ones(2, 2)])))
    assert "5 rows equal to an earlier one" in said
    assert "samples equal" not in said


def test_of_several_the_first_is_named() -> None:
    samples = [(IMAGES[0], 0), *((IMAGES[0], label) for label in range(1, 5))]
    told = "4 samples repeat an earlier one with another [i][1], as sample 1 does sample 0"
    assert problems(samples)["contradiction"] == told


def test_of_a_list_too_long_for_any_time_those_that_are_read_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MOST", 60)
    samples = [(torch.ones(2), 0), (torch.ones(2), 1), *((torch.full((2,), at), 0) for at in range(2, 500))]
    found = batch(samples)
    assert found["complete"] is False
    assert [problem["text"] for problem in found["problems"] if problem["code"] == "contradiction"] == [
        "sample 1 repeats sample 0 with another [i][1]"
    ]


def test_where_too_much_is_to_be_compared_equal_samples_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [(torch.ones(100), at) for at in range(9)]
    assert "contradiction" in problems(samples)
    monkeypatch.setattr(listed_samples, "_COMPARED", 400)
    assert "contradiction" not in problems(samples)
    assert "contradiction" in problems(samples[:2])  # just as much as may be
