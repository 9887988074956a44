"""What holds for the tests of this folder: none sees a GPU but those that are about one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import gpu
import pytest

gpu.hide()
_FORKING = ("test_findings", "test_structures")  #: each of whose tests forks


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-structure",
        action="store_true",
        help="ask each program of the findings in each structure, not its share",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that fork come first in each worker's share: to fork a process that has loaded many libraries takes three times
    as long."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    forking = [item for item in items if item.path.stem in _FORKING]
    others = [item for item in items if item.path.stem not in _FORKING]
    items[:] = [
        item
        for worker in range(workers)
        for group in (forking, others)
        for item in group[len(group) * worker // workers : len(group) * (worker + 1) // workers]
    ]


@pytest.fixture
def mesh() -> Iterator[Any]:
    """For distributed tensors, in a world of this process alone."""
    distributed = pytest.importorskip("torch.distributed.tensor")
    group = pytest.importorskip("torch.distributed")
    group.init_process_group("gloo", rank=0, world_size=1, store=group.HashStore())
    yield distributed.init_device_mesh("cpu", (1,))
    group.destroy_process_group()
