"""Percentiles and a histogram, asked for in the facts of a value of any kind; or a note why they are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..measure.stats import Unread
from ..protocol import Facts
from ..safe.budget import Budget
from .kind import Kind
from .stats_text import add_spread


def add_spread_of(facts: Facts, kind: Kind, budget: Budget, quantiles: Sequence[float], bins: int) -> None:
    """Of what the statistics are of: the elements that are there, or stored. Those of dates are texts, in ``rows``."""
    is_number, reading = kind.spread_rows({}) is None, kind.reading()
    value = reading if is_number and isinstance(reading, Unread) else kind.present()
    if value is None or isinstance(value, Unread):
        why = "it has no numbers of its own" if value is None else value.text
        facts["notes"] = [*facts.get("notes", []), f"percentiles and histogram not read: {why}"]
        return
    if is_number:
        add_spread(facts, value, budget, quantiles, bins)
        return
    found: Any = {}
    add_spread(found, value, budget, quantiles, bins)
    facts["notes"] = [*facts.get("notes", []), *found.get("notes", [])]
    facts["rows"] = [*facts.get("rows", []), *(kind.spread_rows(found) or [])]
