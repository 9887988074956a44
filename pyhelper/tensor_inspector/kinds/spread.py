"""Percentiles and a histogram, asked for in the facts of a value of any kind; or a note why they are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..budget import Budget
from ..protocol import Facts
from ..stats import Unread
from .kind import Kind
from .stats_text import add_spread


def add_spread_of(facts: Facts, kind: Kind, budget: Budget, quantiles: Sequence[float], bins: int) -> None:
    """Of what the statistics are of: the elements that are there, or stored. Those of dates are texts, in ``rows``.

    A kind, or its ``contents``, has ``present`` where that is not all of its ``elements``, and ``spread_rows`` where
    its numbers stand for something else.
    """
    contents: Any = getattr(kind, "contents", kind)
    value = contents.present() if hasattr(contents, "present") else kind.elements()
    as_rows = getattr(contents, "spread_rows", None)
    if as_rows is None and "unread" in facts:
        value = Unread(facts["unread"])
    if value is None or isinstance(value, Unread):
        why = "it has no numbers of its own" if value is None else value.reason
        facts["notes"] = [*facts.get("notes", []), f"percentiles and histogram not read: {why}"]
        return
    if as_rows is None:
        add_spread(facts, value, budget, quantiles, bins)
        return
    found: Facts = {"type": facts["type"]}
    add_spread(found, value, budget, quantiles, bins)
    facts["notes"] = [*facts.get("notes", []), *found.get("notes", [])]
    facts["rows"] = [*facts.get("rows", []), *as_rows(found)]
