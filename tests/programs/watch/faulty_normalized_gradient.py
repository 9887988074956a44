"""A gradient of zero is normalized before the step."""

import torch

weight = torch.nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([weight], lr=1.0)
(weight**2).sum().backward()
weight.grad = weight.grad / weight.grad.norm()  # BUG: div, forward, 0
optimizer.step()
