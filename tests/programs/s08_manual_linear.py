"""Scenario 8: a layer's output against the same by hand: right, right and more exact, and without the transpose."""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    layer = nn.Linear(6, 6)
    x = torch.randn(4, 6)
    with torch.no_grad():
        y = layer(x)
        by_hand = x @ layer.weight.t() + layer.bias
        exact = (x.double() @ layer.weight.double().t() + layer.bias.double()).float()
        forgotten = x @ layer.weight + layer.bias
    print("close:", *(torch.allclose(y, other, atol=1e-6) for other in (by_hand, exact, forgotten)))  # STOP


if __name__ == "__main__":
    main()
