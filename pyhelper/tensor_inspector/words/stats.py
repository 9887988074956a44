"""Statistics in words, for lines and rows of tensors and arrays of every library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..measure.reading import is_alarming, is_beyond, is_constant
from ..measure.stats import Reading, Unread
from ..session import session
from .bounded import bounded
from .contained_memory import contained_text
from .line import Word, is_loud, prefixed, short
from .text import count, exact_number, number, out_of, percent, plural, shape, size

if TYPE_CHECKING:
    from ..measure.stats.first import Firsts
    from ..protocol import Facts, FactTexts, Histogram, Quantiles, Stats, StatTexts

BEYOND = "beyond float64"  #: a magnitude
_BAR = 20  #: characters of a histogram's longest bar


def stats_words(reading: Reading, boolean: bool = False) -> list[str]:
    """The parts of a summary line that the statistics give: range, mean and deviation, then what is wrong, loudly."""
    if isinstance(reading, Unread):
        return [] if reading.code == "off" else [Word(reading.text, loud=is_alarming(reading))]
    if "abs" in reading:
        words = _words(reading["abs"])
        return [prefixed("|z| ", words[0]), *words[1:]]
    if boolean and reading["count"]:
        return [_share_true(reading)]
    return _words(reading)


def inline_text(head: str, shown: str | None, reading: Reading, boolean: bool) -> str:
    """A tensor or array at the end of a line of source: ``3 NaN f32[32,10] μ 0.01``."""
    if shown is not None:
        return f"{short(head)} {shown}"
    may_be_loud = "abs" in reading or is_alarming(reading)
    loud = [word for word in stats_words(reading, boolean) if is_loud(word)] if may_be_loud else []
    return " ".join([*loud, short(head), *_inline_words(reading, boolean)])


def _inline_words(reading: Reading, boolean: bool = False) -> list[str]:
    """The one part of the statistics that an inline value shows, beside the alarms."""
    if isinstance(reading, Unread):
        return []
    if "abs" in reading:
        return [f"|z| {word}" for word in _inline_words(reading["abs"])]
    if is_constant(reading) or reading["min"] is None:
        return []
    if boolean:
        return [_share_true(reading)]
    return [exact_number(reading["min"]) if reading["count"] == 1 else f"μ {_mean(reading)}"]


def how_much(reading: Reading) -> str:
    """What the statistics are of."""
    if isinstance(reading, Unread):
        return reading.text
    part = reading if "count" in reading else reading["abs"]
    read = "" if part["exact"] else f", {part['read']:,} of them read"
    return f"of {plural(part['count'], 'element')}{read}"


def percentile_texts(quantiles: Quantiles) -> Iterator[tuple[str, str]]:
    """Label and text of every percentile."""
    about = "" if quantiles["exact"] else "≈"
    for share, found_there in zip(quantiles["at"], quantiles["values"]):
        label = "median" if share == 0.5 else f"{100 * share:g}%"
        yield label, "none" if found_there is None else about + exact_number(found_there)
    if about:
        yield "read", plural(quantiles["read"], "element")


def histogram_texts(histogram: Histogram) -> Iterator[tuple[str, str]]:
    """What each bin holds, and a bar with how much is in it."""
    counts = histogram["counts"]
    longest, total = max(counts, default=0), sum(counts)
    for label, amount in zip(_ranges(histogram["edges"]), counts):
        text = f"{amount:,}" if histogram["exact"] else f"≈{percent(amount, total, 2)}"
        yield label, f"{_bar(amount / longest)} {text}" if amount else "0"
    if not histogram["exact"]:
        yield "read", plural(histogram["read"], "element")


def _ranges(edges: Sequence[int | float]) -> list[str]:
    """What each bin holds, with as many digits as tell the edges apart."""
    if all(type(edge) is int for edge in edges):
        ends = [(low, high - 1) for low, high in zip(edges, edges[1:])]
        return [_between(int(low), int(high)) if low < high else exact_number(int(low)) for low, high in ends]
    texts: list[str] = []
    for digits in range(3, 18):
        texts = [number(edge, digits) for edge in edges]
        if len(set(texts)) == len(set(edges)):
            break
    return [f"{low}…{high}" for low, high in zip(texts, texts[1:])]


def _bar(share: float) -> str:
    """A bar of up to ``_BAR`` characters, to an eighth of one."""
    eighths = max(1, round(share * _BAR * 8))
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def statistic_texts(reading: Reading, firsts: Firsts) -> Iterator[tuple[str, str]]:
    """Label and text of every statistic."""
    nan, inf = firsts
    if isinstance(reading, Unread):
        return
    if "abs" in reading:
        parts = (("real", reading["real"]), ("imag", reading["imag"]), ("abs", reading["abs"]))
        yield from (
            (f"{part} {label}", text) for part, stats in parts for label, text in statistic_texts(stats, (None, None))
        )
        yield from ((f"first {name}", shape(at)) for name, at in (("NaN", nan), ("Inf", inf)) if at is not None)
        return
    exact, low, high, std = reading["exact"], reading["min"], reading["max"], reading["std"]
    least, seen = ("", "") if exact else ("≥", "seen ")
    none = _no_range(reading)
    yield "count", f"{reading['count']:,}"
    yield "min", none if low is None else f"{seen}{exact_number(low)}"
    yield "max", none if high is None else f"{seen}{exact_number(high)}"
    yield "mean", none if reading["mean"] is None else _mean(reading, session.preferred.digits)
    yield "std", "none" if std is None else _std(reading, session.preferred.digits)
    both = reading["pos_inf"] and reading["neg_inf"]
    for label, amount, at in (
        ("NaN", reading["nan"], nan),
        ("Inf", reading["pos_inf"], inf),
        ("−Inf", reading["neg_inf"], inf),
    ):
        where = f" · first at {shape(at)}" if amount and at is not None and (at is nan or not both) else ""
        yield label, f"{least}{amount:,}{where}"
    if both and inf is not None:
        yield "first Inf", shape(inf)
    yield "zeros", f"{least}{reading['zeros']:,}"
    if not exact:
        yield "read", f"{reading['read']:,} of {reading['count']:,}"


def fact_texts(facts: Facts) -> FactTexts:
    """The numbers among facts as cards show them."""
    texts: FactTexts = {}
    if "shape" in facts:
        texts["shape"] = shape("?" if one is None else one for one in facts["shape"])
    if facts.get("strides") and facts.get("notes"):  # elsewhere they tell nothing that the shape does not
        texts["strides"] = f"({', '.join(map(exact_number, facts['strides']))})"
    if "bytes" in facts:
        texts["bytes"] = size(facts["bytes"])
    if "held" in facts:
        texts["held"] = contained_text(facts["held"])
    stats = facts.get("stats")
    if stats is None:
        return texts
    parts = [stats] if "count" in stats else [stats["real"], stats["imag"], stats["abs"]]
    if not parts[0]["exact"]:
        texts["read"], texts["count"] = (f"{parts[0][which]:,}" for which in ("read", "count"))
    if len(parts) > 1 or parts[0]["count"] > 1:  # of a single value, the value itself says all
        texts["statistics"] = [_stat_texts(part) for part in parts]
    return texts


def _stat_texts(stats: Stats) -> StatTexts:
    texts: StatTexts = {}
    low, high = stats["min"], stats["max"]
    if low is not None and high is not None:
        texts["range"] = _between(low, high, " … ")
    if stats["mean"] is not None:
        texts["mean"] = _mean(stats, session.preferred.digits)
    if stats["std"] is not None:
        texts["std"] = _std(stats, session.preferred.digits)
    for name in ("zeros", "nan", "pos_inf", "neg_inf"):
        if stats[name] and stats["exact"]:
            texts[name] = f"{stats[name]:,} ({percent(stats[name], stats['count'], 2)})"
        elif stats[name]:
            texts[name] = f"≥{stats[name]:,}"
    return texts


def _no_range(stats: Stats) -> str:
    """What stands where a least and a greatest number would, when there is none."""
    if not stats["count"]:
        return "none"
    return BEYOND if is_beyond(stats) else "none finite"


def _words(stats: Stats) -> list[str]:
    total, low, high, exact = stats["count"], stats["min"], stats["max"], stats["exact"]
    if total == 0:
        return ["empty"]
    words = [BEYOND] if is_beyond(stats) else []
    if low is not None and high is not None:
        if is_constant(stats):
            words.append(Word("all zeros" if low == 0 else f"all {exact_number(low)}", loud=True))
        elif total == 1:
            words.append(exact_number(low))
        elif low == high:
            words.append(f"finite all {exact_number(low)}" if exact else f"seen only {exact_number(low)}")
        else:
            words.append(f"{'' if exact else 'seen '}{_between(low, high)}")
            words.append(f"μ {_mean(stats)}" + ("" if stats["std"] is None else f" σ {_std(stats)}"))
    for amount, label in ((stats["nan"], "NaN"), (stats["pos_inf"], "Inf"), (stats["neg_inf"], "−Inf")):
        if amount:
            some = count(amount) if exact else f"≥{count(amount)}"
            words.append(Word(f"all {label}" if exact and amount == total else f"{some} {label}", loud=True))
    if not exact:
        words.append(f"{out_of(stats['read'], total)} read")
    return words


def _between(low: int | float, high: int | float, between: str = "…") -> str:
    """``low…high``, with as many digits as tell the two apart."""
    digits = session.preferred.digits
    while True:
        ends = exact_number(low, digits), exact_number(high, digits)
        if ends[0] != ends[1] or low == high:  # with 17 digits all floats read differently
            return between.join(ends)
        digits += 1


def _mean(stats: Stats, digits: int = 0) -> str:
    if stats["mean"] is None:
        return ""
    return bounded(stats["mean"], stats["mean_error"], digits, about=not stats["exact"])


def _std(stats: Stats, digits: int = 0) -> str:
    std = stats["std"] or 0.0
    text = bounded(std, 1e-5 * std, digits)
    return text if stats["exact"] else f"≈{text}"


def _share_true(stats: Stats) -> str:
    total, read, true = stats["count"], stats["read"], stats["read"] - stats["zeros"]
    if true in (0, read):
        share = f"{'all' if stats['exact'] else 'seen only'} {bool(true)}"
    else:
        among = f"{out_of(true, total)} True ({percent(true, total)})"
        share = among if stats["exact"] else f"≈{percent(true, read)} True"
    return Word(share, loud=is_constant(stats)) if stats["exact"] else f"{share} · {out_of(read, total)} read"
