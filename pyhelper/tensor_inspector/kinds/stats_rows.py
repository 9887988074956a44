"""The row ``stats`` of a tensor, array or column: every statistic, percentiles, a histogram."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..measure.reading import first_nan_and_inf, has_distribution
from ..measure.stats import Reading, Unread
from ..safe.budget import Budget
from ..words.stats import histogram_texts, how_much, percentile_texts, statistic_texts
from .kind import Child
from .rows import Rows, TextRow

if TYPE_CHECKING:
    from ..measure.stats.radix_selection import Distribution

_PERCENTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_BINS = 16  #: of a histogram in the tree


def stats_rows(reading: Reading, elements: Callable[[], Any] = lambda: None) -> Rows:
    """A row ``stats`` that opens to every statistic.

    With a kind's ``elements``, also to where the first NaN and infinity are, and to percentiles and a histogram, which
    are worked out when they are opened in turn.
    """

    def rows(budget: Budget) -> Iterator[Child]:
        yield from _labelled(statistic_texts(reading, first_nan_and_inf(reading, elements, budget)))
        value = elements()
        if not (value is None or isinstance(value, Unread)) and has_distribution(reading):
            yield Child("percentiles", Rows.later("read when opened", lambda budget: _percentiles(value, budget)))
            yield Child("histogram", Rows.later("read when opened", lambda budget: _histogram(value, budget)))

    return Rows.later(how_much(reading), rows)


def _percentiles(value: Any, budget: Budget) -> Iterator[Child]:
    found = _distribution(value, budget, quantiles=_PERCENTILES)
    return _labelled([("not read", found.text)] if isinstance(found, Unread) else percentile_texts(found["quantiles"]))


def _histogram(value: Any, budget: Budget) -> Iterator[Child]:
    found = _distribution(value, budget, bins=_BINS)
    return _labelled([("not read", found.text)] if isinstance(found, Unread) else histogram_texts(found["histogram"]))


def _distribution(value: Any, budget: Budget, quantiles: Sequence[float] = (), bins: int = 0) -> Distribution | Unread:
    from ..measure.stats.distribution import distribution  # compiled only where it is needed

    return distribution(value, budget.share(), quantiles, bins)


def _labelled(texts: Iterable[tuple[str, str]]) -> Iterator[Child]:
    return (Child(label, TextRow(text)) for label, text in texts)
