"""The derivative of hypot at zero is zero by zero."""

import torch

x = torch.zeros(2, requires_grad=True)
length = torch.hypot(x, x)  # BUG: HypotBackward0, backward, 0
length.sum().backward()
