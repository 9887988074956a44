"""Two losses under one scaler, whose steps are skipped."""

import torch

weight = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**120)
first, second = scaler.scale((weight * 1e4).sum()), scaler.scale((weight * 2e4).sum())
first.backward(retain_graph=True)
second.backward()
scaler.step(optimizer)
scaler.update()
