"""Systematic sampling: the elements that are read where there is no time for all.

It reads every k-th element, starting at about half a step: the first elements alone mislead, and blocks miss rows. The
step k is odd, since an even one could coincide with periodic data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .layout import Dims

PIECE = 1 << 14  # elements fetched together
_SOME, _MANY = 100_000, 1_000_000


def size(remaining_ms: float) -> int:
    """How many elements to sample in what is left of the budget; each may have to be fetched from main memory."""
    if remaining_ms > 200:
        return _MANY
    return _SOME if remaining_ms > 15 else PIECE


def positions(start: int, stop: int, wanted: int) -> range:
    """At most `wanted` positions in [start, stop), an odd step apart, the first about half a step in."""
    step = max(1, -(-(stop - start) // max(1, wanted))) | 1
    return range(start + min(step // 2, stop - start - 1), stop, step)


def offsets(torch: Any, where: range, dims: Dims) -> Any:
    """Where the elements at those positions of the normalised dimensions lie in memory: an int64 tensor."""
    index = torch.arange(where.start, where.stop, where.step, dtype=torch.int64, device="cpu")
    at = torch.zeros_like(index)
    for size, stride in reversed(dims):
        at += (index % size) * stride
        index = index // size
    return at


def pieces(where: range) -> Iterator[range]:
    """Parts of `where`, of at most `PIECE` positions each, every one of them spread over the whole."""
    parts = -(-len(where) // PIECE) | 1  # odd, as the step is
    for i in range(min(parts, len(where))):
        yield where[i::parts]
