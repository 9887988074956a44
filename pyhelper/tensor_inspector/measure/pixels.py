"""Statistics of images, from how often each byte occurs in each band."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any

from ..safe.budget import Budget

if TYPE_CHECKING:
    from ..protocol import Stats

_STRIP = 1 << 18  #: pixels counted together


def count_bytes(core: Any, bands: int, size: tuple[int, int], budget: Budget) -> tuple[list[list[int]], int] | None:
    """How often each byte occurs in each band of an image of PIL's, and in how many rows: of strips all over the image
    until the time ends; None where there is none.
    """
    width, rows = size
    height = max(1, _STRIP // max(1, width))
    strips = -(-rows // height)
    if strips == 1:
        return _counted(core, bands), rows
    if budget.spent():
        return None
    counts: list[list[int]] = []
    read = 0
    for strip in _scattered(strips):
        if counts and budget.spent():
            break
        top, bottom = strip * height, min(rows, (strip + 1) * height)
        found = _counted(core.crop((0, top, width, bottom)), bands)
        counts = [[a + b for a, b in zip(*both)] for both in zip(counts, found)] if counts else found
        read += bottom - top
    return counts, read


def _counted(core: Any, bands: int) -> list[list[int]]:
    if bands == 2:  # the second is kept as the fourth, which not every PIL minds
        return [core.getband(band).histogram() for band in (0, 1)]
    amounts: list[int] = core.histogram()
    return [amounts[at : at + 256] for at in range(0, len(amounts), 256)]


def stats_of_bytes(bands: list[list[int]], size: int, exact: bool) -> Stats:
    """Statistics of ``size`` bytes by how often each occurs in each band, over all bands."""
    amounts = [sum(amount) for amount in zip(*bands)]
    read = sum(amounts)
    total = sum(value * amount for value, amount in enumerate(amounts))
    squares = sum(value * value * amount for value, amount in enumerate(amounts))
    there = [value for value, amount in enumerate(amounts) if amount]
    std = sqrt((read * squares - total * total) / (read * (read - 1))) if read > 1 else None
    return {
        "count": size,
        "min": there[0] if there else None,
        "max": there[-1] if there else None,
        "mean": total / read if read else None,
        "std": std,
        "nan": 0,
        "pos_inf": 0,
        "neg_inf": 0,
        "zeros": amounts[0],
        "exact": exact,
        "read": read,
        "mean_error": 0.0 if exact or std is None else 4 * std / sqrt(read),
    }


def _scattered(amount: int) -> Iterator[int]:
    """The numbers below ``amount``, each once, near ones far apart: wherever it ends, all parts were seen."""
    step = max(1, round(amount * 0.618))
    while any(step % factor == 0 and amount % factor == 0 for factor in range(2, step + 1)):
        step += 1
    return (index * step % amount for index in range(amount))
