"""NaN for labels that are missing, left out of the loss."""

import torch
from torch.nn import functional

target = torch.tensor([1.0, float("nan")])
output = torch.ones(2, requires_grad=True)
known = ~target.isnan()
functional.mse_loss(output[known], target[known]).backward()
