"""Scenario 25: a frame with 500 locals, a dict of 100,000 tensors, a list of a million ints, 70 transformer layers."""

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


def many_locals() -> None:
    """500 names in one function, every tenth of them a tensor; written out by a loop, as nobody would by hand."""
    lines = ["def crowd(torch):"]
    lines += [f"    v{n:03} = torch.full((10,), {n}.0)" if n % 10 == 0 else f"    v{n:03} = {n}" for n in range(500)]
    lines += ["    paused(v499)"]
    names: dict[str, object] = {"paused": paused}
    exec("\n".join(lines), names)
    names["crowd"](torch)  # type: ignore[operator]


def paused(last: int) -> None:
    print("last of 500:", last)  # STOP: locals


def main() -> None:
    big_data()
    deep_model()
    many_locals()


if __name__ == "__main__":
    main()
