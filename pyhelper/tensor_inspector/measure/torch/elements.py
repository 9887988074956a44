"""Numbers of a tensor's elements, for questions about it: only where its memory is plain and may be read."""

from __future__ import annotations

from typing import Any

from ...safe.budget import Budget
from ...safe.guard import instance_dict, module
from ..stats import Unread, of_tensor, unreadable_tensor
from .metadata import PLAIN, Base, device_of, element_count, layout_of, why_unread

torch: Any = module("torch")
_ODD = ("FuncTorch", "Functionalize", "Sparse", "Nested", "Quantized", "Mkldnn", "Vulkan", "Metal", "Zero", "Python")
_signature: Any = getattr(torch._C.DispatchKeySet, "raw_repr", str)
_plain: dict[Any, bool] = {}  #: by sets of keys of torch's dispatcher


def is_plain(value: Any) -> bool:
    """Whether a tensor's elements stand in memory of its own, and may be read now."""
    if not _has_plain_class(value) or layout_of(value) is not torch.strided or device_of(value).type == "meta":
        return False
    keys = torch._C._dispatch_keys(value)
    signature = _signature(keys)
    if signature not in _plain:
        names = str(keys)
        _plain[signature] = not any(f"{odd}" in names for odd in _ODD)
    return _plain[signature] and why_unread(value) is None and unreadable_tensor(_bare(value)) is None


def bare(value: Any) -> Any:
    """The same elements without a gradient, for reading; None where they can't be read."""
    return _bare(value) if is_plain(value) else None


def stats_of(value: Any, budget: Budget) -> dict[str, Any] | None:
    """count, min, max, mean, std, nan, pos_inf, neg_inf, zeros; None where they were not read, or are of a complex."""
    if not is_plain(value):
        return None
    found: Any = of_tensor(_bare(value), budget)
    return None if isinstance(found, Unread) or "abs" in found else found


def number_of(value: Any) -> float | None:
    """The number in a tensor of one element on the CPU."""
    if element_count(value) != 1 or not is_plain(value) or device_of(value).type != "cpu":
        return None
    found = _bare(value).item()
    return found if type(found) in (int, float) else None


def place_of(value: Any) -> tuple[Any, ...] | None:
    """What is the same for two tensors over the same elements: where in memory, and in which shape."""
    if not is_plain(value):
        return None
    return (Base.data_ptr(value), tuple(value.shape), tuple(Base.stride(value)), value.dtype)


def memory_of(value: Any) -> int | None:
    """Where the storage of a tensor begins."""
    if not is_plain(value):
        return None
    try:
        return int(Base.untyped_storage(value).data_ptr()) or None
    except Exception:
        return None


def _has_plain_class(value: Any) -> bool:
    return type(value) in PLAIN or (
        type(value).__module__ == "torch.nn.parameter" and not instance_dict(value).get("_is_lazy")
    )


def _bare(value: Any) -> Any:
    return Base.detach(value)
