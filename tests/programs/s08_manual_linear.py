"""Scenario 8: a layer's output against the same by hand, once right and once without the transpose."""

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    layer = nn.Linear(6, 6)
    x = torch.randn(4, 6)
    with torch.no_grad():
        y = layer(x)
        by_hand = x @ layer.weight.t() + layer.bias
        forgotten = x @ layer.weight + layer.bias
    print("close:", torch.allclose(y, by_hand, atol=1e-6), torch.allclose(y, forgotten))  # STOP


if __name__ == "__main__":
    main()
