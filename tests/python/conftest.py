"""What holds for the tests of this folder: none sees a GPU but those that are about one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gpu
import pytest

gpu.hide()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-structure",
        action="store_true",
        help="ask each program of the findings in each structure, not its share",
    )


@pytest.fixture
def mesh() -> Iterator[Any]:
    """For distributed tensors, in a world of this process alone."""
    distributed = pytest.importorskip("torch.distributed.tensor")
    group = pytest.importorskip("torch.distributed")
    group.init_process_group("gloo", rank=0, world_size=1, store=group.HashStore())
    yield distributed.init_device_mesh("cpu", (1,))
    group.destroy_process_group()
