"""Through the `data` of a parameter."""

import torch

layer = torch.nn.Linear(2, 1)
layer.weight.data.zero_()
layer.weight.data.div_(layer.weight.data.norm())  # BUG: div_, forward, 0
layer(torch.ones(1, 2)).sum().backward()
