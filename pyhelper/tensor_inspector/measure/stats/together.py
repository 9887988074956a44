"""Statistics of many small tensors at once, in a third of the time."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

from ...safe.budget import Budget
from ..torch.readable import are_there, why_unread
from . import Reading
from .floats import NARROW, rows_of_floats
from .reductions import ALONE

_FEW = 1 << 11  #: elements of a small tensor
_SEVERAL = 4  #: tensors for which it pays


def of_alike(tensors: list[Any], budget: Budget) -> dict[int, Reading]:
    """Those of small tensors of one shape and dtype, by their numbers, as `of_tensor` gives them.

    Those that are not among them have to be read alone. The caller holds the guard.
    """
    found: dict[int, Reading] = {}
    if not budget.reads or budget.max_elements is not None:
        return found
    torch = sys.modules["torch"]
    narrow = [getattr(torch, name) for name in NARROW]
    alike: defaultdict[Any, list[int]] = defaultdict(list)
    for at, t in enumerate(tensors):
        if t.is_cpu and 0 < t.numel() <= _FEW and t.dtype in narrow:
            alike[t.dtype, t.shape].append(at)
    for group in alike.values():
        count = tensors[group[0]].numel()
        at_once = ALONE // count  # so many elements torch works on with one thread
        for start in range(0, len(group) if len(group) >= _SEVERAL else 0, at_once):
            some = _readable(torch, tensors, group[start : start + at_once])
            if some:
                rows = torch.stack([tensors[at] for at in some]).double().view(len(some), count)
                tallies = zip(some, rows_of_floats(torch, rows))
                found.update((at, tally.stats(count)) for at, tally in tallies if tally is not None)
    return found


def _readable(torch: Any, tensors: list[Any], places: list[int]) -> list[int]:
    """The places of the tensors that can be read as they are."""
    asked = [tensors[at] for at in places]
    if are_there(asked) and not any(map(torch.Tensor.is_neg, asked)):
        return places
    return [at for at, tensor in zip(places, asked) if not tensor.is_neg() and why_unread(tensor) is None]
