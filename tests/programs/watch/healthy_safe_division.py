"""Zero by zero is taken away at once, without a gradient."""

import torch

with torch.no_grad():
    right, seen = torch.zeros(2), torch.tensor([0.0, 1.0])
    share = torch.where(seen > 0, right / seen, torch.zeros(2))
print(share.sum().item())
