"""NaN in the data."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
data = torch.tensor([[1.0, float("nan")]])
loss = model(data).sum()  # BUG: linear, input, 0
loss.backward()
