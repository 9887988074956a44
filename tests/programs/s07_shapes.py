"""Scenario 7: five exceptions about shapes, each in a thread of its own, so that the program goes on after it."""

import threading

import torch
from torch import nn


def too_few_features() -> None:
    head = nn.Linear(10, 5)
    batch = torch.ones(32, 5)
    print(head(batch))


def no_transpose() -> None:
    features = torch.ones(32, 10)
    weight = torch.ones(5, 10)
    print(features @ weight)


def unequal_sizes() -> None:
    predictions = torch.ones(16, 3)
    targets = torch.ones(16, 4)
    print((predictions - targets).pow(2).mean())


def channels_last() -> None:
    conv = nn.Conv2d(3, 8, kernel_size=3)
    images = torch.ones(4, 32, 32, 3)
    print(conv(images))


def no_channels() -> None:
    conv = nn.Conv2d(1, 8, kernel_size=3)
    digits = torch.ones(64, 28, 28)
    print(conv(digits))


def main() -> None:
    for case in (too_few_features, no_transpose, unequal_sizes, channels_last, no_channels):
        thread = threading.Thread(target=case)
        thread.start()
        thread.join()


if __name__ == "__main__":
    main()
