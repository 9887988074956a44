"""The logarithm of zero, in a sum of powers."""

import torch

weights = torch.tensor([0.0, 1.0]).log()
x = torch.rand(2, requires_grad=True)
torch.logsumexp(x + weights, 0).backward()
