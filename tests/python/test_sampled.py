"""What was not read whole is marked, in every place and each of its numbers: ``≈``, ``≥``, ``seen``, how much was read.

Each text is compared whole, so that no mark can be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from stats_reference import ticking

from tensor_inspector.kinds import as_kind
from tensor_inspector.kinds.facts import add_distribution
from tensor_inspector.kinds.numpy.dates import Dates
from tensor_inspector.kinds.stats_rows import stats_rows
from tensor_inspector.kinds.torch.finite import finite_badges, finite_rows, finite_words
from tensor_inspector.measure.reading import badges
from tensor_inspector.measure.torch.finite import NotFinite
from tensor_inspector.protocol import ComplexStats, Stats
from tensor_inspector.safe.budget import Budget
from tensor_inspector.safe.untouched import Untouched
from tensor_inspector.words.stats import inline_text, stats_words


def sampled(**said: Any) -> Stats:
    """Of a million numbers a thousand were read."""
    known: dict[str, Any] = {
        "count": 10**6, "read": 1000, "exact": False, "min": -1.5, "max": 2.5, "mean": 0.25, "mean_error": 0.001,
        "std": 0.75, "nan": 0, "pos_inf": 0, "neg_inf": 0, "zeros": 0,
    }  # fmt: skip
    return {**known, **said}  # type: ignore[return-value,typeddict-item]


def complex_of(stats: Stats) -> ComplexStats:
    return {"real": stats, "imag": stats, "abs": stats}


SPECIAL = {"nan": 3, "pos_inf": 2, "neg_inf": 1, "zeros": 4}
WORDS: dict[str, tuple[Any, bool, list[str]]] = {
    "range, mean, deviation": (sampled(), False, ["seen −1.5…2.5", "μ ≈0.25 σ ≈0.75", "1.0K of 1.0M read"]),
    "special values": (
        sampled(**SPECIAL), False,
        ["seen −1.5…2.5", "μ ≈0.25 σ ≈0.75", "≥3 NaN", "≥2 Inf", "≥1 −Inf", "1.0K of 1.0M read"],
    ),
    "nothing but NaN": (
        sampled(min=None, max=None, mean=None, std=None, nan=1000), False, ["≥1.0K NaN", "1.0K of 1.0M read"],
    ),
    "one value": (sampled(min=2, max=2, mean=2.0, std=0.0), False, ["seen only 2", "1.0K of 1.0M read"]),
    "zeros": (sampled(min=0, max=0, mean=0.0, std=0.0, zeros=1000), False, ["seen only 0", "1.0K of 1.0M read"]),
    "a mean that is not known": (
        sampled(mean=0.0001, mean_error=0.5), False, ["seen −1.5…2.5", "μ ≈0 σ ≈0.75", "1.0K of 1.0M read"],
    ),
    "complex": (complex_of(sampled()), False, ["|z| seen −1.5…2.5", "μ ≈0.25 σ ≈0.75", "1.0K of 1.0M read"]),
    "bools": (sampled(zeros=750), True, ["≈25% True · 1.0K of 1.0M read"]),
    "bools, one of them": (sampled(zeros=0), True, ["seen only True · 1.0K of 1.0M read"]),
    "bools, the other": (sampled(zeros=1000), True, ["seen only False · 1.0K of 1.0M read"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_the_line_marks_every_number(name: str) -> None:
    reading, boolean, words = WORDS[name]
    assert stats_words(reading, boolean) == words
    assert "sampled" in badges(reading)
    assert not {"zeros", "constant"} & set(badges(reading))


@pytest.mark.parametrize(
    ("reading", "boolean", "text"),
    [
        (sampled(), False, "f32[9] μ ≈0.25"),
        (sampled(**SPECIAL), False, "≥3 NaN ≥2 Inf ≥1 −Inf f32[9] μ ≈0.25"),
        (sampled(min=2, max=2, mean=2.0, std=0.0), False, "f32[9] μ ≈2"),
        (complex_of(sampled(nan=1)), False, "≥1 NaN f32[9] |z| μ ≈0.25"),
        (sampled(zeros=750), True, "f32[9] ≈25% True · 1.0K of 1.0M read"),
    ],
)
def test_the_end_of_a_line_marks_every_number(reading: Any, boolean: bool, text: str) -> None:
    from tensor_inspector.words.line import head

    assert inline_text(head("float32", "[9]"), None, reading, boolean) == text


ROWS = {
    "count": "1,000,000", "min": "seen −1.5", "max": "seen 2.5", "mean": "≈0.25", "std": "≈0.75", "NaN": "≥3", "Inf": "≥2",
    "−Inf": "≥1", "zeros": "≥4", "read": "1,000 of 1,000,000",
}  # fmt: skip


def lines(rows: Any, budget: Budget | None = None) -> dict[str, str]:
    kind = as_kind(rows, budget or Budget())
    return {child.name: as_kind(child.value, Budget()).line() for child in kind.children(0, 100)}


def test_every_row_of_the_statistics_is_marked() -> None:
    assert lines(stats_rows(sampled(**SPECIAL))) == ROWS
    assert stats_rows(sampled()).line == "of 1,000,000 elements, 1,000 of them read"
    parts = {f"{part} {label}": text for part in ("real", "imag", "abs") for label, text in ROWS.items()}
    assert lines(stats_rows(complex_of(sampled(**SPECIAL)))) == parts


@pytest.mark.parametrize("values", [torch.arange(2e6), np.arange(2e6)], ids=["tensor", "array"])
def test_every_percentile_and_bin_is_marked(values: Any) -> None:
    rows = as_kind(stats_rows(sampled(), lambda: values), Budget()).children(0, 100)
    opened = {child.name: child.value for child in rows}
    percentiles = lines(opened["percentiles"], ticking(80, 0.5))
    assert percentiles.pop("read").endswith(" elements")
    assert percentiles
    assert all(text.startswith("≈") for text in percentiles.values())
    bins = lines(opened["histogram"], ticking(80, 0.5))
    assert bins.pop("read").endswith(" elements")
    assert bins
    assert all(text == "0" or text.partition(" ")[2].startswith("≈") for text in bins.values())


def test_the_facts_say_how_much_percentiles_are_of() -> None:
    facts: Any = {"type": "torch.Tensor"}
    add_distribution(facts, torch.arange(2e6), ticking(80, 0.5), [0.5], 4)
    for what in ("quantiles", "histogram"):
        assert facts[what]["exact"] is False
        assert 0 < facts[what]["read"] < 2e6


def days(**said: Any) -> Dates:
    """Dates of which a thousand of a million were read."""
    dates = Dates(np.zeros(10**6, "M8[s]"), Budget())
    known = {"count": 10**6, "read": 1000, "exact": False, "min": 0, "max": 86400, "mean": 3600.0, "mean_error": 0.0}
    dates.range = lambda: {**known, **said}  # type: ignore[assignment,method-assign,return-value]
    return dates


def test_dates_mark_their_range_and_what_is_missing() -> None:
    assert days().words() == ["seen 1970-01-01…1970-01-02", "1.0K of 1.0M read"]
    assert days(count=10**6 - 5).words()[1:] == ["≥5 NaT", "1.0K of 1.0M read"]
    assert days(min=None, max=None).words() == ["only NaT seen"]
    assert days().badges() == ["sampled"]


def test_every_row_of_dates_is_marked() -> None:
    assert days(count=10**6 - 5).fact_rows() == [
        ["earliest seen", "1970-01-01"],
        ["latest seen", "1970-01-02"],
        ["mean", "≈1970-01-01T01:00:00"],
        ["NaT", "≥5"],
    ]
    spread = {
        "quantiles": {"at": [0.25, 0.5], "values": [0, None], "exact": False, "read": 1000},
        "histogram": {"edges": [0, 86401], "counts": [400], "exact": False, "read": 1000},
    }
    assert days().distribution_rows(spread) == [
        ["25%", "≈1970-01-01"],
        ["median", "none"],
        ["1970-01-01…1970-01-02", "400 of 1,000 read"],
    ]


def test_a_series_of_polars_marks_a_range_of_what_was_read() -> None:
    pl = pytest.importorskip("polars")
    values = pl.Series([1, 2], dtype=pl.Decimal(10, 0)).new_from_index(0, 5_000_000)
    words = as_kind(values, ticking(80, 50.0)).line()
    assert "seen 1…1" in words


@pytest.mark.parametrize(
    ("found", "words", "row"),
    [
        (NotFinite([], [], 24, 100, True), ["≈ 24 % read"], "none seen, ≈ 24 % read"),
        (NotFinite([], [], 9999, 10_000, True), ["≈ 99 % read"], "none seen, ≈ 99 % read"),
        (NotFinite([], [], 1, 10_000, True), ["≈ <1 % read"], "none seen, ≈ <1 % read"),
        (NotFinite(["a", "b"], [], 24, 100, True), ["NaN in a and 1+ more", "≈ 24 % read"], "≈ 24 % read"),
        (NotFinite([], [], 0, 100, True), ["values not read: no time"], "values not read: no time"),
        (NotFinite([], [], 0, 100, False), ["values not read"], "values not read"),
        (NotFinite([], [], 100, 100, False), [], "none in all values"),
        (
            NotFinite([], [], 100, 100, True, complete=False),
            ["only 100 values read"],
            "none seen, only 100 values read",
        ),
        (NotFinite([], [], 0, 0, True, complete=False), ["values not read: no time"], "values not read: no time"),
    ],
)
def test_a_module_marks_how_much_of_it_was_read(found: NotFinite, words: list[str], row: str) -> None:
    assert finite_words(found) == words
    assert finite_rows(found)[-1] == ["NaN and Inf", row]
    assert found.is_whole() or ("sampled" if found.read else "unread") in finite_badges(found)


READ: dict[str, Callable[[], Any]] = {
    "float32": lambda: torch.randn(10**6),
    "bfloat16": lambda: torch.randn(10**6).bfloat16(),
    "int64": lambda: torch.arange(10**6),
    "bool": lambda: torch.arange(10**6) % 3 == 0,
    "complex": lambda: torch.randn(10**6, dtype=torch.complex64),
    "array": lambda: np.arange(1e6),
    "sparse": lambda: torch.arange(1, 1e6).to_sparse(),
}


@pytest.mark.parametrize("name", READ)
def test_what_is_really_read_in_part_is_marked(name: str) -> None:
    with Untouched():
        kind = as_kind(READ[name](), Budget(max_elements=1000))
        line, inline = kind.line(), kind.inline() or ""
        assert "sampled" in kind.badges()
    assert " read" in line
    assert "≈" in line
    assert "≈" in inline
