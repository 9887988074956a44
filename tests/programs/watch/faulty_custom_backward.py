"""A custom function whose backward divides by zero."""

import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        return gradient / torch.zeros(())  # BUG: div, backward, 0


x = torch.zeros(2, requires_grad=True)
(Scale.apply(x) * 0).sum().backward()
