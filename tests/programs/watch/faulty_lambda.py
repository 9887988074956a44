"""In a lambda that another calls."""

import torch

inverse = lambda x: x.pow(-1.0)  # BUG: pow, forward, 0
loss_of = lambda x: inverse(x).sum()
loss_of(torch.zeros(2, requires_grad=True)).backward()
