"""Points and spans of time: from when to when, and as text without the zeros that say nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..guard import module
from ..protocol import Badge
from ..stats import Unread
from ..text import count, number, plural
from .contents import Contents
from .kind import Said
from .present import Arrays, of_present
from .stats_text import Reading

numpy: Any = module("numpy")
_UNITS = {"W": 604_800 * 10**9, "D": 86_400 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9,
          "ms": 10**6, "us": 10**3, "ns": 1}  # fmt: skip


class Dates(Contents):
    """Points or spans of time: from when to when, and how many are missing."""

    why = "dates, not numbers"

    def range(self) -> Reading:
        """Statistics of the ticks; what is missing is not counted."""
        if self._known is None:
            self._known = of_present(Arrays(self.elements()), _ticks, self.budget.share())
        return self._known

    def reading(self) -> Reading:
        return Unread(self.why)

    def elements(self) -> Any:
        return self.array.view(f"{self.array.dtype.str[0]}i8")

    def missing(self) -> int | None:
        range: Any = self.range()
        return None if isinstance(range, Unread) else self.array.size - range["count"]

    def shown(self) -> str | None:
        return self.text(self.array[()]) if self.array.ndim == 0 else None

    def words(self) -> list[str]:
        range: Any = self.range()
        if isinstance(range, Unread):
            return [range.reason]
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
        return ["unread"] if isinstance(range, Unread) else [] if range["exact"] else ["sampled"]

    def told(self) -> list[list[str]]:
        range: Any = self.range()
        if isinstance(range, Unread) or range["min"] is None:
            return []
        seen, about, least = ("", "", "") if range["exact"] else (" seen", "≈", "≥")
        earliest, latest = ("earliest", "latest") if self.array.dtype.kind == "M" else ("shortest", "longest")
        return [
            [earliest + seen, self.tick(range["min"])],
            [latest + seen, self.tick(range["max"])],
            ["mean", about + self.tick(round(range["mean"])).partition(".")[0]],
            ["NaT", f"{least}{self.array.size - range['count']:,}"],
        ]

    def tick(self, value: int) -> str:
        return self.text(numpy.int64(value).view(self.array.dtype.newbyteorder("=")))

    def text(self, item: Any) -> str:
        return date_text(item)

    def items(self, start: int, amount: int) -> Iterable[object]:
        return (Said(self.text(item)) for item in self.array[start : start + amount])


def _ticks(part: Arrays) -> Any:
    ticks = part.arrays[0]
    return ticks[ticks != numpy.iinfo(numpy.int64).min]


def date_text(value: Any) -> str:
    """A ``numpy.datetime64`` or ``timedelta64``: ``2020-01-31``, ``2020-01-31T12:30:00.25``, ``2 days 1:00:00``."""
    text = str(value)
    if text == "NaT":
        return text
    if value.dtype.kind == "m":
        return _span(value)
    day, _, clock = text.partition("T")
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
