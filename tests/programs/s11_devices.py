"""Scenario 11: a batch and a model on two devices; `meta` stands for the second one. Both fail, each in its own thread."""

import threading

import torch
from torch import nn


def batch_elsewhere() -> None:
    model = nn.Linear(6, 3)
    batch = {"x": torch.ones(8, 6, device="meta"), "y": torch.arange(8) % 3}
    loss = nn.functional.cross_entropy(model(batch["x"]), batch["y"])  # STOP
    loss.backward()


def spread() -> None:
    model = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 3, device="meta"))
    x = torch.ones(8, 6)
    print(model(x))  # STOP


def main() -> None:
    for case in (batch_elsewhere, spread):
        thread = threading.Thread(target=case)
        thread.start()
        thread.join()


if __name__ == "__main__":
    main()
