#!/usr/bin/env bash
# Expected: after a backward, DistributedDataParallel's logging data tell how many buckets it has reduced.
# Happens:  `num_buckets_reduced` is 0 after several forwards, stays 0 after the first backward and step, and is right
#           only after the next forward: all counts are taken as a forward begins.
# Versions: torch 2.13.0 (CPU), Python 3.11, November 2026.
# Here:     that a wrapper reduces nothing is said only after several forwards, and of parameters that have gradients.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0
"$folder/venv/bin/python" - <<'PROGRAM'
import sys
import tempfile

import torch
import torch.distributed as dist


def reduced():
    return wrapper.logger._get_ddp_logging_data().ints_map.get("num_buckets_reduced")


with tempfile.TemporaryDirectory() as folder:
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
    wrapper = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(wrapper.parameters(), lr=0.1)
    seen = {}
    for number in range(3):
        out = wrapper(torch.ones(2, 4))
    seen["after three forwards"] = reduced()
    out.mean().backward()
    optimizer.step()
    seen["after a backward and a step"] = reduced()
    wrapper(torch.ones(2, 4))
    seen["after the next forward"] = reduced()
    dist.destroy_process_group()
print("torch", torch.__version__, "Python", sys.version.split()[0])
for name, value in seen.items():
    print(f"{name}: {value}")
assert list(seen.values()) == [0, 0, 1]
PROGRAM
