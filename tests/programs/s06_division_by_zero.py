"""Scenario 6: preprocessing divides by zero, and everything after it is NaN."""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    data = torch.rand(32, 8)
    data[3, 2] = data[7, 5] = 1.0
    inputs = data / (data - 1)
    labels = torch.arange(32) % 3
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaled = inputs - inputs.mean(0)
    loss = nn.functional.cross_entropy(model(scaled), labels)
    optimizer.zero_grad()
    loss.backward()  # STOP
    optimizer.step()


if __name__ == "__main__":
    main()
