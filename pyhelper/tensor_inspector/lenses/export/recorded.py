"""What a run is told besides the value: what was recorded of it, and at which step it is what it is now."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ...safe.record import Record

_STEPS = range(1 << 63)  #: that an event holds


class Series(Record):
    """A number over time, as the extension has recorded it."""

    tag: str
    steps: list[int]
    times: list[float]
    values: list[float]


class Wanted(Record):
    """``step`` is that of what the value is now, ``series`` are what was recorded of it before."""

    step: int
    series: list[Series]


def wanted_of(options: Mapping[str, Any]) -> Wanted:
    """The options ``step`` and ``scalars``. Raises ``ValueError`` for what makes no sense."""
    step = options.get("step", 0)
    if type(step) is not int or step not in _STEPS:
        raise ValueError("step is a whole number, as in 100")
    scalars = options.get("scalars", [])
    return Wanted(step, [_series(one) for one in (scalars if type(scalars) is list else [scalars])])


def _series(one: Any) -> Series:
    try:
        values = [_sent_number(value) for value in one["values"]]
        series = Series(str(one["tag"]), list(map(int, one["steps"])), list(map(float, one["times"])), values)
    except (TypeError, ValueError, KeyError, OverflowError):
        raise ValueError("scalars are tags with their steps, times and values") from None
    if not len(series.steps) == len(series.times) == len(series.values) or not all(map(isfinite, series.times)):
        raise ValueError("scalars have a time and a value for each step")
    if any(step not in _STEPS for step in series.steps):
        raise ValueError("steps of scalars are whole numbers, as in 100")
    return series


def _sent_number(value: Any) -> float:
    """A number as the wire has it: what JSON lacks is text behind a mark."""
    return float(value[1:]) if type(value) is str and value[:1] == "#" else float(value)
