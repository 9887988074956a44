"""Finds the first NaN and the first infinity of a tensor or array, in the order of its indices (row by row).

It reads block by block in that order, so little is read where one comes early. Nothing of the whole's size is
allocated.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Optional

from ...safe.budget import Budget
from ..torch.readable import why_unread
from . import device
from .layout import blocks, index_of
from .numpy_exact import unreadable as unreadable_array

_BLOCK = 32_000  # elements; so many torch works on with one thread, which busy cores do not make wait
#: The tests for NaN and for infinities.
_TESTS: tuple[Callable[[Any, Any], Any], ...] = (lambda _, x: x != x, lambda torch, x: torch.isinf(x))
if TYPE_CHECKING:
    Positions = tuple[Optional[int], Optional[int]]  # of the first NaN and the first infinity, counted from the start
    #: The positions in a block, of NaN (0) and of infinity (1) as asked for.
    FindPositions = Callable[[Any, Sequence[int]], list[Optional[int]]]
    Firsts = tuple[Optional[list[int]], Optional[list[int]]]  # their indices


def first_special(value: Any, budget: Budget, *, nan: bool = True, inf: bool = True) -> Firsts:
    """The index of the first NaN and of the first infinity in a plain tensor or array; None where none was found.

    A complex number is one if one of its parts is.

    ``nan`` and ``inf`` tell which are looked for. The caller holds the guard.
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(type(value), numpy.ndarray):
        once, positions = _in_array(numpy, numpy.ndarray.view(value, numpy.ndarray), (nan, inf), budget)
    else:
        once, positions = _in_tensor(sys.modules["torch"], value, (nan, inf), budget)
    first, then = (None if position is None else index_of(position, once.shape) for position in positions)
    return first, then


def _in_tensor(torch: Any, t: Any, wanted: tuple[bool, bool], budget: Budget) -> tuple[Any, Positions]:
    if not (t.dtype.is_floating_point or t.dtype.is_complex) or t.numel() == 0 or why_unread(t) is not None:
        return t, (None, None)
    t = torch._neg_view(t) if t.is_neg() else t  # neither a sign nor a conjugate moves them
    t = t.conj() if t.is_conj() else t
    strides = t.stride()
    once = t if 0 not in strides else t.as_strided([n if stride else 1 for n, stride in zip(t.shape, strides)], strides)
    once = once if once.is_cpu else device.at_hand(once)
    if not once.is_cpu:
        return once, device.first_positions(torch, once, budget)

    def positions(block: Any, which: Sequence[int]) -> list[int | None]:
        x = torch.view_as_real(block) if block.dtype.is_complex else block
        x = x if x.element_size() > 2 else x.float()
        if x.dim() != 1 or not x.is_contiguous():
            x = x.reshape(-1).contiguous()
        if once.numel() > _BLOCK:  # most blocks have neither; of what is one block, that is known already
            low, high = torch.aminmax(x)
            if -math.inf < low.item() and high.item() < math.inf:
                return [None] * len(which)
        parts = x.numel() // block.numel()
        found = (_first(_TESTS[one](torch, x).view(torch.uint8)) for one in which)
        return [None if position is None else position // parts for position in found]

    return once, _search(once, positions, wanted, budget)


def _in_array(np: Any, a: Any, wanted: tuple[bool, bool], budget: Budget) -> tuple[Any, Positions]:
    if a.dtype.kind not in "fc" or a.size == 0 or unreadable_array(np, a):
        return a, (None, None)
    once = a[tuple(slice(1 if stride == 0 else None) for stride in a.strides)]

    def positions(block: Any, which: Sequence[int]) -> list[int | None]:
        if np.isfinite(block).all():
            return [None] * len(which)
        return [_first((np.isnan, np.isinf)[one](block).reshape(-1)) for one in which]

    return once, _search(once, positions, wanted, budget)


def _search(once: Any, positions: FindPositions, wanted: tuple[bool, bool], budget: Budget) -> Positions:
    found: list[int | None] = [None, None]
    start = 0
    for block in blocks(once if len(once.shape) else once.reshape(1), _BLOCK):
        missing = [which for which in (0, 1) if wanted[which] and found[which] is None]
        if not missing or budget.spent():
            break
        for which, position in zip(missing, positions(block, missing)):
            found[which] = None if position is None else start + position
        start += math.prod(block.shape)
    return found[0], found[1]


def _first(mask: Any) -> int | None:
    position = int(mask.argmax())
    return position if mask[position] else None
