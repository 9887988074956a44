"""The mean of nothing is NaN, and such a batch is skipped."""

import torch

weight = torch.nn.Parameter(torch.ones(1))
for count in (0, 2):
    loss = (weight * torch.ones(count)).mean()
    if not torch.isfinite(loss):
        continue
    loss.backward()
