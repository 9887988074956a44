"""What follows from statistics: badges, alarms, and where the first NaN and Inf are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..safe.budget import Budget
from .stats import Reading, Unread

if TYPE_CHECKING:
    from ..protocol import Badge, Stats
    from .stats.first import Firsts

_ORDER: tuple[Badge, ...] = ("nan", "inf", "zeros", "constant", "sampled")
_OF_UNREAD: dict[str, list[Badge]] = {"off": [], "freed": ["freed"], "fault": ["error"]}
_ALARMS = frozenset(("nan", "inf", "zeros", "constant", "freed", "error"))


def badges(reading: Reading) -> list[Badge]:
    if isinstance(reading, Unread):
        return _OF_UNREAD.get(reading.code, ["unread"])[:]
    if "abs" in reading:
        both = badges(reading["real"]) + badges(reading["imag"])
        return [badge for badge in _ORDER if badge in both and badge in ("nan", "inf", "sampled")]
    found: list[Badge] = []
    if reading["nan"]:
        found.append("nan")
    if reading["pos_inf"] or reading["neg_inf"]:
        found.append("inf")
    if not reading["exact"]:
        found.append("sampled")
    elif is_constant(reading):
        found.append("zeros" if reading["min"] == 0 else "constant")
    return found


def is_alarming(reading: Reading) -> bool:
    """Whether it has NaN or Inf, one constant value, freed memory or a device's fault: what is loud in a line."""
    return not _ALARMS.isdisjoint(badges(reading))


def is_constant(stats: Stats) -> bool:
    special = stats["nan"] or stats["pos_inf"] or stats["neg_inf"]
    return stats["exact"] and stats["count"] > 1 and not special and stats["min"] == stats["max"]


def is_beyond(stats: Stats) -> bool:
    """Whether there are finite magnitudes, of which no range is known."""
    return stats["min"] is None and stats["read"] > stats["nan"] + stats["pos_inf"] + stats["neg_inf"]


def has_distribution(reading: Reading) -> bool:
    """Whether there are numbers, and not only one."""
    if isinstance(reading, Unread):
        return False
    if "abs" in reading:
        return has_distribution(reading["abs"])
    return reading["min"] is not None and (reading["min"] != reading["max"] or not reading["exact"])


def first_nan_and_inf(reading: Reading, elements: Callable[[], Any], budget: Budget) -> Firsts:
    """Where the first NaN and the first infinity among a kind's ``elements`` are, if what was read has such."""
    if isinstance(reading, Unread):
        return None, None
    parts = (reading["real"], reading["imag"]) if "abs" in reading else (reading,)
    nan = any(part["nan"] for part in parts)
    inf = any(part["pos_inf"] or part["neg_inf"] for part in parts)
    value = elements() if nan or inf else None
    if value is None or isinstance(value, Unread):
        return None, None
    from .stats.first import first_special  # compiled only where it is needed

    return first_special(value, budget.share(), nan=nan, inf=inf)
