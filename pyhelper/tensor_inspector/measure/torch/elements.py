"""The elements of a tensor as numbers, where its memory is plain and may be read."""

from __future__ import annotations

from typing import Any

from ...safe.budget import Budget
from ...safe.guard import NUMBERS, module
from ..stats import Unread, of_tensor
from .metadata import EXACT_TENSORS, Base, element_count, is_exact_tensor, keys_of, signature_of
from .readable import address_of, are_there, storage_address, why_unread

torch: Any = module("torch")
_ODD = tuple("FuncTorch Functionalize Sparse Nested Quantized Mkldnn Vulkan Metal Zero Meta Python".split())
_usual: dict[Any, bool] = {}  #: by sets of keys of torch's dispatcher


def is_plain(value: Any) -> bool:
    """Whether a tensor has elements in memory of its own that can be read now."""
    return bare(value) is not None


def bare(value: Any) -> Any:
    """The same elements without a gradient, for reading; None where they can't be read."""
    values = Base.detach(value) if is_exact_tensor(value) and _is_usual(value) else None
    return None if values is None or why_unread(values) is not None else values


def bare_each(values: list[Any]) -> list[Any]:
    """What `bare` gives of each, at once where all are as most are."""
    if EXACT_TENSORS.include(map(type, values)) and all(map(_is_usual, values)) and are_there(values):
        return list(map(Base.detach, values))
    return list(map(bare, values))


def _is_usual(value: Any) -> bool:
    """Whether an exact tensor has elements in memory of its own, by its dispatch keys."""
    keys = keys_of(value)
    signature = signature_of(keys)
    known = _usual.get(signature)
    if known is None:
        names = str(keys)
        known = _usual[signature] = not any(odd in names for odd in _ODD)
    return known


def stats_of(value: Any, budget: Budget) -> dict[str, Any] | None:
    """count, min, max, mean, std, nan, pos_inf, neg_inf, zeros; None where they were not read, or are of a complex."""
    values = bare(value)
    if values is None:
        return None
    found: Any = of_tensor(values, budget)
    return None if isinstance(found, Unread) or "abs" in found else found


def number_of(value: Any) -> float | None:
    """The number in a tensor of one element."""
    values = bare(value) if element_count(value) == 1 else None
    if values is None:
        return None
    found = values.item()
    return found if type(found) in NUMBERS else None


def norm_of(value: Any) -> float | None:
    """The Euclidean norm, in float32 at least; None where it can't be read. Inf or NaN where it has such elements."""
    values = bare(value)
    if values is None or not values.dtype.is_floating_point:
        return None
    if values.numel() >= 1 << 16:
        return float(values.float().norm().item())
    return float(torch.linalg.vector_norm(values, dtype=torch.float64).item())


def elements_key(value: Any) -> tuple[Any, ...] | None:
    """What is the same for two tensors over the same elements: where in memory, and in which shape. None of none."""
    values = bare(value)
    if values is None or not values.numel():
        return None
    return (address_of(values), tuple(values.shape), values.stride(), values.dtype)


def same_elements(a: Any, b: Any) -> bool:
    """Whether two tensors show the same elements of memory, in the same shape."""
    key = elements_key(a)
    return key is not None and key == elements_key(b)


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
