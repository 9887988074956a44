"""Gradients that overflow are unscaled and clipped, and the step is skipped."""

import torch
from torch import nn

weight = nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**120)
for _ in range(3):
    optimizer.zero_grad()
    scaler.scale((weight * 1e4).sum()).backward()
    scaler.unscale_(optimizer)
    print(nn.utils.clip_grad_norm_([weight], 1.0).item())
    scaler.step(optimizer)
    scaler.update()
print(weight.sum().item())
