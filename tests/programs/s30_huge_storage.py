"""Scenario 30: a storage of 30 MiB and an array of nine dimensions, which the debugger's own views would write out."""

from __future__ import annotations

import numpy as np
import torch


def main() -> None:
    tensor = torch.arange(30 << 18, dtype=torch.float32)
    storage = tensor.untyped_storage()
    array = np.zeros((6,) * 9)
    print("bytes:", storage.nbytes(), array.nbytes)  # STOP


if __name__ == "__main__":
    main()
