"""Scenario 20: which layer makes which shape, in a network that works and in one whose head does not fit."""

import torch
from torch import nn


class Net(nn.Module):
    """Convolutions, then a head that wants as many features as it is told."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(4),
        )
        self.dropout = nn.Dropout(0.5)
        self.head = nn.Linear(features, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.dropout(self.features(images).flatten(1)))


def main() -> None:
    torch.manual_seed(0)
    images = torch.randn(8, 3, 32, 32)
    model = Net(16 * 4 * 4)
    broken = Net(16 * 8 * 8)
    print(model.training, broken.training)  # STOP


if __name__ == "__main__":
    main()
