"""Training over two ranks: nothing is found at any line of either."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch.distributed")

LIMIT = 300  #: seconds
#: Asks at the first visits of each line of the function `train` of the file that it is given.
ASKS = """
import collections, importlib.util, json, sys
import torch, torch.distributed as dist
import tensor_inspector

def ask(frame):
    answer = tensor_inspector.findings(frame)
    said.extend(finding["title"] for finding in answer)
    said.extend(reason for _, reason in answer.skipped if "Error" in reason)

def tracer(frame, event, argument):
    if frame.f_code.co_filename != path:
        return None
    if event == "line" and seen[frame.f_lineno] < 2:
        seen[frame.f_lineno] += 1
        ask(frame)
    return tracer

path, said, seen = sys.argv[1], [], collections.Counter()
torch.set_num_threads(1)
dist.init_process_group("gloo")
spec = importlib.util.spec_from_file_location("program", path)
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
sys.settrace(tracer)
program.train()
sys.settrace(None)
dist.barrier()
print(json.dumps({"said": said, "lines": len(seen)}))
dist.destroy_process_group()
"""
PROGRAM = """
import torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

def mean_of_ranks(value):
    value = value.detach().clone()
    dist.all_reduce(value)
    return value / dist.get_world_size()

def train():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))
    ddp = DDP(model)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.9)
    x = torch.randn(64, 10)
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=8, sampler=sampler)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        ddp.train()
        total = 0.0
        for step, (inputs, targets) in enumerate(loader):
            if step % 2 == 0:
                with ddp.no_sync():
                    loss = F.cross_entropy(ddp(inputs), targets) / 2
                    loss.backward()
                continue
            loss = F.cross_entropy(ddp(inputs), targets) / 2
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            total += mean_of_ranks(loss).item()
        scheduler.step()
        ddp.eval()
        with torch.no_grad():
            correct = (ddp(x).argmax(1) == x[:, :3].argmax(1)).sum()
            dist.all_reduce(correct)
    if dist.get_rank() == 0:
        state = ddp.module.state_dict()
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def on_two_ranks(program: str, *arguments: str) -> list[Any]:
    """What each rank has printed last."""
    shared = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": "2",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            env={**shared, "RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        told = [rank.communicate(timeout=LIMIT) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    assert [rank.returncode for rank in ranks] == [0, 0], told
    return [json.loads(output.splitlines()[-1]) for output, _ in told]


def test_at_each_line_of_two_ranks_nothing_is_found(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    answers = on_two_ranks(ASKS, str(file))
    assert [answer["said"] for answer in answers] == [[], []]
    assert min(answer["lines"] for answer in answers) > 30


#: Asks of a model that is wrapped as each argument says: rank 1 alone asks once more, as nothing may wait for the other.
WRAPPED = """
import json, sys
import torch, torch.distributed as dist, torch.nn as nn, torch.nn.functional as F
import tensor_inspector as ti

def build():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))

def wrapped_as(how, model):
    if how == "DDP":
        return nn.parallel.DistributedDataParallel(model)
    if how == "fully_shard":
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
        return model
    from torch.distributed.fsdp import FullyShardedDataParallel
    return FullyShardedDataParallel(model, device_id=torch.device("cpu"), use_orig_params=how == "FSDP of names")

def local(tensor):
    return getattr(tensor, "_local_tensor", tensor)

def main(how):
    plain, model = build(), wrapped_as(how, build())
    optimizer = torch.optim.Adam(model.parameters())
    x, y = torch.randn(6, 8), torch.arange(6) % 4
    F.cross_entropy(model(x), y).backward()
    optimizer.step()
    states = [local(one) for state in optimizer.state.values() for one in state.values()]
    states = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in states if one.numel()}
    loss = F.cross_entropy(model(x), y)
    if dist.get_rank():
        str(ti.memory()), str(ti.model(model)), str(ti.compare(model, plain))
    memory = ti.memory()
    try:
        ran = bool(ti.shapes(model, x))
    except TypeError as why:
        ran = "other processes would have to run it too" not in str(why)
    parts = {share["part"]: share["bytes"] for share in memory["shares"]}
    difference = ti.compare(model, plain)
    return {
        "optimizer": (parts["optimizer"], sum(states.values())),
        "groups": [group["name"] for group in memory["groups"]],
        "parameters": ti.model(model)["parameters"],
        "kinds": sorted({one["what"] for one in difference.differences}),
        "rank": "rank %d of 2 by gloo" % dist.get_rank() in str(ti.environment()),
        "report": "rank %d of 2" % dist.get_rank() in str(ti.report()),
        "batch": ti.batch((x, y))["size"],
        "found": [finding["title"] for finding in ti.findings(thorough=True, run=True)],
        "ran": ran,
    }

torch.set_num_threads(1)
dist.init_process_group("gloo")
answers = {}
for how in sys.argv[1:]:
    answers[how] = main(how)
    dist.barrier()
print(json.dumps(answers))
dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def told() -> list[dict[str, Any]]:
    """What each rank tells of each way to wrap a model that this torch has."""
    can_shard = hasattr(pytest.importorskip("torch.distributed.fsdp"), "fully_shard")
    return on_two_ranks(WRAPPED, "DDP", "FSDP", "FSDP of names", *(["fully_shard"] if can_shard else []))


@pytest.mark.parametrize(
    ("how", "parameters"), [("DDP", 212), ("FSDP", 106), ("FSDP of names", 106), ("fully_shard", 212)]
)
def test_a_wrapped_model_is_told_on_each_rank_alone(told: list[dict[str, Any]], how: str, parameters: int) -> None:
    if how not in told[0]:
        pytest.skip("torch has no fully_shard")
    for answer in (answers[how] for answers in told):
        assert answer["optimizer"][0] == answer["optimizer"][1] > 0
        groups = {name.partition(".")[0] for name in answer["groups"]}
        assert {"model", "optimizer"} <= groups <= {"model", "optimizer", "plain", "x", "y", "loss", "states"}
        assert not [name for name in answer["groups"] if "__" in name]
        assert answer["parameters"] == parameters
        assert "type" in answer["kinds"]
        assert answer["found"] == []
        assert (answer["rank"], answer["report"], answer["batch"], answer["ran"]) == (True, True, 6, False)
