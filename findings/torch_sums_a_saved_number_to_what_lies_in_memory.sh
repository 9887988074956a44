#!/usr/bin/env bash
# Expected: the sum of a tensor with one element is that element.
# Happens:  of the number that a node of the graph has saved (`_saved_other` of `x * 2.5`), `sum()`, `mean()` and
#           `prod()` give what lies in memory, another number each time, on the CPU. The tensor prints as 2.5, and
#           `item()`, `max()`, and the sum of its clone or of `reshape(1)` are 2.5. An integer is summed rightly.
# Versions: torch 2.13.0 (CPU), Python 3.11.7, November 2026.
# Here:     whether an operation was given Inf is told by a sum; of a number without dimensions it is taken of
#           `reshape(-1)`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0
"$folder/venv/bin/python" - <<'PROGRAM'
import sys

import torch

x = torch.ones(2, requires_grad=True)
saved = (x * 2.5).grad_fn._saved_other
whole = (x * 3).grad_fn._saved_other
print("torch", torch.__version__, "Python", sys.version.split()[0])
seen = {
    "item": saved.item(),
    "max": saved.max().item(),
    "sum of a clone": saved.clone().sum().item(),
    "sum of reshape(1)": saved.reshape(1).sum().item(),
    "sum": [saved.sum().item() for _ in range(3)],
    "mean": saved.mean().item(),
    "prod": saved.prod().item(),
    "sum of an integer": whole.sum().item(),
}
for name, value in seen.items():
    print(f"{name}: {value}")
assert {seen["item"], seen["max"], seen["sum of a clone"], seen["sum of reshape(1)"]} == {2.5}
assert 2.5 not in seen["sum"]
assert seen["sum of an integer"] == 3
PROGRAM
