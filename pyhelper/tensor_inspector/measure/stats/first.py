"""Where the first NaN and the first infinity of a tensor or array are, in the order of its indices (row by row).

Read in blocks and in that order, so that little is read where one comes early; nothing of the whole's size is made.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Callable, Optional

from ...safe.budget import Budget
from . import device
from .layout import blocks, index_of, unreadable
from .numpy_exact import unreadable as unreadable_array

_BLOCK = 32_000  # elements; so many torch works on with one thread, which busy cores do not make wait
if TYPE_CHECKING:
    Places = tuple[Optional[int], Optional[int]]  # of the first NaN and the first infinity, counted from the start
    Firsts = tuple[Optional[list[int]], Optional[list[int]]]  # their indices


def first_special(value: Any, budget: Budget, *, nan: bool = True, inf: bool = True) -> Firsts:
    """The index of the first NaN and of the first infinity in a plain tensor or array; None where none was found.

    A complex number is one if one of its parts is.

    ``nan`` and ``inf`` tell which are looked for. The caller holds the guard.
    """
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(type(value), numpy.ndarray):
        once, places = _in_array(numpy, numpy.ndarray.view(value, numpy.ndarray), (nan, inf), budget)
    else:
        once, places = _in_tensor(sys.modules["torch"], value, (nan, inf), budget)
    first, then = (None if place is None else index_of(place, once.shape) for place in places)
    return first, then


def _in_tensor(torch: Any, t: Any, wanted: tuple[bool, bool], budget: Budget) -> tuple[Any, Places]:
    if not (t.dtype.is_floating_point or t.dtype.is_complex) or t.numel() == 0 or unreadable(t) is not None:
        return t, (None, None)
    t = torch._neg_view(t) if t.is_neg() else t  # neither a sign nor a conjugate moves them
    t = t.conj() if t.is_conj() else t
    once = t.as_strided([1 if stride == 0 else size for size, stride in zip(t.shape, t.stride())], t.stride())
    if not t.is_cpu:
        return once, device.first_places(torch, once, budget)

    def places(block: Any) -> Places:
        x = torch.view_as_real(block) if block.dtype.is_complex else block
        x = (x if x.element_size() > 2 else x.float()).reshape(-1).contiguous()
        low, high = torch.aminmax(x)
        if -math.inf < low.item() and high.item() < math.inf:
            return None, None
        parts = x.numel() // block.numel()
        nan, inf = (_first(mask.view(torch.uint8)) for mask in (torch.isnan(x), torch.isinf(x)))
        return None if nan is None else nan // parts, None if inf is None else inf // parts

    return once, _search(once, places, wanted, budget)


def _in_array(np: Any, a: Any, wanted: tuple[bool, bool], budget: Budget) -> tuple[Any, Places]:
    if a.dtype.kind not in "fc" or a.size == 0 or unreadable_array(np, a):
        return a, (None, None)
    once = a[tuple(slice(1 if stride == 0 else None) for stride in a.strides)]

    def places(block: Any) -> Places:
        if np.isfinite(block).all():
            return None, None
        return _first(np.isnan(block).reshape(-1)), _first(np.isinf(block).reshape(-1))

    return once, _search(once, places, wanted, budget)


def _search(once: Any, places: Callable[[Any], Places], wanted: tuple[bool, bool], budget: Budget) -> Places:
    found: list[int | None] = [None, None]
    start = 0
    for block in blocks(once if len(once.shape) else once.reshape(1), _BLOCK):
        missing = [which for which in (0, 1) if wanted[which] and found[which] is None]
        if not missing or budget.spent():
            break
        here = places(block)
        for which in missing:
            place = here[which]
            found[which] = None if place is None else start + place
        start += math.prod(block.shape)
    return found[0], found[1]


def _first(marks: Any) -> int | None:
    place = int(marks.argmax())
    return place if marks[place] else None
