"""Scenario 26: 10⁸ elements, an expanded tensor of 10¹², one mapped from a file, and one whose storage was freed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import torch


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "weights.bin"))
        np.arange(1_000_000, dtype=np.float32).tofile(file)
        big = torch.from_numpy(np.zeros((10_000, 10_000), np.float32))  # untouched pages, so no memory is used yet
        expanded = torch.tensor(3.0).expand(1_000_000, 1_000_000)
        mapped = torch.from_file(file, size=1_000_000)
        array = np.memmap(file, dtype=np.float32, mode="r", shape=(1000, 1000))
        freed = torch.arange(24.0).reshape(4, 6)
        view_of_freed = freed[1:]
        freed.untyped_storage().resize_(0)
        print("elements:", big.numel(), expanded.numel(), mapped.numel(), array.size, freed.numel())  # STOP
        del view_of_freed, mapped, array


if __name__ == "__main__":
    main()
