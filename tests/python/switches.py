"""Modes and flags of torch that code of a program may switch: `switch_all` does, `switches` tells how they stand."""

from __future__ import annotations

from typing import Any

import torch


def switch_all() -> None:
    torch.use_deterministic_algorithms(not torch.are_deterministic_algorithms_enabled())
    torch.set_anomaly_enabled(not torch.is_anomaly_enabled())
    torch.backends.cudnn.benchmark = not torch.backends.cudnn.benchmark
    torch.set_num_threads(torch.get_num_threads() + 1)


def switches() -> tuple[Any, ...]:
    return (
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_anomaly_enabled(),
        torch.backends.cudnn.benchmark,
        torch.get_num_threads(),
    )
