"""Scenario 15: no memory left for one enormous tensor. On a machine without an accelerator the CPU's allocator says so."""

import threading

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    embeddings = torch.randn(40_000, 256)
    model = nn.Linear(256, 256)
    batch = embeddings[:64]
    print(model(batch).shape)  # STOP
    scores = embeddings.new_empty(40_000, 40_000, 2_000_000)
    print(scores.shape)


if __name__ == "__main__":
    thread = threading.Thread(target=main, name="training")
    thread.start()
    thread.join()
