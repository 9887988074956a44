"""An infinity that arrives in the sparse gradient of an embedding."""

import torch

embedding = torch.nn.Embedding(4, 2, sparse=True)
optimizer = torch.optim.SGD(embedding.parameters(), lr=0.1)
found = embedding(torch.tensor([1, 2]))
scaled = found / 1e-30  # BUG: DivBackward0, backward, 0
scaled.backward(torch.full((2, 2), 1e10))
optimizer.step()
