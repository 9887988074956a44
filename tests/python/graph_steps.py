"""Steps whose autograd graphs are unlike one another: each returns its frame, in which `y` has the graph."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2


def freed() -> FrameType:
    model = nn.Linear(4, 2)
    y = model(torch.randn(3, 4)).exp().sum()
    y.backward()
    return sys._getframe()


def modified() -> FrameType:
    w = torch.randn(4, requires_grad=True)
    scale = (w * 2).exp()
    y = scale.sum()
    with torch.no_grad():
        scale.add_(1)
    return sys._getframe()


def custom() -> FrameType:
    w = torch.randn(4, requires_grad=True)
    y = Double.apply(w).sum()
    return sys._getframe()


def refuse(_: Any) -> Any:
    raise RuntimeError("the program's code ran")


def hooked() -> FrameType:
    w = torch.randn(4, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, refuse):
        y = (w * w).exp().sum()
    return sys._getframe()


def checkpointed() -> FrameType:
    model = nn.Linear(4, 4)
    y = checkpoint(model, torch.randn(3, 4), use_reentrant=False).sigmoid().sum()
    return sys._getframe()
