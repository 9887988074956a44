"""What `where` does not choose has a gradient too: zero times Inf."""

import torch

x = torch.tensor([0.0, 1.0], requires_grad=True)
inverse = torch.where(x > 0, 1 / x, torch.zeros(2))  # BUG: ReciprocalBackward0, backward, 0
inverse.sum().backward()
