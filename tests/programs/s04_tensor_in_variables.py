"""Scenario 4: a tensor in the stock Variables view, expanded five levels. Stops at module level."""

import torch

torch.manual_seed(0)

weight = torch.randn(4, 3, requires_grad=True)
bias = torch.zeros(4, requires_grad=True)
inputs = torch.randn(5, 3)
hidden = torch.relu(inputs @ weight.t() + bias)
loss = hidden.square().mean()
loss.backward()
row = weight.detach()[1]
image = torch.arange(2 * 3 * 4, dtype=torch.uint8).reshape(2, 3, 4)
mask = image > 11
wave = torch.tensor([1 + 2j, 3 - 4j])
count = torch.tensor(42)
print("loss:", round(loss.item(), 4))  # STOP
