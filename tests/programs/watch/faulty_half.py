"""float16 overflows at 65504."""

import torch

x = torch.full((4,), 300.0, dtype=torch.float16, requires_grad=True)
square = x * x  # BUG: mul, forward, 0
square.float().mean().backward()
