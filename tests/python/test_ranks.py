"""Training over two ranks: nothing is found at any line of either."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

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


def test_at_each_line_of_two_ranks_nothing_is_found(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    shared = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(part for part in sys.path if part),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
        "WORLD_SIZE": "2",
    }
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", ASKS, str(file)],
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
    answers = [json.loads(output.splitlines()[-1]) for output, _ in told]
    assert [answer["said"] for answer in answers] == [[], []]
    assert min(answer["lines"] for answer in answers) > 30
