"""Its shape and device are asked for before it is used."""

import torch

x = torch.zeros(2) / 0  # BUG: div, forward, 0
print(x.shape, x.device, (x > 1).any())
print((x * 2).sum().item())
