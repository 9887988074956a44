"""A GRU is given NaN."""

import torch
from torch import nn

model = nn.GRU(2, 2)
output, _ = model(torch.tensor([[[1.0, float("nan")]]]))  # BUG: gru, input, 0
output.sum().backward()
