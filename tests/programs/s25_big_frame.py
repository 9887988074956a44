"""Scenario 25: a dict of 100,000 tensors, a list of a million ints, 70 transformer layers, a frame of 500 names."""

from __future__ import annotations

import torch
from torch import nn


def big_data() -> None:
    rows = torch.arange(100_000, dtype=torch.float32)
    tensors = {f"row{index}": row for index, row in enumerate(rows.unbind())}
    numbers = list(range(1_000_000))
    print("data:", len(tensors), len(numbers))  # STOP: data


def deep_model() -> None:
    torch.manual_seed(0)
    layers = [nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True) for _ in range(70)]
    model = nn.Sequential(*layers)
    tokens = torch.randn(1, 3, 8)
    print("model:", tuple(model(tokens).shape))  # STOP: model


def main() -> None:
    big_data()
    deep_model()


if __name__ == "__main__":
    main()
    # At module level the names are a dict's keys: 500 of them at once, every tenth a tensor.
    globals().update({f"v{n:03}": torch.full((10,), float(n)) if n % 10 == 0 else n for n in range(500)})
    print("names:", len(globals()) > 500)  # STOP: names
