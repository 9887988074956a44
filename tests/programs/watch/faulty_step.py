"""A learning rate that overflows the parameter, whose gradient is finite."""

import torch

weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=1e38)
for _ in range(2):
    optimizer.zero_grad()
    (weight * 1e5).sum().backward()
    optimizer.step()  # BUG: SGD.step, step, 0
