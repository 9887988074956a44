"""−Inf where attention must not look."""

import torch

query = torch.rand(2, 4, 8, requires_grad=True)
scores = query @ query.transpose(1, 2)
scores = scores.masked_fill(torch.ones(4, 4).triu(1).bool(), float("-inf"))
scores.softmax(-1).sum().backward()
