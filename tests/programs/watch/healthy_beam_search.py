"""Scores of −Inf for what is not allowed, of which the best are taken."""

import torch

scores = torch.full((2, 5), float("-inf"))
scores[:, 1] = 0.5
for _ in range(3):
    step = torch.log_softmax(torch.rand(2, 5), -1)
    total = scores + step
    total[:, 0] = float("-inf")
    values, at = total.topk(2)
    scores = total
print(values.max().item())
