"""Adds statistics, percentiles and histograms to the facts of a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..measure.reading import first_nan_and_inf
from ..measure.stats import Reading, Unread
from ..safe.budget import Budget
from .kind import Kind

if TYPE_CHECKING:
    from ..protocol import Facts


def add_stats(facts: Facts, reading: Reading) -> None:
    """The statistics, or why there are none."""
    if isinstance(reading, Unread):
        facts["stats"], facts["unread"] = None, reading.text
    else:
        facts["stats"] = reading


def add_firsts(facts: Facts, reading: Reading, elements: Callable[[], Any], budget: Budget) -> None:
    """Where the first NaN and the first infinity among a kind's ``elements`` are."""
    nan, inf = first_nan_and_inf(reading, elements, budget)
    if nan is not None:
        facts["first_nan"] = nan
    if inf is not None:
        facts["first_inf"] = inf


def add_distribution_of(facts: Facts, kind: Kind, budget: Budget, quantiles: Sequence[float], bins: int) -> None:
    """Adds the distribution of what the statistics are of: the elements that are there, or stored. Dates are texts, in
    ``rows``."""
    is_number, reading = kind.distribution_rows({}) is None, kind.reading()
    value = reading if is_number and isinstance(reading, Unread) else kind.measured()
    if value is None or isinstance(value, Unread):
        why = "it has no numbers of its own" if value is None else value.text
        facts["notes"] = [*facts.get("notes", []), f"percentiles and histogram not read: {why}"]
        return
    if is_number:
        add_distribution(facts, value, budget, quantiles, bins)
        return
    found: Any = {}
    add_distribution(found, value, budget, quantiles, bins)
    facts["notes"] = [*facts.get("notes", []), *found.get("notes", [])]
    facts["rows"] = [*facts.get("rows", []), *(kind.distribution_rows(found) or [])]


def add_distribution(facts: Facts, value: Any, budget: Budget, quantiles: Sequence[float], bins: int) -> None:
    """The percentiles and the histogram that were asked for, or a note why they are not there.

    ``value`` is what a kind gives as its ``elements``: a plain tensor or array, why there is none, or None.
    """
    if isinstance(value, Unread) or value is None:
        return
    from ..measure.stats.distribution import distribution  # compiled only where it is needed

    found = distribution(value, budget.share(), quantiles, bins)
    if isinstance(found, Unread):
        facts["notes"] = [*facts.get("notes", []), f"percentiles and histogram {found.text}"]
        return
    if "quantiles" in found:
        facts["quantiles"] = found["quantiles"]
    if "histogram" in found:
        facts["histogram"] = found["histogram"]
