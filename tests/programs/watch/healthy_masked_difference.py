"""NaN in labels is subtracted, and then left out."""

import torch

target = torch.tensor([1.0, float("nan"), 3.0])
output = torch.ones(3, requires_grad=True)
with torch.no_grad():
    errors = (output - target) ** 2
    print(errors[~target.isnan()].mean().item())
output.sum().backward()
