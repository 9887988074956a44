"""A custom function whose forward takes the root of a negative number."""

import torch


class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sqrt()  # BUG: sqrt, forward, 0

    @staticmethod
    def backward(ctx, gradient):
        return gradient


(Root.apply(torch.full((2,), -1.0, requires_grad=True)) * 2).sum().backward()
