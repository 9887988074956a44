"""A gradient that `torch.autograd.grad` returns."""

import torch

x = torch.zeros(2, requires_grad=True)
roots = x.sqrt()  # BUG: SqrtBackward0, backward, 0
(gradient,) = torch.autograd.grad(roots.sum(), x)
