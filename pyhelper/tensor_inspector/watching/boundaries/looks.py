"""Tests many tensors at once whether all is finite."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...safe.guard import module
from ..finite import are_common, find, is_readable

torch: Any = module("torch")

_SMALL = 1 << 12  #: elements up to which tensors are copied together: a call for each takes longer
_TOGETHER = 128  #: tensors that are copied at a time
_HALF = (torch.float16, torch.bfloat16)
_flatten: Any = getattr(torch._C._nn, "flatten_dense_tensors", None)
_gradients_on, _switch_gradients = torch.is_grad_enabled, torch._C._set_grad_enabled


def unsound(tensors: Iterable[Any]) -> list[Any]:
    """Those that hold NaN or Inf. Small ones are tested together, by one sum."""
    tensors = list(tensors)
    if _are_common_and_finite(tensors):
        return []
    found: list[Any] = []
    groups: dict[Any, list[Any]] = {}
    was_on = _gradients_on()
    _switch_gradients(False)
    try:
        for tensor in tensors:
            if not is_readable(tensor):
                continue
            if tensor.numel() > _SMALL or _flatten is None:
                if not _is_finite(tensor):
                    found.append(tensor)
                continue
            key = tensor.dtype, tensor.device
            group = groups.get(key)
            if group is None:
                groups[key] = [tensor]
            else:
                group.append(tensor)
        for group in groups.values():
            for at in range(0, len(group), _TOGETHER):
                piece = group[at : at + _TOGETHER]
                if not _is_finite(_flatten(piece)):
                    found.extend(piece)
    finally:
        _switch_gradients(was_on)
    return [tensor for tensor in found if find(tensor) is not None]


def _are_common_and_finite(tensors: list[Any]) -> bool:
    if _flatten is None or not are_common(tensors):
        return False
    was_on = _gradients_on()
    _switch_gradients(False)
    try:
        small: list[Any] = []
        for tensor in tensors:
            if tensor.numel() <= _SMALL:
                small.append(tensor)
                continue
            number = tensor.sum().item()
            if number - number != 0:
                return False
        return not small or _is_finite(_flatten(small) if len(small) > 1 else small[0])
    finally:
        _switch_gradients(was_on)


def _is_finite(tensor: Any) -> bool:
    """Whether a sum proves it."""
    number = (tensor.sum(dtype=torch.float32) if tensor.dtype in _HALF else tensor.sum()).item()
    return bool(number - number == 0)


def versions(tensors: list[Any]) -> list[tuple[int, int]]:
    try:
        return [(id(one), one._version) for one in tensors]
    except RuntimeError:  # of inference mode
        return [(id(one), 0 if one.is_inference() else one._version) for one in tensors]
