"""Changes one thing of a value, where that can be done alike for all of its type."""

from __future__ import annotations

from typing import Any

from tensor_inspector.safe.guard import library_of

_MOST = 1_000_000  #: elements


def changed(value: Any) -> Any:
    """The value, or another one, with one thing changed; None where its type has no such change."""
    cls = type(value)
    if cls is list:
        return [*value, "one more"]
    if cls is tuple:
        return (*value, "one more")
    if cls is dict:
        return {**value, "one more": 1}
    if cls is set or cls is frozenset:
        return cls({*value, "one more"})
    if cls is int or cls is float or cls is complex:
        return 0 if value != value or value + 1 == value else value + 1
    if cls is str or cls is bytes:
        return value + value[:1] or None
    module = library_of(cls)
    if module == "numpy":
        return _array(value)
    return _tensor(value) if module == "torch" else None


def _array(value: Any) -> Any:
    import numpy as np

    if type(value) is not np.ndarray or not 0 < value.size <= _MOST or value.dtype.kind not in "biufc":
        return None
    other = np.array(value)
    other.flat[0] = 0 if other.flat[0] else 1
    return other.view(value.dtype)


def _tensor(value: Any) -> Any:
    import torch

    if not issubclass(type(value), (torch.Tensor, torch.nn.Module)):
        return None
    try:
        tensors = [value] if issubclass(type(value), torch.Tensor) else list(value.parameters())
    except Exception:  # of a module that is not made, or is hostile
        return None
    dense = [one for one in tensors if type(one) in (torch.Tensor, torch.nn.Parameter) and _is_plain(one)]
    if not dense:
        return None
    try:
        with torch.no_grad():
            first = dense[0].flatten()[:1]
            dense[0].data[(0,) * dense[0].dim()] = 0 if bool(first != 0) else 1
    except RuntimeError:  # of a dtype that torch can't write, without memory, immutable
        return None
    return value


def _is_plain(tensor: Any) -> bool:
    import torch

    return (
        tensor.layout is torch.strided
        and tensor.device.type == "cpu"
        and not (
            tensor.is_quantized or tensor.is_nested or tensor.is_inference() or tensor.is_conj() or tensor.is_neg()
        )
        and 0 < tensor.numel() <= _MOST
        and tensor.stride().count(0) == 0
    )
