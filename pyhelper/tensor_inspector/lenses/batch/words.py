"""The parts of a batch as rows of a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...kinds import Child, Rows, TextRow, as_kind
from ...safe.budget import Budget
from ...words.line import Word, head, line_of
from ...words.stats import stats_words
from ...words.text import exact_number, listed, number, percent, plural, quoted, shape
from .labels import IGNORED, imbalance, is_uneven
from .part import DataPart
from .plain import ITEMS
from .problems import Problem

if TYPE_CHECKING:
    from ...protocol import Badge

_LABELS = 6  #: listed in a line
_FEW = 20  #: values of a column that are listed
_UNTOLD = 2  #: values that are each there once
_ALL = 100  #: rows of labels


def row_of(name: str, size: int | None, parts: Sequence[DataPart], problems: Sequence[Problem], more: bool) -> Child:
    """What does not fit first, then each part, which opens to its labels and the value itself."""
    rows = [_problem(problem) for problem in problems]
    rows += [part_row(part) for part in parts]
    if more:
        rows.append(Child("…", TextRow("there is more, or deeper, than is told here"), ""))
    badges = sorted({badge for row in rows if type(row.value) is Rows for badge in row.value.badges})
    line = line_of(_parts(size, parts, problems))
    return Child(name, Rows.of(line, rows, "group", badges), "")


def _parts(size: int | None, parts: Sequence[DataPart], problems: Sequence[Problem]) -> Iterator[str | None]:
    read = next((part.read for part in parts if part.read is not None and part.folded == size), None)
    yield None if size is None else plural(size, "sample")
    yield None if read is None else Word(f"≈ of the first {read:,} only", loud=True)
    if any(part.is_long for part in parts):
        yield Word(f"≈ of each list the first {ITEMS:,} only", loud=True)
    yield from (Word(problem.text, loud=True) for problem in problems if problem.loud)
    for part in parts:
        nan, inf = part.nan, part.inf
        missing = f"{part.missing:,} missing" if part.missing and not nan else ""
        wrong = ", ".join(filter(None, (missing, f"{nan:,} NaN" if nan else "", f"{inf:,} Inf" if inf else "")))
        yield Word(f"{part.path} {wrong}".strip(), loud=True) if wrong else None
    yield from (problem.text for problem in problems if not problem.loud)
    shown = [f"{part.path} {brief(part)}".strip() for part in parts[:_LABELS]]
    yield listed(shown, len(parts) > _LABELS, 70) if parts else "empty"


def brief(part: DataPart) -> str:
    if part.dtypes:
        sizes = part.shape()
        return head(", ".join(part.dtypes), "" if sizes is None else _sizes(sizes)).short
    return ", ".join(part.types)


def _problem(problem: Problem) -> Child:
    badges: list[Badge] = ["wrong"] if problem.loud else ["doubtful"]
    return Child(problem.code.replace("_", " "), Rows(problem.text, 0, lambda start, count: [], "evidence", badges), "")


def part_row(part: DataPart) -> Child:
    below = []
    if part.labels is not None and part.sort != "other":
        rows = [Child(_label(label), TextRow(_times(times, part)), "") for label, times in _first(part.labels, _ALL)]
        below.append(Child("labels", Rows.of(plural(len(part.labels), "different value"), rows, "evidence"), ""))
    below += [Child(one.suffix or one.name, one.value, one.suffix) for one in part.values[:_ALL]]
    kind: Any = part.sort if part.sort in ("tensor", "array") else "sequence"
    line = line_of(part_words(part))
    rows_of_part = Rows.of(line, below, kind, _badges(part))
    return Child(part.path or "value", rows_of_part, "")


def part_words(part: DataPart) -> Iterator[str | None]:
    several, of = len(part.values) > 1, "" if part.read is None else f" of {part.folded:,}"
    read = len(part.values) if part.read is None else part.read
    if not several and (part.sort == "other" or (part.sort in ("strings", "numbers") and part.amount() is None)):
        yield as_kind(part.values[0].value, Budget(reads=False)).line()
        return
    if part.sort in ("tensor", "array"):
        sizes = part.shape()
        device = "" if part.devices in (["cpu"], []) else f" {', '.join(part.devices)}"
        yield head(", ".join(part.dtypes), "[…]" if sizes is None else _sizes(sizes), device)
        yield f"×{read - part.missing:,}{of}" if several else None
    elif part.sort in ("strings", "numbers"):
        yield plural(part.present(), part.sort[:-1])
    elif part.types:
        yield ", ".join(part.types) + (f" ×{read:,}{of}" if several else "")
        return
    if part.words and (part.least is not None or not _shows_labels(part)):
        yield from part.words
    else:
        yield Word(f"{part.missing:,} missing", loud=True) if part.missing else None
    if _shows_labels(part):
        yield _labels(part)
    elif part.words:
        pass
    elif part.sort == "strings":
        about, ends = _about(part), f"{part.least}" if part.least == part.most else f"{part.least}…{part.most}"
        yield f"{_different(part)}, {about}{ends} character{'' if part.most == 1 else 's'}"
        yield Word(f"{part.empty:,} empty", loud=True) if part.empty else None
    elif part.reading is not None and not several:
        yield from stats_words(part.reading, part.dtypes == ["bool"])
    else:
        yield from _range(part)
    yield _different(part) if part.labels is None and part.distinct and part.sort != "strings" else None
    duplicates = part.duplicates()
    is_few = part.distinct is not None and part.distinct <= _LABELS
    yield f"{plural(duplicates, part.unit)} equal to an earlier one" if duplicates and not is_few else None
    if part.constant:
        columns = listed(map(str, part.constant), False, 30)
        yield f"column{'s' if len(part.constant) > 1 else ''} {columns} constant"


def _range(part: DataPart) -> Iterator[str | None]:
    if part.unread is not None:
        yield part.unread
        return
    about = "" if part.is_whole() else "≈"
    if part.least is not None:
        one = part.least == part.most
        ends = f"all {exact_number(part.least)}" if one else f"{exact_number(part.least)}…{exact_number(part.most)}"
        yield f"{about}{ends}"
    mean = part.mean
    yield f"μ {about}{number(mean, 3)}" if mean is not None and part.least != part.most else None
    yield Word(f"{part.nan:,} NaN", loud=True) if part.nan else None
    yield Word(f"{part.inf:,} Inf", loud=True) if part.inf else None


def _labels(part: DataPart) -> Word:
    """How many, how often each, or the most frequent and the rarest of many; how uneven."""
    labels = part.labels or {}
    texts = [f"{_label(label)} ×{times:,}" for label, times in _first(labels, _LABELS)]
    shown = listed(texts, len(labels) > _LABELS, 60)
    uneven = f", uneven {number(imbalance(labels) or 1, 2)} : 1" if is_uneven(labels) else ""
    ignored = f", {IGNORED} is ignored by losses" if IGNORED in labels else ""
    noun = "label" if part.is_label() or (part.is_batch and _one_each(part)) else "value"
    many = plural(len(labels), noun) if part.sort != "strings" else f"{len(labels):,} different"
    many = f"{_about(part)}{many}"
    return Word(f"{many}: {shown}{uneven}{ignored}", f"{many}{uneven}")


def _about(part: DataPart) -> str:
    return "" if part.is_counted() else "≈"


def _different(part: DataPart) -> str:
    return f"{'' if part.is_counted() else '≥'}{part.distinct or 0:,} different"


def _one_each(part: DataPart) -> bool:
    return all(len(sizes) < 2 or all(size == 1 for size in sizes[1:]) for sizes in part.shapes)


def _first(labels: dict[Any, int], count: int) -> list[tuple[Any, int]]:
    """All in their order, or of many the most frequent first."""
    items = list(labels.items())
    return items if len(items) <= count else sorted(items, key=lambda item: -item[1])[:count]


def _shows_labels(part: DataPart) -> bool:
    """Whether how often each value occurs says more than their range."""
    times = list((part.labels or {}).values())
    is_mask = part.dtypes == ["bool"] and len(part.values) == 1
    is_few = len(times) <= _FEW or not part.words
    is_told = max(times, default=0) > 1 or (len(times) <= _UNTOLD and part.is_batch)
    return len(times) > 1 and not is_mask and is_few and is_told and not part.is_place()


def _label(label: Any) -> str:
    return quoted(label, 40) if type(label) is str else exact_number(label)


def _times(times: int, part: DataPart) -> str:
    return f"{times:,} · {percent(times, sum((part.labels or {}).values()))}"


def _badges(part: DataPart) -> list[Badge]:
    badges: list[Badge] = []
    if part.nan:
        badges.append("nan")
    if part.inf:
        badges.append("inf")
    is_one = part.least is not None and part.least == part.most and part.sort != "strings"
    if is_one and part.is_whole() and not badges and (part.amount() or 0) > 1:
        badges.append("zeros" if part.least == 0 else "constant")
    if not part.is_whole():
        badges.append("sampled" if part.unread is None or part.least is not None else "unread")
    return badges


def _sizes(sizes: Sequence[Any]) -> str:
    return shape("*" if size is None else size for size in sizes)
