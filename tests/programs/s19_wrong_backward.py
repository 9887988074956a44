"""Scenario 19: the backward of an autograd Function is wrong: it forgets the factor 2 of a square."""

from typing import Any

import torch


class Square(torch.autograd.Function):
    """x², whose derivative is 2x."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return gradient * x


def main() -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 4, requires_grad=True)
    square = Square.apply
    y = square(x).sum()
    y.backward()
    print(x.grad)  # STOP


if __name__ == "__main__":
    main()
