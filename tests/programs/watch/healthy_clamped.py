"""Bounds that are infinite."""

import torch

low, high = torch.tensor(float("-inf")), torch.tensor(float("inf"))
x = torch.rand(3, requires_grad=True)
torch.clamp(x, low, high).sum().backward()
