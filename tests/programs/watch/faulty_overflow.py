"""A softmax by hand: exp overflows, and Inf by Inf is NaN a line later."""

import torch

scores = torch.full((3,), 100.0, requires_grad=True)
powers = scores.exp()  # BUG: exp, forward, 0
shares = powers / powers.sum()
shares.log().sum().backward()
