"""In the closure of an optimizer."""

import torch

weight = torch.nn.Parameter(torch.zeros(2))
optimizer = torch.optim.SGD([weight], lr=0.1)


def closure():
    optimizer.zero_grad()
    ratio = weight / weight  # BUG: div, forward, 0
    loss = (ratio * 2).sum()
    loss.backward()
    return loss


optimizer.step(closure)
