"""In place, after two optimizers have stepped."""

import torch

weight = torch.nn.Parameter(torch.ones(2))
optimizers = [torch.optim.SGD([weight], lr=0.0), torch.optim.Adam([weight], lr=0.0)]
for round in range(2):
    for optimizer in optimizers:
        x = weight.detach() - 2 * round
        if round:
            x.log_()  # BUG: log_, forward, 2
        loss = (weight * x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
