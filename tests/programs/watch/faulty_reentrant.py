"""Computed again in backward, by a backward within the backward."""

import torch
from torch.utils.checkpoint import checkpoint


def block(x):
    doubled = x * 2
    return doubled.sqrt()  # BUG: SqrtBackward0, backward, 0


x = torch.zeros(2, requires_grad=True)
(checkpoint(block, x, use_reentrant=True) * 0).sum().backward()
