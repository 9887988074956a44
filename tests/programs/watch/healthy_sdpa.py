"""torch's own attention with a mask of −Inf."""

import torch
from torch.nn import functional

q = torch.rand(1, 2, 4, 8, requires_grad=True)
mask = torch.full((4, 4), float("-inf")).triu(1)
functional.scaled_dot_product_attention(q, q, q, attn_mask=mask).sum().backward()
