"""Statistics in words: what tensors and arrays of every library share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Union

from ..protocol import Badge, ComplexStats, Stats
from ..stats import Unread
from ..text import bounded, count, number, whole
from .kind import Child, Rows, Said

Reading = Union[Stats, ComplexStats, Unread]
_ORDER: tuple[Badge, ...] = ("nan", "inf", "zeros", "constant", "sampled")


def stats_words(reading: Reading, boolean: bool = False) -> list[str]:
    """The parts of a summary line that the statistics give: range, mean and deviation, then what is wrong, loudly."""
    if isinstance(reading, Unread):
        return [reading.reason]
    if "abs" in reading:
        words = _words(reading["abs"])
        return [f"|z| {words[0]}", *words[1:]]
    if boolean and reading["count"]:
        return [_share_true(reading)]
    return _words(reading)


def badges(reading: Reading) -> list[Badge]:
    if isinstance(reading, Unread):
        return ["freed" if "freed" in reading.reason else "unread"]
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
    elif _is_constant(reading):
        found.append("zeros" if reading["min"] == 0 else "constant")
    return found


def stats_rows(reading: Reading) -> Rows:
    """A row ``stats`` that opens to every statistic."""

    def rows(start: int, count: int) -> list[Child]:
        return [Child(label, Said(text)) for label, text in islice(_every(reading), start, start + count)]

    return Rows("", None, rows)


def _every(reading: Reading) -> Iterator[tuple[str, str]]:
    """Label and text of every statistic."""
    if isinstance(reading, Unread):
        return
    if "abs" in reading:
        parts = (("real", reading["real"]), ("imag", reading["imag"]), ("abs", reading["abs"]))
        yield from ((f"{part} {label}", text) for part, stats in parts for label, text in _every(stats))
        return
    exact, low, high, std = reading["exact"], reading["min"], reading["max"], reading["std"]
    about, least = ("", "") if exact else ("≈", "≥")
    yield "count", f"{reading['count']:,}"
    yield "min", "none finite" if low is None else _extreme(low)
    yield "max", "none finite" if high is None else _extreme(high)
    yield "mean", "none finite" if reading["mean"] is None else _mean(reading, 4)
    yield "std", "none" if std is None else about + number(std, 4)
    yield "NaN", f"{least}{reading['nan']:,}"
    yield "+Inf", f"{least}{reading['pos_inf']:,}"
    yield "−Inf", f"{least}{reading['neg_inf']:,}"
    yield "zeros", f"{least}{reading['zeros']:,}"
    if not exact:
        yield "read", f"{reading['read']:,} of {reading['count']:,}"


def _words(stats: Stats) -> list[str]:
    total, low, high, exact = stats["count"], stats["min"], stats["max"], stats["exact"]
    if total == 0:
        return ["empty"]
    words = []
    if low is not None and high is not None:
        if _is_constant(stats):
            words.append("all zeros" if low == 0 else f"all {_extreme(low)}")
        elif total == 1:
            words.append(_extreme(low))
        else:
            words.append(f"{'' if exact else 'seen '}{_extreme(low)}…{_extreme(high)}")
            spread = "" if stats["std"] is None else f" σ {'' if exact else '≈'}{number(stats['std'], 3)}"
            words.append(f"μ {_mean(stats)}{spread}")
    for amount, label in ((stats["nan"], "NaN"), (stats["pos_inf"], "+Inf"), (stats["neg_inf"], "−Inf")):
        if amount:
            all_of_them = exact and amount == total
            words.append(f"all {label}" if all_of_them else f"{'' if exact else '≥'}{count(amount)} {label}")
    if not exact:
        words.append(f"{count(stats['read'])} of {count(total)} read")
    return words


def _is_constant(stats: Stats) -> bool:
    special = stats["nan"] or stats["pos_inf"] or stats["neg_inf"]
    return stats["exact"] and stats["count"] > 1 and not special and stats["min"] == stats["max"]


def _extreme(value: float) -> str:
    return whole(value) if type(value) is int else number(value)


def _mean(stats: Stats, digits: int = 3) -> str:
    if stats["mean"] is None:
        return ""
    text = bounded(stats["mean"], stats["mean_error"], digits)
    return text if stats["exact"] or text.startswith("≈") else f"≈{text}"


def _share_true(stats: Stats) -> str:
    total, true = stats["count"], stats["count"] - stats["zeros"]
    if not stats["exact"]:
        read, true = stats["read"], stats["read"] - stats["zeros"]
        return f"≈{number(100 * true / max(1, read), 3)}% True · {count(read)} of {count(total)} read"
    if true in (0, total):
        return "all True" if true else "all False"
    return f"{count(true)} of {count(total)} True ({number(100 * true / total, 3)}%)"
