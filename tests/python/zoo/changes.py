"""Changes one thing of a value, where that can be done alike for all of its type."""

from __future__ import annotations

from typing import Any

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
    if cls in (set, frozenset):
        return cls({*value, "one more"})
    if cls in (int, float, complex):
        return value + 1 if value + 1 != value else 0
    if cls in (str, bytes):
        return value + value[:1] or None
    module = cls.__module__.partition(".")[0]
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

    if not isinstance(value, (torch.Tensor, torch.nn.Module)):
        return None
    tensors = [value] if isinstance(value, torch.Tensor) else list(value.parameters())
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
