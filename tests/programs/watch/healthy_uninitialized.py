"""Memory that is filled before it is used."""

import torch

for _ in range(3):
    buffer = torch.empty(10_000)
    held = torch.empty_like(buffer)
    buffer.fill_(1.0)
    held.copy_(buffer)
    print((buffer + held).sum().item())
