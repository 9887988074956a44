"""Scenario 17: losses that are given the wrong thing, and one that only looks so."""

import threading

import torch
from torch import nn


def softmax() -> None:
    model = nn.Sequential(nn.Linear(8, 3), nn.Softmax(dim=1))
    probabilities = model(torch.randn(16, 8))
    loss = nn.functional.cross_entropy(probabilities, torch.arange(16) % 3)
    loss.backward()  # STOP


def raw_logits() -> None:
    model = nn.Linear(8, 1)
    scores = model(torch.randn(16, 8) * 4).squeeze(1)
    targets = torch.arange(16) % 2 * 1.0
    loss = nn.functional.binary_cross_entropy(scores, targets)  # STOP
    loss.backward()


def log_softmax() -> None:
    model = nn.Sequential(nn.Linear(8, 3), nn.LogSoftmax(dim=1))
    scores = model(torch.randn(16, 8))
    loss = nn.functional.cross_entropy(scores, torch.arange(16) % 3)
    loss.backward()  # STOP


def main() -> None:
    torch.manual_seed(0)
    for case in (softmax, raw_logits, log_softmax):
        thread = threading.Thread(target=case)
        thread.start()
        thread.join()


if __name__ == "__main__":
    main()
