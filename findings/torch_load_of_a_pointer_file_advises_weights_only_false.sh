#!/usr/bin/env bash
# Expected: torch.load says that a file is no checkpoint.
# Happens:  of a Git LFS pointer, the small text that stands where a large file was not fetched, it says "Unsupported
#           operand 118" (the letter v) and that weights_only=False "will likely succeed". It does not: that raises too.
# Versions: torch 2.13.0, numpy 2.4.6, Python 3.11.7, November 2026.
# Here:     an explanation of this error says that the path was not read, and repeats no advice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 numpy==2.4.6
"$folder/venv/bin/python" - "$folder" <<'PROGRAM'
import sys
from pathlib import Path

import torch

path = Path(sys.argv[1], "model.pt")
path.write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n")
said = {}
for weights_only in (True, False):
    try:
        torch.load(path, weights_only=weights_only)
    except Exception as error:
        said[weights_only] = f"{type(error).__name__}: {error}"
print("torch", torch.__version__)
print("weights_only=True:", " ".join(said[True].split())[:420])
print("weights_only=False:", " ".join(said[False].split())[:120])
assert "Unsupported operand 118" in said[True] and "will likely succeed" in said[True]
assert "invalid load key" in said[False]
PROGRAM
