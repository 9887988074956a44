"""Statistics in words: what tensors and arrays of every library share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .. import preferences
from ..measure.stats import Reading, Unread
from ..protocol import Badge, Facts, Stats
from ..safe.budget import Budget
from ..words.line import Word, is_loud, prefixed, short
from ..words.text import bounded, count, exact_number, number, out_of, percent, plural, shape
from .kind import Child, Rows, Said

if TYPE_CHECKING:
    from ..measure.stats.distribution import Spread
    from ..measure.stats.first import Firsts

_PERCENTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
BEYOND = "beyond float64"  #: a magnitude
_BINS, _BAR = 16, 20  #: of a histogram in the tree, and characters of its longest bar
_ORDER: tuple[Badge, ...] = ("nan", "inf", "zeros", "constant", "sampled")
_UNREAD: dict[str, list[Badge]] = {"off": [], "freed": ["freed"]}
_LOUD = frozenset(("nan", "inf", "zeros", "constant", "freed"))


def stats_words(reading: Reading, boolean: bool = False) -> list[str]:
    """The parts of a summary line that the statistics give: range, mean and deviation, then what is wrong, loudly."""
    if isinstance(reading, Unread):
        return [] if reading.code == "off" else [Word(reading.text, loud=is_wrong(reading))]
    if "abs" in reading:
        words = _words(reading["abs"])
        return [prefixed("|z| ", words[0]), *words[1:]]
    if boolean and reading["count"]:
        return [_share_true(reading)]
    return _words(reading)


def inline_text(head: str, shown: str | None, reading: Reading, boolean: bool = False) -> str:
    """A tensor or array at the end of a line of source: ``3 NaN f32[32,10] μ 0.01``."""
    if shown is not None:
        return f"{short(head)} {shown}"
    loud = [word for word in stats_words(reading, boolean) if is_loud(word)]
    return " ".join([*loud, short(head), *_inline_words(reading, boolean)])


def _inline_words(reading: Reading, boolean: bool = False) -> list[str]:
    """The one part of the statistics that is told there besides what is loud."""
    if isinstance(reading, Unread):
        return []
    if "abs" in reading:
        return [f"|z| {word}" for word in _inline_words(reading["abs"])]
    if _is_constant(reading) or reading["min"] is None:
        return []
    if boolean:
        return [_share_true(reading)]
    return [exact_number(reading["min"]) if reading["count"] == 1 else f"μ {_mean(reading)}"]


def badges(reading: Reading) -> list[Badge]:
    if isinstance(reading, Unread):
        return _UNREAD.get(reading.code, ["unread"])[:]
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


def is_wrong(reading: Reading) -> bool:
    """Whether it holds what is said aloud: NaN, Inf, one value throughout, freed memory."""
    return not _LOUD.isdisjoint(badges(reading))


def stats_rows(reading: Reading, elements: Callable[[], Any] = lambda: None) -> Rows:
    """A row ``stats`` that opens to every statistic.

    With a kind's ``elements``, also to where the first NaN and infinity are, and to percentiles and a histogram, which
    are worked out when they are opened in turn.
    """

    def rows(budget: Budget) -> Iterator[Child]:
        for label, text in _every(reading, _firsts(reading, elements, budget)):
            yield Child(label, Said(text))
        value = elements()
        if not (value is None or isinstance(value, Unread)) and _is_spread(reading):
            yield Child("percentiles", Rows.later("read when opened", lambda budget: _percentiles(value, budget)))
            yield Child("histogram", Rows.later("read when opened", lambda budget: _histogram(value, budget)))

    return Rows.later(_read_of(reading), rows)


def add_firsts(facts: Facts, reading: Reading, elements: Callable[[], Any], budget: Budget) -> None:
    """Puts into ``facts`` where the first NaN and the first infinity among a kind's ``elements`` are."""
    nan, inf = _firsts(reading, elements, budget)
    if nan is not None:
        facts["first_nan"] = nan
    if inf is not None:
        facts["first_inf"] = inf


def add_spread(facts: Facts, value: Any, budget: Budget, quantiles: Sequence[float], bins: int) -> None:
    """Puts the percentiles and the histogram that were asked for into ``facts``, or a note why they are not there.

    ``value`` is what a kind gives as its ``elements``: a plain tensor or array, why there is none, or None.
    """
    if isinstance(value, Unread) or value is None:
        return
    found = _spread(value, budget, quantiles, bins)
    if isinstance(found, Unread):
        facts["notes"] = [*facts.get("notes", []), f"percentiles and histogram {found.text}"]
        return
    if "quantiles" in found:
        facts["quantiles"] = found["quantiles"]
    if "histogram" in found:
        facts["histogram"] = found["histogram"]


def _firsts(reading: Reading, elements: Callable[[], Any], budget: Budget) -> Firsts:
    """Where the first NaN and the first infinity are, if there are such among what was read."""
    if isinstance(reading, Unread):
        return None, None
    parts = (reading["real"], reading["imag"]) if "abs" in reading else (reading,)
    nan = any(part["nan"] for part in parts)
    inf = any(part["pos_inf"] or part["neg_inf"] for part in parts)
    value = elements() if nan or inf else None
    if value is None or isinstance(value, Unread):
        return None, None
    from ..measure.stats.first import first_special  # compiled only where it is needed

    return first_special(value, budget.share(), nan=nan, inf=inf)


def _read_of(reading: Reading) -> str:
    """What the statistics are of."""
    if isinstance(reading, Unread):
        return reading.text
    part = reading if "count" in reading else reading["abs"]
    read = "" if part["exact"] else f", {part['read']:,} of them read"
    return f"of {plural(part['count'], 'element')}{read}"


