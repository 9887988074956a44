"""Scenario 16: inputs that no model learns from well: pixels as they are, columns, samples and labels that tell little."""

import torch
from torch import nn


def raw_pixels() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 4))
    images, labels = torch.randint(0, 256, (16, 3, 10, 10)).float(), torch.arange(16) % 4
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()  # STOP


def constant_columns() -> None:
    model = nn.Linear(10, 1)
    table = torch.randn(64, 10)
    table[:, 3], table[:, 7] = 0.5, 0.0
    loss = nn.functional.mse_loss(model(table), table.sum(1, keepdim=True))
    loss.backward()  # STOP


def few_samples() -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 3))
    data, indices = torch.randn(64, 3, 8, 8), torch.arange(16) % 4
    batch, labels = data[indices], indices % 3
    loss = nn.functional.cross_entropy(model(batch), labels)
    loss.backward()  # STOP


def one_class() -> None:
    model = nn.Linear(10, 3)
    data, classes = torch.randn(192, 10), torch.arange(192) // 64
    features, labels = data[:64], classes[:64]
    loss = nn.functional.cross_entropy(model(features), labels)
    loss.backward()  # STOP


def unbalanced() -> None:
    model = nn.Linear(10, 3)
    features, labels = torch.randn(64, 10), torch.zeros(64, dtype=torch.long)
    labels[5], labels[20:23] = 2, 1
    loss = nn.functional.cross_entropy(model(features), labels)
    loss.backward()  # STOP


def main() -> None:
    torch.manual_seed(0)
    for case in (raw_pixels, constant_columns, few_samples, one_class, unbalanced):
        case()


if __name__ == "__main__":
    main()
