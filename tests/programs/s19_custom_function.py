"""Scenario 19: an operation with a backward of its own, which is wrong in the entries that the forward has clipped."""

from __future__ import annotations

from typing import Any

import torch


class ClippedSquare(torch.autograd.Function):
    """x², and 4 where that is more: its backward forgets that nothing changes there."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return (x * x).clamp(max=4.0)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        (x,) = ctx.saved_tensors
        return 2 * x * grads[0]


def main() -> None:
    x = torch.tensor([[0.5, 1.0, 3.0], [-1.5, -2.5, 0.0]], requires_grad=True)
    clipped = ClippedSquare.apply
    y = clipped(x)
    y.sum().backward()
    print("gradient:", x.grad)  # STOP


if __name__ == "__main__":
    main()