def _is_spread(reading: Reading) -> bool:
    """Whether there are numbers, and not only one."""
    if isinstance(reading, Unread):
        return False
    if "abs" in reading:
        return _is_spread(reading["abs"])
    return reading["min"] is not None and (reading["min"] != reading["max"] or not reading["exact"])


def _spread(value: Any, budget: Budget, quantiles: Sequence[float] = (), bins: int = 0) -> Spread | Unread:
    from ..measure.stats.distribution import distribution  # as above

    return distribution(value, budget.share(), quantiles, bins)


def _percentiles(value: Any, budget: Budget) -> Iterator[Child]:
    found = _spread(value, budget, quantiles=_PERCENTILES)
    if isinstance(found, Unread):
        yield Child("not read", Said(found.text))
        return
    quantiles = found["quantiles"]
    about = "" if quantiles["exact"] else "≈"
    for share, found_there in zip(quantiles["at"], quantiles["values"]):
        label = "median" if share == 0.5 else f"{100 * share:g}%"
        yield Child(label, Said("none" if found_there is None else about + exact_number(found_there)))
    if about:
        yield Child("read", Said(plural(quantiles["read"], "element")))


def _histogram(value: Any, budget: Budget) -> Iterator[Child]:
    found = _spread(value, budget, bins=_BINS)
    if isinstance(found, Unread):
        yield Child("not read", Said(found.text))
        return
    histogram = found["histogram"]
    counts = histogram["counts"]
    longest, total = max(counts, default=0), sum(counts)
    for label, amount in zip(_ranges(histogram["edges"]), counts):
        bar = _bar(amount / longest)
        text = f"{amount:,}" if histogram["exact"] else f"≈{percent(amount, total, 2)}"
        yield Child(label, Said(f"{bar} {text}" if amount else "0"))
    if not histogram["exact"]:
        yield Child("read", Said(plural(histogram["read"], "element")))


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


def _every(reading: Reading, firsts: Firsts) -> Iterator[tuple[str, str]]:
    """Label and text of every statistic."""
    nan, inf = firsts
    if isinstance(reading, Unread):
        return
    if "abs" in reading:
        parts = (("real", reading["real"]), ("imag", reading["imag"]), ("abs", reading["abs"]))
        yield from ((f"{part} {label}", text) for part, stats in parts for label, text in _every(stats, (None, None)))
        yield from ((f"first {name}", shape(at)) for name, at in (("NaN", nan), ("Inf", inf)) if at is not None)
        return
    exact, low, high, std = reading["exact"], reading["min"], reading["max"], reading["std"]
    least, seen = ("", "") if exact else ("≥", "seen ")
    none = "none" if not reading["count"] else BEYOND if _is_beyond(reading) else "none finite"
    yield "count", f"{reading['count']:,}"
    yield "min", none if low is None else f"{seen}{exact_number(low)}"
    yield "max", none if high is None else f"{seen}{exact_number(high)}"
    yield "mean", none if reading["mean"] is None else _mean(reading, preferences.now.digits)
    yield "std", "none" if std is None else _std(reading, preferences.now.digits)
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


def _words(stats: Stats) -> list[str]:
    total, low, high, exact = stats["count"], stats["min"], stats["max"], stats["exact"]
    if total == 0:
        return ["empty"]
    words = [BEYOND] if _is_beyond(stats) else []
    if low is not None and high is not None:
        if _is_constant(stats):
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
            all_of_them = exact and amount == total
            amount_said = "all" if all_of_them else f"{'' if exact else '≥'}{count(amount)}"
            words.append(Word(f"{amount_said} {label}", loud=True))
    if not exact:
        words.append(f"{out_of(stats['read'], total)} read")
    return words


def _is_beyond(stats: Stats) -> bool:
    """Whether there are finite magnitudes, of which no range is known."""
    return stats["min"] is None and stats["read"] > stats["nan"] + stats["pos_inf"] + stats["neg_inf"]


def _is_constant(stats: Stats) -> bool:
    special = stats["nan"] or stats["pos_inf"] or stats["neg_inf"]
    return stats["exact"] and stats["count"] > 1 and not special and stats["min"] == stats["max"]


def _between(low: int | float, high: int | float) -> str:
    """``low…high``, with as many digits as tell the two apart."""
    digits = preferences.now.digits
    while True:
        ends = exact_number(low, digits), exact_number(high, digits)
        if ends[0] != ends[1] or digits >= 17:
            return "…".join(ends)
        digits += 1


def _mean(stats: Stats, digits: int = 0) -> str:
    if stats["mean"] is None:
        return ""
    return bounded(stats["mean"], stats["mean_error"], digits, about=not stats["exact"])


def _std(stats: Stats, digits: int = 0) -> str:
    text = bounded(stats["std"] or 0.0, 1e-5 * (stats["std"] or 0.0), digits)
    return text if stats["exact"] else f"≈{text}"


def _share_true(stats: Stats) -> str:
    total, read, true = stats["count"], stats["read"], stats["read"] - stats["zeros"]
    if true in (0, read):
        share = f"{'all' if stats['exact'] else 'seen only'} {bool(true)}"
    else:
        among = f"{out_of(true, total)} True ({percent(true, total)})"
        share = among if stats["exact"] else f"≈{percent(true, read)} True"
    return Word(share, loud=_is_constant(stats)) if stats["exact"] else f"{share} · {out_of(read, total)} read"
