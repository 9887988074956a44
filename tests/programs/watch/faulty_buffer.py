"""A batch of one row: the output is finite, the running variance is not."""

import torch
from torch import nn
from torch.nn import functional

functional._verify_batch_size = lambda size: None  # as in a copy of the function without its check
model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
for rows in (4, 1):
    output = model(torch.rand(rows, 2))  # BUG: batch_norm, buffer, 0
    output.sum().backward()
