"""The third of four losses whose gradients are added up."""

import torch
from torch import nn

model = nn.Linear(2, 1)
scales = [1.0, 2.0, 0.0, 4.0]
for scale in scales:
    output = model(torch.zeros(1, 2)) * 0
    loss = (output / scale).sum()  # BUG: div, forward, 0
    loss.backward()
