"""The logarithm of what a layer may make negative, in the second step."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        nn.init.constant_(self.first.weight, 0.5)
        nn.init.constant_(self.first.bias, 0.0)

    def forward(self, x):
        return torch.log(self.first(x)).sum()  # BUG: log, forward, 1


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=10.0)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.ones(1, 2))
    loss.backward()
    optimizer.step()
