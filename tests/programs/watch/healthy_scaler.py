"""A GradScaler skips steps whose gradients overflow."""

import torch

scaler = torch.amp.GradScaler("cpu", init_scale=2.0**40)
weight = torch.nn.Parameter(torch.full((2,), 1e30))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = (weight * 1e-30 * 1e30).sum() * 1e-2
    scaler.scale(loss * 1e-28).backward()
    scaler.step(optimizer)
    scaler.update()
