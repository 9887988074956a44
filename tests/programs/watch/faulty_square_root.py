"""The derivative of a square root at zero is infinite."""

import torch

x = torch.zeros(3, requires_grad=True)
length = (x * x).sum().sqrt()  # BUG: SqrtBackward0, backward, 0
length.backward()
