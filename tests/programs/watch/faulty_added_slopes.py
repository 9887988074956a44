"""Two infinite slopes of different signs are added where a value was used twice."""

import torch

weight = torch.ones(1, requires_grad=True)
half = weight.square().mean()
loss = (half - half).sqrt() + half  # BUG: SqrtBackward0, backward, 0
loss.backward()
