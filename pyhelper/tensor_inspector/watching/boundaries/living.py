"""Objects of the program that are looked for only on a hit: scalers, and optimizers that hold a parameter."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from ...safe.guard import instance_dict, module
from .subjects import parameters_of

torch: Any = module("torch")

_SCALERS = ("torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler")


def has_scaler() -> bool:
    """Whether the program has a GradScaler that is on: it skips steps whose gradients are not finite."""
    classes = [vars(found)["GradScaler"] for found in map(module, _SCALERS) if found is not None]
    return any(instance_dict(one).get("_enabled", True) for one in _living(tuple(classes)))


def are_optimized(tensors: list[Any]) -> bool:
    """Whether an optimizer of the program holds one of them."""
    ids = {id(tensor) for tensor in tensors}
    optimizers = _living((torch.optim.Optimizer,))
    return any(id(held) in ids for optimizer in optimizers for held in parameters_of(optimizer))


def _living(classes: tuple[type, ...]) -> Iterator[Any]:
    return (one for one in gc.get_objects() if issubclass(type(one), classes))
