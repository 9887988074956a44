"""A training that goes wrong, to try Tensor Inspector on. It needs torch, and takes a second."""

import torch
from torch import nn

torch.manual_seed(0)
images, labels = torch.rand(64, 3, 16, 16), torch.randint(10, (64,))
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 10), nn.Softmax(dim=1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for step in range(10):
    probabilities = model(images * 4.0**step)
    entropy = -(probabilities * probabilities.log()).sum(dim=1).mean()
    loss = nn.functional.cross_entropy(probabilities, labels) - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())  # pause here
