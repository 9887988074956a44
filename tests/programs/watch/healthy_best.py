"""The best loss so far."""

import torch

best, least = float("inf"), torch.tensor(float("inf"))
for _ in range(2):
    loss = torch.tensor(2.0, requires_grad=True) * 1
    least = torch.minimum(least, loss.detach())
    best = min(best, loss.item())
    loss.backward()
print(best, least.item())
