"""A mean without what is missing."""

import torch

table = torch.tensor([[1.0, float("nan")], [2.0, 3.0]])
print(table.nanmean(0).sum().item(), torch.nansum(table).item())
