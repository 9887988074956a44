"""Observations: facts that are worth a look, each in a program that has it and not in one that is as it should be."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from asking import Paused
from faults import HEAD, with_fault, without_fault
from faulty import observed_in
from hostile import RAN, objects
from observed_programs import HEALTHY, PROGRAMS
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler
from untouched import Watch

from tensor_inspector import observations
from tensor_inspector.lenses.observations.ids import DETECTOR_IDS
from tensor_inspector.lenses.observations.reading import BoundedReading
from tensor_inspector.lenses.observations.registry import DETECTORS
from tensor_inspector.lenses.step import frames
from tensor_inspector.lenses.step.step import Step
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched


def program(text: str) -> str:
    return HEAD + "\n".join(f"    {line}" for line in text.splitlines()) + "\n    stop()\n"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_detector_sees_its_fact_first(name: str) -> None:
    id, text = PROGRAMS[name]
    for seen in observed_in(HEAD + with_fault(text)):
        assert seen[0]["rule"] == id
        assert (seen[0]["tier"], seen[0]["severity"], seen[0]["consequences"]) == ("look", "hint", [])
        assert all(one["fact"] for one in seen[0]["evidence"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_without_the_fact_has_nothing_worth_a_look(name: str) -> None:
    assert [one["title"] for seen in observed_in(HEAD + without_fault(PROGRAMS[name][1])) for one in seen] == []


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_alike_and_healthy_is_left_alone(name: str) -> None:
    assert [one["title"] for seen in observed_in(program(HEALTHY[name])) for one in seen] == []


def test_every_detector_has_a_program_a_reason_and_a_rank() -> None:
    assert {id for id, _ in PROGRAMS.values()} == {detector.id for detector in DETECTORS} == DETECTOR_IDS
    assert all(detector.because and detector.one_in >= 10 for detector in DETECTORS)


def test_a_detector_stands_in_a_file_of_its_name() -> None:
    assert [detector.look.__module__.rpartition(".")[2] for detector in DETECTORS] == [
        detector.look.__name__ for detector in DETECTORS
    ]


def test_what_is_rarest_in_healthy_programs_comes_first() -> None:
    weights = torch.ones(3)
    loader = DataLoader(TensorDataset(torch.randn(9, 2)), sampler=WeightedRandomSampler(weights, 9))
    row: list[float] = []
    rows = [row, row, row]
    seen = [one["rule"] for one in observations()]
    assert seen == ["weights-and-data", "one-value-in-many-places"]
    assert str(observations(ignore=seen)) == f"{len(DETECTORS) - 2} detectors, nothing worth a look"


def step() -> Any:
    """The frame of a step with something to see for several detectors."""
    layer = nn.Linear(4, 4)
    model = nn.Sequential(layer, layer, nn.Dropout(0.1), nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    spent = model.parameters()
    kept, x, y = model.state_dict(), torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
    chosen, column = model(x).argmax(1), y[:, None]
    amount = sum(p.numel() for p in spent)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    frame = sys._getframe()
    hits = chosen == column
    optimizer.step()
    size = len(kept)
    return frame, (model, optimizer, kept, x, y, chosen, column, loss)


def test_looking_changes_nothing() -> None:
    frame, held = step()
    observations(frame)  # what torch and we load for the first look
    with Watch(held) as watch:
        seen = observations(frame)
    assert {one["rule"] for one in seen} == {"one-layer-in-many-places", "kept-but-live", "all-pairs"}
    assert watch.changes() == []


@pytest.mark.parametrize("name", objects())
def test_no_code_of_a_hostile_object_runs(name: str) -> None:
    hostile = objects()[name]
    several, named = [hostile, hostile], {"one": hostile, "other": hostile}
    RAN.clear()
    seen = observations(sys._getframe())
    assert RAN == []
    assert [reason for _, reason in seen.skipped] == []


def test_a_name_that_no_detector_has_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no detector 'used_up'"):
        observations(ignore=["used_up"])


def test_what_there_is_no_time_for_is_said() -> None:
    seen = observations(budget_ms=0)
    assert not seen.complete
    assert {reason for _, reason in seen.skipped} == {"no time"}


class Clock:
    """Stands still until a test sets it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def stop_in(text: str, folder: Path, look: Callable[[FrameType], None]) -> None:
    """Runs a program, which shows each of its stops to ``look``."""
    path = folder / "program.py"
    path.write_text(text)
    spec: Any = importlib.util.spec_from_file_location("program", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    made.train(lambda: look(sys._getframe(1)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_detector_ends_where_the_time_is_over(name: str, tmp_path: Path) -> None:
    id, text = PROGRAMS[name]
    (asked,) = (detector for detector in DETECTORS if detector.id == id)
    in_time: list[Any] = []
    late: list[Any] = []

    def look(frame: FrameType) -> None:
        clock = Clock()
        budget = Budget(1000, clock=clock)
        visible = frames.nearest(frame)
        assert visible is not None
        with Untouched():
            step = Step(frames.in_sight(visible), budget, thorough=True, grad_mode=True)
            in_time.extend(asked.look(step, BoundedReading(budget)))
            clock.now = 2
            late.extend(asked.look(step, BoundedReading(budget)))

    stop_in(HEAD + with_fault(text), tmp_path, look)
    assert in_time
    assert late == []


def test_one_of_a_thousand_parts_in_eval_is_looked_at_once() -> None:
    net = nn.Sequential(*(nn.BatchNorm1d(2) for _ in range(1000)))
    for part in net:
        part.eval()
    visible = frames.nearest(sys._getframe())
    assert visible is not None
    reads = []

    def clock() -> float:
        reads.append(1)
        return 0.0

    budget = Budget(1000, clock=clock)
    step = Step(frames.in_sight(visible), budget, thorough=True, grad_mode=True)
    (asked,) = (detector for detector in DETECTORS if detector.id == "part-in-eval")
    before = len(reads)
    assert list(asked.look(step, BoundedReading(budget))) == []
    assert len(reads) - before == 1001


def test_a_value_that_is_too_large_to_read_is_said() -> None:
    ids = torch.zeros(2, 1_200_000, dtype=torch.int8)
    labels = ids - 1
    seen = observations()
    assert "never-a-label" in seen.checked
    assert seen.skipped == [("never-a-label", "labels not read: too many elements")]
    assert str(seen).endswith("nothing worth a look, 1 not checked: labels not read: too many elements")


def test_gradients_that_are_too_many_to_read_are_said() -> None:
    net = nn.Linear(1 << 20, 5)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = net(torch.zeros(1, 1 << 20)).mul(0).sum()
    loss.backward()
    seen = observations()
    assert [one["rule"] for one in seen] == []
    assert seen.skipped == [("flat-and-no-gradient", "the gradients not read: too many elements")]


def test_most_tables_are_told_apart_by_their_last_columns() -> None:
    tables = [torch.arange(start, start + (1 << 22)).view(2, -1) for start in range(3)]
    assert observations().skipped == []


def test_a_pair_that_torch_can_not_compare_leaves_the_others_to_be_compared() -> None:
    if not hasattr(torch, "uint16"):
        pytest.skip("torch has no such dtype yet")
    small = torch.tensor([[3, 4, 9, 0, 0], [5, 6, 0, 0, 0]]).to(torch.uint16)
    hidden = torch.tensor([[3, 4, 9, 8, 8], [5, 6, 8, 8, 8]]).to(torch.uint16)
    ids = torch.tensor([[3, 4, 9, 0, 0], [5, 6, 0, 0, 0]])
    labels = torch.tensor([[3, 4, 9, -100, -100], [5, 6, -100, -100, -100]])
    seen = observations()
    assert [one["title"] for one in seen] == ["no label is 0: all 2 rows of ids end with it"]
    assert {(id, "not read: " in reason) for id, reason in seen.skipped} == {("never-a-label", True)}
    assert any(reason.startswith("hidden ") for _, reason in seen.skipped)


@pytest.mark.parametrize("name", objects())
def test_no_code_of_a_hostile_object_runs_where_torch_keeps_it(name: str) -> None:
    hostile = objects()[name]
    weights = torch.ones(9)
    loader = DataLoader(TensorDataset(torch.randn(9, 2)), sampler=WeightedRandomSampler(weights, 9))
    others = [DataLoader(TensorDataset(torch.randn(9, 2)), batch_size=3) for _ in range(3)]
    for other, key in zip(others, ("sampler", "batch_sampler", "dataset")):
        vars(other)[key] = hostile
    vars(loader.sampler)["weights"] = hostile
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    net._modules["part"] = net._modules["same"] = hostile
    net._buffers["kept"] = net._parameters["weight"] = hostile
    net[1].eval()
    vars(net[1])["p"] = hostile
    RAN.clear()
    seen = observations(sys._getframe())
    assert RAN == []
    assert [reason for _, reason in seen.skipped] == []


def test_a_name_in_the_list_of_what_is_ignored_that_nobody_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, _ = step()
    paused = Paused(frame, monkeypatch)
    ignored = "kept-but-live lr-zero shape-mismatch kept-alive"
    skipped = paused.lens("observations", options={"ignore": ignored})["found"]["skipped"]
    assert skipped == [
        {"rule": "kept-alive", "reason": "there is no such detector"},
        {"rule": "kept-but-live", "reason": "ignored"},
    ]


def test_in_a_paused_program_each_opens_to_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, _ = step()
    paused = Paused(frame, monkeypatch)
    answer = paused.ask("lens", lens="observations", values={}, options={"ignore": "kept-but-live"})
    while not answer["done"]:
        answer = paused.ask("lens", lens="observations", values={}, options={}, resume=answer["resume"])
    first, second = answer["node"]["page"]["nodes"]
    assert (answer["node"]["line"], first["kind"], "badges" in first) == ("2 things worth a look", "finding", False)
    below = paused.ask("children", snapshot=answer["snapshot"], node=second["id"], start=0, count=9)["page"]["nodes"]
    assert [node["name"] for node in below] == ["chosen", "column", "why", "try"]
    (value,) = paused.ask("children", snapshot=answer["snapshot"], node=below[1]["id"], start=0, count=9)["page"][
        "nodes"
    ]
    assert value["line"].startswith("int64[6, 1]")
