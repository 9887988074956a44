"""Objects of the program that are looked for only on a hit: scalers, and optimizers that hold a parameter."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from ...safe.guard import instance_dict, module
from .subjects import parameters_of

torch: Any = module("torch")

_NODES = 4  #: at the top of a graph that are looked at
_SCALERS = ("torch.amp.grad_scaler", "torch.cuda.amp.grad_scaler")


def factors_of(loss: Any) -> list[Any]:
    """The single numbers that a loss was multiplied by last, as tensors: a GradScaler's scale may be among them."""
    found, node = [], loss.grad_fn
    for _ in range(_NODES):
        if node is None:
            break
        if node.name() == "MulBackward0":
            found += [
                one.detach().clone() for one in _saved(node) if isinstance(one, torch.Tensor) and one.numel() == 1
            ]
        node = next((below for below, _ in node.next_functions), None)
    return found


def _saved(node: Any) -> tuple[Any, ...]:
    try:
        return node._saved_other, node._saved_self
    except RuntimeError:  # an earlier backward has freed them
        return ()


def is_scale(factors: list[Any]) -> bool:
    """Whether one is, or may be, the scale of a GradScaler: it skips steps whose gradients are not finite."""
    known = scales() if factors else set()
    return known is None or any(one.item() in known for one in factors)


def scales() -> set[float] | None:
    """The scales of the program's GradScalers; None where they can't be looked for."""
    if _is_out_of_sight():
        return None
    classes = tuple(vars(found)["GradScaler"] for found in map(module, _SCALERS) if found is not None)
    held = [instance_dict(one).get("_scale") for one in _living(classes)]
    return {one.item() for one in held if isinstance(one, torch.Tensor)}


def are_optimized(tensors: list[Any]) -> bool:
    """Whether an optimizer of the program holds one of them, or may."""
    if _is_out_of_sight():
        return True
    ids = {id(tensor) for tensor in tensors}
    optimizers = _living((torch.optim.Optimizer,))
    return any(id(held) in ids for optimizer in optimizers for held in parameters_of(optimizer))


def _is_out_of_sight() -> bool:
    """Whether the program has had the collector leave objects out, which it lists no more."""
    count = getattr(gc, "get_freeze_count", None)
    return count is not None and count() > 0


def _living(classes: tuple[type, ...]) -> Iterator[Any]:
    return (one for one in gc.get_objects() if issubclass(type(one), classes))
