"""A loss that is NaN is asked for, and its batch skipped, while the loss lives on."""

import torch

weight = torch.nn.Parameter(torch.ones(1))
loss = (weight * torch.ones(0)).mean()
if not torch.isnan(loss).any():
    loss.backward()
