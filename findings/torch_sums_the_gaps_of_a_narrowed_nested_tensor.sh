#!/usr/bin/env bash
# Expected: sum, max and mean of a nested tensor are those of its components.
# Happens:  after torch.nested.narrow with layout jagged, they take in the elements between the components too: 70, 14 and
#           7 where the components give 36, 12 and 7.2. `contiguous()` gives the right ones; `numel()` counts right.
# Versions: torch 2.13.0, numpy 2.4.6, Python 3.11.7, November 2026.
# Here:     the buffer of a jagged tensor may hold more than it: statistics and comparisons go by offsets and lengths.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - <<'PROGRAM'
import warnings

import torch

warnings.simplefilter("ignore")
whole = torch.stack([torch.arange(5.0), torch.arange(5.0) + 10])
narrowed = torch.nested.narrow(whole, 1, torch.tensor([1, 0]), torch.tensor([2, 3]), layout=torch.jagged)
whole_buffer = {name: getattr(torch, name)(narrowed).item() for name in ("sum", "max", "mean")}
components = torch.cat(list(narrowed.unbind()))
true = {name: getattr(torch, name)(components).item() for name in ("sum", "max", "mean")}
after = torch.sum(narrowed.contiguous()).item()
print("torch", torch.__version__)
print("components:", [part.tolist() for part in narrowed.unbind()])
print("of the nested tensor:", whole_buffer)
print("of its components:", {name: round(value, 3) for name, value in true.items()})
print("sum after contiguous():", after, "numel:", narrowed.numel())
assert whole_buffer == {"sum": 70.0, "max": 14.0, "mean": 7.0}
assert true["sum"] == after == 36.0 and true["max"] == 12.0 and narrowed.numel() == 5
PROGRAM
