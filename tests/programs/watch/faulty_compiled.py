"""In a compiled function."""

import torch


@torch.compile(backend="eager")
def loss_of(x):
    return (x.log() * 2).sum()  # BUG: log, forward, 0


loss_of(torch.tensor([-1.0, 2.0], requires_grad=True)).backward()
