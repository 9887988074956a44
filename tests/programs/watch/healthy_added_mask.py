"""A mask of −Inf that is added, made once."""

import torch

mask = torch.full((4, 4), float("-inf")).triu(1)
scores = torch.rand(4, 4, requires_grad=True) + mask
(scores.softmax(-1) @ torch.rand(4, 2)).sum().backward()
