"""Models in the wrappers of torch's data parallelism, in a world of one process: what is said, and what is run."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
import torch

PROGRAM = """
import json, os, sys, tempfile, warnings
import torch
from torch import nn
warnings.simplefilter("ignore")
sys.path[:0] = json.loads(os.environ["PATHS"])
from tensor_inspector import compare, model, shapes

torch.distributed.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)

def told(wrapped):
    found = model(wrapped)
    try:
        run = [row["name"] for row in shapes(wrapped, torch.ones(4, 2))["rows"]]
    except TypeError as error:
        run = str(error)
    return [found["parameters"], found["bytes"], [row["name"] for row in found["rows"]], run]

def compared(wrapped):
    other = net()
    equal = compare(wrapped, other)
    with torch.no_grad():
        other[0].weight[0, 0] += 1
    told = [one["text"].partition(",")[0] for one in compare(wrapped, other).differences]
    return [equal.total, len(equal.not_compared), equal.compared, told[1:]]

def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU())

def sharded():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    found = net()
    fully_shard(found, mesh=init_device_mesh("cpu", (1,)))
    return found

def flat(**options):
    from torch.distributed.fsdp import FullyShardedDataParallel
    return FullyShardedDataParallel(net(), device_id=torch.device("cpu"), **options)

answers = {
    "ddp": lambda: nn.parallel.DistributedDataParallel(net()),
    "inside": lambda: nn.Sequential(nn.parallel.DistributedDataParallel(net())),
    "dp": lambda: nn.DataParallel(net()), "flat": flat, "sharded": sharded,
}
found = {name: told(make()) for name, make in answers.items()}
found["compared"] = [compared(make()) for make in (flat, lambda: flat(use_orig_params=True), sharded)]
print(json.dumps(found))
torch.distributed.destroy_process_group()
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
def test_wrappers_are_looked_into_and_run_where_nothing_waits_for_other_processes() -> None:
    environment = {"PATHS": json.dumps(sys.path)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["ddp"] == [9, 36, ["", "module", "module.0", "module.1"], ["", "0", "1"]]
    inside = ["", "0", "0.module", "0.module.0", "0.module.1"]
    assert found["inside"] == [9, 36, inside, ["", *inside[2:]]]
    assert found["dp"] == [9, 36, ["", "module", "module.0", "module.1"], ["", "0", "1"]]
    assert found["flat"][:2] == found["sharded"][:2] == [9, 36]
    assert "FullyShardedDataParallel may wait for other processes" in found["flat"][3]
    assert "FSDPSequential may wait for other processes" in found["sharded"][3]
    assert found["compared"] == [[1, 0, 2, ["1 of 6 differ"]]] * 3
