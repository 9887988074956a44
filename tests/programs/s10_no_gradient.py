"""Scenario 10: parameters that get no gradient, for five reasons."""

import torch
from torch import Tensor, nn


class Net(nn.Module):
    """An encoder and a head; a subclass takes one thing wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.relu(self.encoder(x)))


class Detaching(Net):
    """Cuts the graph between its two layers."""

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.relu(self.encoder(x)).detach()
        return self.head(hidden)


class Unused(Net):
    """Has a layer that its forward leaves out."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)


class PlainList(Net):
    """Keeps layers where `parameters()` does not look."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = [nn.Linear(8, 8) for _ in range(3)]

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = torch.relu(block(x))
        return super().forward(x)


class Frozen(Net):
    """Has an encoder that is not trained, on purpose."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder.requires_grad_(False)


def train(model: nn.Module, part: str) -> None:
    """Trains a part of the model, all of it where the part has no name."""
    optimizer = torch.optim.SGD(model.get_submodule(part).parameters(), lr=0.1)
    x, y = torch.randn(16, 8), torch.arange(16) % 2
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  # STOP


def main() -> None:
    torch.manual_seed(0)
    for kind in (Detaching, Unused, PlainList, Frozen):
        train(kind(), "")
    train(Net(), "head")


if __name__ == "__main__":
    main()
