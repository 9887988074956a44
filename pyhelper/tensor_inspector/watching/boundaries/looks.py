"""Tests many tensors at once whether all is finite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import module
from ..finite import find, is_readable

torch: Any = module("torch")

_SMALL = 1 << 14  #: elements up to which tensors are copied together: a call for each takes longer
_TOGETHER = 1 << 20  #: elements that are copied at a time
_HALF = (torch.float16, torch.bfloat16)
_flatten: Any = getattr(torch._C._nn, "flatten_dense_tensors", None)


def unsound(tensors: Iterable[Any]) -> list[Any]:
    """Those that hold NaN or Inf. Small ones are tested together, by one sum."""
    large: list[Any] = []
    groups: dict[Any, list[Any]] = {}
    for tensor in tensors:
        if not is_readable(tensor):
            continue
        if tensor.numel() > _SMALL or _flatten is None:
            large.append(tensor)
        else:
            groups.setdefault((tensor.dtype, tensor.device), []).append(tensor)
    found = [tensor for tensor in large if find(tensor) is not None]
    for group in groups.values():
        for piece in _pieces(group):
            if not _are_finite(piece):
                found.extend(tensor for tensor in piece if find(tensor) is not None)
    return found


def _pieces(group: list[Any]) -> Iterable[list[Any]]:
    most = _TOGETHER // _SMALL
    return (group[at : at + most] for at in range(0, len(group), most))


def _are_finite(tensors: list[Any]) -> bool:
    with torch.no_grad():
        flat = _flatten(tensors)
        number = (flat.sum(dtype=torch.float32) if flat.dtype in _HALF else flat.sum()).item()
    return bool(number - number == 0)
