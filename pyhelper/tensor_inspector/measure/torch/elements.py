"""Numbers of a tensor's elements, for questions about it: only where its memory is plain and may be read."""

from __future__ import annotations

from typing import Any

from ...safe.budget import Budget
from ...safe.guard import Classes, module
from ..stats import Unread, of_tensor
from .metadata import Base, element_count, is_on_meta, layout_of
from .readable import address_of, storage_address, why_unread

torch: Any = module("torch")
_ODD = ("FuncTorch", "Functionalize", "Sparse", "Nested", "Quantized", "Mkldnn", "Vulkan", "Metal", "Zero", "Python")
OWN = Classes(torch.Tensor, torch.nn.Parameter, getattr(torch.nn, "Buffer", torch.Tensor))
_signature: Any = getattr(torch._C.DispatchKeySet, "raw_repr", str)
_plain: dict[Any, bool] = {}  #: by sets of keys of torch's dispatcher


def is_plain(value: Any) -> bool:
    """Whether a tensor's elements stand in memory of its own, and may be read now."""
    return bare(value) is not None


def bare(value: Any) -> Any:
    """The same elements without a gradient, for reading; None where they can't be read."""
    if not _has_memory(value):
        return None
    values = Base.detach(value)
    return values if why_unread(values) is None else None


def _has_memory(value: Any) -> bool:
    if not is_own(value) or layout_of(value) is not torch.strided or is_on_meta(value):
        return False
    keys = torch._C._dispatch_keys(value)
    signature = _signature(keys)
    if signature not in _plain:
        names = str(keys)
        _plain[signature] = not any(f"{odd}" in names for odd in _ODD)
    return _plain[signature]


def stats_of(value: Any, budget: Budget) -> dict[str, Any] | None:
    """count, min, max, mean, std, nan, pos_inf, neg_inf, zeros; None where they were not read, or are of a complex."""
    values = bare(value)
    if values is None:
        return None
    found: Any = of_tensor(values, budget)
    return None if isinstance(found, Unread) or "abs" in found else found


def number_of(value: Any) -> float | None:
    """The number in a tensor of one element on the CPU."""
    values = bare(value) if element_count(value) == 1 else None
    if values is None or not values.is_cpu:
        return None
    found = values.item()
    return found if type(found) in (int, float) else None


def place_of(value: Any) -> tuple[Any, ...] | None:
    """What is the same for two tensors over the same elements: where in memory, and in which shape."""
    values = bare(value)
    return None if values is None else (address_of(values), tuple(values.shape), values.stride(), values.dtype)


def version_of(value: Any) -> int:
    """How often it was modified in place; 0 of a tensor made in inference mode, which does not count."""
    try:
        return int(value._version)
    except RuntimeError:
        return 0


def memory_of(value: Any) -> int | None:
    """Where the storage of a tensor begins."""
    values = bare(value)
    return None if values is None else storage_address(values)


def is_own(value: object) -> bool:
    """Whether it is a tensor of one of torch's own plain classes, which run no code of the program when asked."""
    return type(value) in OWN
