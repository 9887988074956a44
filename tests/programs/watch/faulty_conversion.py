"""A conversion to float16 overflows."""

import torch

x = torch.full((4,), 1e5, requires_grad=True)
half = x.to(torch.float16)  # BUG: to, forward, 0
half.float().mean().backward()
