"""NaN is replaced in the next line."""

import torch

with torch.no_grad():
    ratio = torch.zeros(3) / torch.zeros(3)
    ratio = torch.nan_to_num(ratio)
print(ratio.mean().item())
