"""The gradient with which the backward begins."""

import torch

weight = torch.ones(2, requires_grad=True)
(weight * 2).backward(torch.tensor([float("nan"), 1.0]))  # BUG: backward, input, 0
