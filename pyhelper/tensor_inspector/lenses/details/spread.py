"""The part `distribution`: a histogram, quantiles and counts of the elements of a tensor or array."""

from __future__ import annotations

from collections.abc import Generator
from math import prod
from typing import TYPE_CHECKING, Any

from ...measure.stats.distribution import spread_steps
from ...measure.unread import Unread
from ..picture.labels import sort_of

if TYPE_CHECKING:
    from ...protocol import DetailsDistribution
    from ...safe.budget import Budget
    from .wishes import Wishes

QUANTILES = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
_PASSES, _ROBUST_PASSES = 4, 7  #: in which all elements are read, about


def distribution_steps(elements: Any, wishes: Wishes, budget: Budget) -> Generator[float, None, DetailsDistribution]:
    """The distribution, in steps that say which share is done, about. Raises ``ValueError`` where there is none."""
    shape = tuple(map(int, elements.shape))
    if 0 in shape:
        raise ValueError(f"a distribution is of elements: shape {list(shape)} has none")
    steps = spread_steps(elements, budget, QUANTILES, wishes.bins, robust=wishes.robust, exact=wishes.exact)
    all_passes = prod(shape) * (_ROBUST_PASSES if wishes.robust else _PASSES)
    done = 0
    while True:
        try:
            done += next(steps)
        except StopIteration as end:
            found = end.value
            break
        yield min(1.0, done / all_passes)
    if isinstance(found, Unread):
        raise ValueError(f"no distribution: {found.text}")
    histogram, quantiles = found["histogram"], found["quantiles"]
    spread: DetailsDistribution = {
        "histogram": histogram,
        "quantiles": quantiles,
        "count": prod(shape),
        "below": found["below"],
        "above": found["above"],
        "nan": found["nan"],
        "pos_inf": found["pos_inf"],
        "neg_inf": found["neg_inf"],
        "zeros": found["zeros"],
        "exact": histogram["exact"],
        "read": histogram["read"],
    }
    if sort_of(elements) == "complex":
        spread["magnitudes"] = True
    if "masked" in found:
        spread["masked"] = found["masked"]
    return spread
