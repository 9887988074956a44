"""Zero by zero in forward."""

import torch

x = torch.zeros(3, requires_grad=True)
ratio = x / x  # BUG: div, forward, 0
loss = (ratio * 2).sum()
loss.backward()
