"""`memory` and `model` of models of every make, against the storages of what torch itself says they have."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import Any, Callable

import pytest
import torch
from torch import nn

import tensor_inspector
from tensor_inspector.lenses.memory import roots


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of other test files are not counted, and what a compilation changes in torch for good is put back."""
    monkeypatch.setattr(roots, "_is_programs", lambda name, module: False)
    validated = torch.distributions.Distribution._validate_args  # type: ignore[attr-defined]
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", validated)


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(30, 40), nn.BatchNorm1d(40), nn.Linear(40, 5))


class Labelled(torch.Tensor):
    """A tensor of a class of one's own."""


def with_subclass() -> nn.Module:
    found = nn.Linear(30, 40)
    found.register_buffer("scale", torch.zeros(10).as_subclass(Labelled))
    return found


def tied() -> nn.Module:
    found = nn.Sequential(nn.Embedding(10, 5), nn.Linear(5, 10, bias=False))
    found[1].weight = found[0].weight
    return found


def with_view() -> nn.Module:
    found = nn.Linear(30, 40)
    found.register_buffer("upper", found.weight.data[:20])
    return found


def taken_by(model: nn.Module) -> int:
    """By the storages of parameters and buffers, each once; those on no device take nothing."""
    tensors = [one for one in (*model.parameters(), *model.buffers()) if not one.is_meta]
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}.values())


@pytest.mark.parametrize(
    "make",
    [
        net,
        lambda: torch.compile(net()),
        lambda: torch.jit.script(net()),
        lambda: torch.jit.trace(net().eval(), torch.ones(2, 30)),
        lambda: nn.DataParallel(net()),
        with_subclass,
        tied,
        with_view,
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_each_byte_of_a_model_counts_once(make: Callable[[], nn.Module]) -> None:
    def program() -> None:
        model = make()
        memory, table = tensor_inspector.memory(), tensor_inspector.model(model)
        assert {one["part"]: one["bytes"] for one in memory["shares"]} == {"model": taken_by(model)}
        assert [one["name"] for one in memory["groups"]] == ["model"]
        assert memory["complete"] is True
        assert table["bytes"] == taken_by(model)
        assert table["parameters"] == sum(one.numel() for one in model.parameters())

    program()


def test_what_is_not_there_yet_takes_nothing() -> None:
    def program() -> None:
        lazy = nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 4))
        memory, table = tensor_inspector.memory(), tensor_inspector.model(lazy)
        assert (memory["bytes"], table["bytes"], table["uninitialized"]) == (80, 80, 2)

    program()


def test_a_model_on_the_device_meta_takes_nothing_and_would_take_its_bytes() -> None:
    def program() -> None:
        model = nn.Linear(30, 40, device="meta")
        memory, table = tensor_inspector.memory(), tensor_inspector.model(model)
        assert (memory["bytes"], table["bytes"]) == (0, 4 * (30 * 40 + 40))

    program()


RANKS = """
import json, os, sys, warnings
import torch, torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.nn.parallel import DistributedDataParallel
import tensor_inspector

def step(rank, wrap):
    torch.manual_seed(0)
    model = wrap(nn.Sequential(nn.Linear(30, 40), nn.ReLU(), nn.Linear(40, 6)))
    model(torch.ones(4, 30)).sum().backward()
    memory, table = tensor_inspector.memory(), tensor_inspector.model(model)
    own = [*model.parameters()]
    grads = [one.grad for one in own if one.grad is not None]
    def bytes_of(tensors):
        storages = [one.untyped_storage() for one in tensors]
        return sum({one.data_ptr(): one.nbytes() for one in storages}.values())
    shares = {one["part"]: one["bytes"] for one in memory["shares"]}
    return {"rank": rank, "model": [shares.get("model"), table["bytes"], bytes_of(own)],
            "gradients": [shares.get("gradients"), bytes_of(grads)], "complete": memory["complete"]}

def run(rank, port, folder):
    warnings.simplefilter("ignore")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    sharded = lambda module: FullyShardedDataParallel(module, device_id=torch.device("cpu"))
    found = [step(rank, wrap) for wrap in (DistributedDataParallel, sharded)]
    with open(os.path.join(folder, f"{rank}.json"), "w") as file:
        json.dump(found, file)
    dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(run, sys.argv[1:], nprocs=2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="gloo")
def test_each_of_two_processes_that_train_one_model_tells_its_own_part(tmp_path: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "ranks.py").write_text(RANKS)
    command = [sys.executable, str(tmp_path / "ranks.py"), str(port), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for rank in range(2):
        replicated, sharded = json.loads((tmp_path / f"{rank}.json").read_text())
        whole = 4 * (30 * 40 + 40 + 40 * 6 + 6)
        assert replicated["model"] == [whole] * 3
        assert replicated["gradients"] == [whole] * 2
        shard = sharded["model"][2]
        assert shard < whole
        assert sharded["model"] == [shard] * 3
        assert sharded["gradients"] == [shard] * 2
        assert replicated["complete"]
        assert sharded["complete"]
