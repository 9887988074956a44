"""Which of several processes this one is, in words: `stop.process`."""

from __future__ import annotations

import multiprocessing
from types import SimpleNamespace
from typing import Any

import pytest
import torch.distributed as dist
from torch.utils.data._utils import worker

from tensor_inspector.stop import process


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(multiprocessing.current_process(), "_name", "MainProcess")


def test_a_process_that_is_alone_has_no_name() -> None:
    assert process.name() is None


@pytest.mark.parametrize(
    ("rank", "world", "said"),
    [("1", "4", "rank 1"), ("0", "2", "rank 0"), ("0", "1", None), ("0", "", None), ("", "4", None), ("x", "4", None)],
)
def test_torchrun_tells_a_rank_by_the_environment(
    rank: str, world: str, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", world)
    assert process.name() == said


@pytest.mark.skipif(not dist.is_available(), reason="needs torch.distributed")
def test_a_process_group_tells_its_own_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "7")
    monkeypatch.setenv("WORLD_SIZE", "8")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        assert process.name() == "rank 0"
    finally:
        dist.destroy_process_group()
    assert process.name() == "rank 7"


def test_a_worker_of_a_loader_is_told_before_the_rank_that_it_works_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    info: Any = SimpleNamespace(id=3)
    monkeypatch.setattr(worker, "_worker_info", info)
    assert process.name() == "worker 3"


def test_a_child_process_has_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "_name", "SpawnProcess-2")
    assert process.name() == "SpawnProcess-2"
