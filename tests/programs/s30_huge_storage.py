"""Scenario 30: a storage of 30 MiB, alone and in what writes it out, and an array of nine dimensions: the debugger's own
views would write out all of it."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import numpy as np
import torch


def main() -> None:
    tensor = torch.arange(30 << 18, dtype=torch.float32)
    storage = tensor.untyped_storage()
    held = [
        storage,
        {"s": storage},
        (storage,),
        SimpleNamespace(s=storage),
        partial(print, storage),
        ValueError(storage),
    ]
    array = np.zeros((6,) * 9)
    print("bytes:", storage.nbytes(), len(held), array.nbytes)  # STOP


if __name__ == "__main__":
    main()
