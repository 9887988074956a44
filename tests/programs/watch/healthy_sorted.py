"""A table with missing values is sorted."""

import torch

rates = torch.zeros(3) / torch.tensor([0.0, 1.0, 2.0])
print(rates.sort().values.nanmean().item())
