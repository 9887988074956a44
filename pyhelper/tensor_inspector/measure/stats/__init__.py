"""Statistics of tensors and arrays: exact where the budget allows, sampled and marked where it does not.

Requirements: the standard library; torch and numpy only if the program has loaded them. Values are read, never written;
no user code runs; nothing warns. Torch tensors are read under the guard (torch function off, gradients off, no modes).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...safe.budget import Budget
from ...safe.torch_name import torch_name
from .. import devices
from ..torch.readable import why_unread
from ..unread import OFF, Reading, Unread, skipped, unknown
from . import device, exact, numpy_exact
from .layout import distinct, normalised
from .reductions import BLOCK, SMALL
from .scan import gatherer, scan
from .tally import ComplexTally, Tally, negated

if TYPE_CHECKING:
    from ...protocol import ComplexStats, Stats

__all__ = ["Reading", "Unread", "of_array", "of_tensor", "unreadable_array"]

_SPLIT = 1 << 16  # elements; torch reads them with more than one thread


def of_tensor(t: Any, budget: Budget) -> Reading:
    """Statistics of a dense strided torch.Tensor of any shape and dtype, or why there are none.

    The caller holds the guard. Never raises for the tensor's sake.
    """
    torch = sys.modules["torch"]
    dtype, count = t.dtype, t.numel()
    small = exact.small_kernel_for(torch, dtype)
    unread = why_unread(t, budget)
    if unread is not None:
        return unread
    if small is None:
        return unknown(torch_name(dtype))
    if count == 0:
        return _answer(exact.empty(dtype), 0, 1)
    if not budget.reads:
        return OFF
    if budget.spent() and count // normalised(tuple(t.shape), t.stride())[1] > SMALL:
        return skipped(budget)
    neg = t.is_neg()
    conj = dtype.is_complex and t.is_conj()
    stored = torch._neg_view(t) if neg else t
    try:
        tally, weight = _read(torch, stored.conj() if conj else stored, count, small, budget)
    except RuntimeError as error:
        if t.is_cpu:
            raise
        return devices.failed(error, t.device)
    if isinstance(tally, Unread):
        return tally
    answer = _answer(tally, count, weight)
    return _flipped(answer, neg, neg != conj) if neg or conj else answer


def _read(torch: Any, t: Any, count: int, small: Any, budget: Budget) -> tuple[Any, int]:
    """The tally of a tensor's distinct elements, and how often each of them occurs."""
    if not t.is_cpu:
        t = device.at_hand(t)
    on_cpu = t.is_cpu
    limit = budget.max_elements
    if on_cpu and count <= SMALL and (limit is None or count <= limit):
        return small(torch, t), 1
    dims, weight = normalised(tuple(t.shape), t.stride())
    view = distinct(t, dims)
    count //= weight
    if not on_cpu:
        return device.read(torch, view, count, budget), weight
    kernel: Any = exact.kernel_for(torch, t.dtype)
    block_size = BLOCK if t.element_size() <= 4 else BLOCK // 4
    return scan(view, gatherer(torch, t, dims), kernel, count, block_size, budget, lambda: _rehearse(torch)), weight


def _rehearse(torch: Any) -> None:
    """The least reduction that torch splits among threads."""
    torch.aminmax(torch.zeros(_SPLIT, dtype=torch.float32, device="cpu"))


def of_array(a: Any, budget: Budget) -> Reading:
    """Statistics of a numpy.ndarray of any shape and any boolean or numeric dtype, or why there are none.

    Subclasses are read as plain arrays: a mask is not seen.
    """
    return numpy_exact.of_array(a, budget)


def unreadable_array(a: Any) -> Unread | None:
    """Why reading a plain array would crash the program: the file that its memory maps was cut short, or closed."""
    return numpy_exact.unreadable(sys.modules["numpy"], a)


def _answer(tally: Tally | ComplexTally, count: int, weight: int) -> Stats | ComplexStats:
    return tally.stats(count, weight) if isinstance(tally, Tally) else tally.parts(count, weight)


def _flipped(answer: Stats | ComplexStats, real: bool, imag: bool) -> Stats | ComplexStats:
    """The answer for a lazily negated or conjugated tensor, from the answer for its memory."""
    if "abs" not in answer:
        return negated(answer)
    parts = answer
    if real:
        parts["real"] = negated(parts["real"])
    if imag:
        parts["imag"] = negated(parts["imag"])
    return parts
