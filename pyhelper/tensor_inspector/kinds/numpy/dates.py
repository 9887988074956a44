"""Dates and durations in an array: the range, percentiles, and texts without trailing zeros."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...measure.comparable import Comparable
from ...measure.stats import Reading, Unread
from ...measure.valid import Arrays, of_valid
from ...safe.budget import Budget
from ...safe.guard import module
from ...words.text import count, number, plural
from ..rows import TextRow
from .contents import Contents

if TYPE_CHECKING:
    from ...protocol import Badge

numpy: Any = module("numpy")
KNOWN_ZONES = ("datetime", "zoneinfo", "pytz", "dateutil")  #: whose time zones run no code of the program
_TICKS = 1 << 63  #: they lie between, and but for NaT
_UNITS = {
    "W": 604_800 * 10**9,
    "D": 86_400 * 10**9,
    "h": 3600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}


class Dates(Contents):
    """Points or spans of time: from when to when, and how many are missing."""

    unread = Unread("dtype", "dates, not numbers")

    def __init__(self, array: Any, budget: Budget) -> None:
        super().__init__(array, budget)
        if array.dtype.kind == "m":
            self.unread = Unread("dtype", "durations, not numbers")

    def range(self) -> Reading:
        """Statistics of the ticks, without missing values."""
        if self._known is None:
            self._known = of_valid(Arrays(self.elements()), _ticks, self.budget.share())
        return self._known

    def reading(self) -> Reading:
        return self.unread

    def elements(self) -> Any:
        return self.array.view(f"{self.array.dtype.str[0]}i8")

    def comparable(self) -> Comparable:
        found = super().comparable()
        found.tick = self.tick
        return found

    def measured(self) -> Any:
        """The ticks of what is not missing, for percentiles."""
        range = self.range()
        if isinstance(range, Unread):
            return range
        from ...measure.stats.distribution import ValidElements  # compiled only where it is needed

        return ValidElements(Arrays(self.elements()), _ticks)

    def distribution_rows(self, distribution: Any) -> list[list[str]]:
        """Percentiles and bins of the ticks as texts."""
        rows = []
        if "quantiles" in distribution:
            for share, value in zip(distribution["quantiles"]["at"], distribution["quantiles"]["values"]):
                text = "none" if value is None else self.between(value, about=not distribution["quantiles"]["exact"])
                rows.append(["median" if share == 0.5 else f"{100 * share:g}%", text])
        if "histogram" in distribution:
            histogram = distribution["histogram"]
            among = "" if histogram["exact"] else f" of {histogram['read']:,} read"
            for low, high, amount in zip(histogram["edges"], histogram["edges"][1:], histogram["counts"]):
                ends = self.tick(low), self.tick(min(high, _TICKS) - 1)
                rows.append([ends[0] if high - low == 1 else "…".join(ends), f"{amount:,}{among}"])
        return rows

    def missing(self) -> int | None:
        range: Any = self.range()
        return None if isinstance(range, Unread) else self.array.size - range["count"]

    def shown(self) -> str | None:
        return self.text(self.array[()]) if self.array.ndim == 0 else None

    def words(self) -> list[str]:
        range: Any = self.range()
        if isinstance(range, Unread):
            return [range.text]
        if not self.array.size:
            return ["empty"]
        if range["min"] is None:
            return ["all NaT"] if range["exact"] else ["only NaT seen"]
        low, high = self.tick(range["min"]), self.tick(range["max"])
        seen = "" if range["exact"] else "seen "
        same = low if range["count"] == 1 else f"all {low}"
        words = [same if low == high and not seen else f"{seen}{low}…{high}"]
        return [*words, *self._missing(range)]

    def _missing(self, range: Any) -> list[str]:
        missing = self.array.size - range["count"]
        words = [f"{'' if range['exact'] else '≥'}{missing:,} NaT"] if missing else []
        return words if range["exact"] else [*words, f"{count(range['read'])} of {count(self.array.size)} read"]

    def badges(self) -> list[Badge]:
        range: Any = self.range()
        if isinstance(range, Unread):
            return ["unread"]
        return [] if range["exact"] else ["sampled"]

    def fact_rows(self) -> list[list[str]]:
        range: Any = self.range()
        if isinstance(range, Unread) or range["min"] is None:
            return []
        seen, least = ("", "") if range["exact"] else (" seen", "≥")
        earliest, latest = ("shortest", "longest") if self.array.dtype.kind == "m" else ("earliest", "latest")
        same = range["min"] == range["max"]  # then it is the mean too, which as a float might lose its last digits
        about = not range["exact"]
        mean = (
            _with_about(self.tick(range["min"]), about)
            if same
            else self.between(range["mean"], range["mean_error"], about)
        )
        return [
            [earliest + seen, self.tick(range["min"])],
            [latest + seen, self.tick(range["max"])],
            ["mean", mean],
            ["NaT", f"{least}{self.array.size - range['count']:,}"],
        ]

    def between(self, ticks: float, error: float = 0.0, about: bool = False) -> str:
        """A value between two ticks as text: in the finest unit that is certain, but no coarser than a thousand ticks.
        It is marked with ≈ (``about``) where it is uncertain or rounded to a tick."""
        if type(ticks) is int:
            return _with_about(self.tick(ticks), about)
        kind, error = self.array.dtype.kind, max(error, abs(ticks) * 2.3e-16)
        unit, step = numpy.datetime_data(self.array.dtype) if kind in "mM" else ("", 1)
        size = step * _UNITS.get(unit, 0)  # of a tick, in ns; months have no fixed one
        least = 1 if kind == "m" else min(size, _UNITS["s"])
        numerator, denominator = ticks.as_integer_ratio()
        for finer in ("ns", "us", "ms", "s"):
            width = _UNITS[finer]
            sure = width >= 2 * error * size
            if (sure and least <= width <= 1000 * size) or width == 1000 * size:
                value = (2 * numerator * size + denominator * width) // (2 * denominator * width)
                if abs(value) < _TICKS:
                    rounded = not sure or (width == size and ticks != round(ticks))
                    return _with_about(self.text(numpy.int64(value).view(f"{kind}8[{finer}]")), about or rounded)
        whole = min(max(round(ticks), 1 - _TICKS), _TICKS - 1)  # a float may be rounded to beyond them
        return _with_about(self.tick(whole), about or whole != ticks or error >= 0.5)

    def tick(self, value: int) -> str:
        return self.text(numpy.int64(value).view(self.array.dtype.newbyteorder("=")))

    def text(self, item: Any) -> str:
        return date_text(item)

    def items(self, start: int, amount: int) -> Iterable[object]:
        return (TextRow(self.text(item)) for item in self.array[start : start + amount])


def _with_about(text: str, about: bool) -> str:
    return f"≈{text}" if about else text


def _ticks(part: Arrays) -> Any:
    ticks = part.arrays[0]
    return ticks[ticks != numpy.iinfo(numpy.int64).min]


def date_text(value: Any) -> str:
    """A ``numpy.datetime64`` or ``timedelta64``: ``2020-01-31``, ``2020-01-31T12:30:00.25``, ``2 days 1:00:00``."""
    if numpy.isnat(value):
        return "NaT"
    if value.dtype.kind == "m":
        return _span(value)
    day, _, clock = str(value).partition("T")
    if "." in clock:
        clock = clock.rstrip("0").rstrip(".")
    return f"{day}T{clock}" if clock.strip("0:") else day


def _span(value: Any) -> str:
    unit, step = numpy.datetime_data(value.dtype)
    if unit not in _UNITS:
        return str(value).replace("-", "−")
    ticks = int(value.astype(numpy.int64)) * step * _UNITS[unit]
    days, rest = divmod(abs(ticks), _UNITS["D"])
    words = [plural(days, "day")] if days or not rest else []
    if rest and not days and rest < _UNITS["s"]:
        small = next(unit for unit in ("ms", "us", "ns") if rest >= _UNITS[unit])
        words.append(f"{number(rest / _UNITS[small], 6)} {small}")
    elif rest:
        minutes, nanoseconds = divmod(rest, _UNITS["m"])
        seconds = f"{nanoseconds // 10**9:02}.{nanoseconds % 10**9:09}".rstrip("0").rstrip(".")
        words.append(f"{minutes // 60}:{minutes % 60:02}:{seconds}")
    return ("−" if ticks < 0 else "") + " ".join(words)
