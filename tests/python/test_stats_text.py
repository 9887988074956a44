"""What the rows below a tensor say of its statistics, and that what takes time is asked for only when it is opened."""

import math

import pytest
from stats_reference import ticking

from tensor_inspector import facts
from tensor_inspector.kinds import as_kind
from tensor_inspector.kinds.facts import add_distribution, add_firsts
from tensor_inspector.kinds.stats_rows import stats_rows
from tensor_inspector.measure.stats import Unread, of_tensor
from tensor_inspector.measure.unread import OFF
from tensor_inspector.safe.budget import Budget
from tensor_inspector.words.stats import fact_texts, histogram_texts, how_much, stats_words

torch = pytest.importorskip("torch")


def rows(value, *path, budget=None, with_value=True):
    """Label and text of the rows below ``stats``, or below the row of it that ``path`` names."""
    kind = as_kind(stats_rows(of_tensor(value, Budget()), lambda: value if with_value else None), budget or Budget())
    for name in path:
        kind = as_kind(next(child.value for child in kind.children(0, 100) if child.name == name), budget or Budget())
    return {child.name: as_kind(child.value, budget or Budget()).line() for child in kind.children(0, 100)}


def test_every_statistic_is_a_row():
    found = rows(torch.tensor([[0.0, math.nan], [-2.0, 2.0]]), with_value=False)
    assert found == {
        "count": "4", "min": "−2", "max": "2", "mean": "≈0", "std": "2", "NaN": "1", "Inf": "0", "−Inf": "0", "zeros": "1",
    }  # fmt: skip


def test_rows_have_as_many_digits_as_are_preferred():
    found = rows(torch.tensor([0.0] * 10 + [1.0]))
    assert (found["mean"], found["std"]) == ("0.09091", "0.3015")


@pytest.mark.parametrize(("values", "said"), [([], "none"), ([math.nan, math.inf], "none finite")])
def test_where_there_is_no_range_the_rows_say_so(values, said):
    found = rows(torch.tensor(values))
    assert (found["min"], found["max"], found["mean"], found["std"]) == (said, said, said, "none")


def test_of_what_was_not_to_be_read_a_line_says_nothing():
    assert stats_words(OFF) == []
    assert stats_words(Unread("freed", "storage freed")) == ["storage freed"]


def test_the_shares_of_a_sample_have_two_digits():
    histogram = {"edges": [0, 1, 2], "counts": [1000, 2000], "exact": False, "read": 3000}
    assert [text.rpartition(" ")[2] for _, text in histogram_texts(histogram)] == ["≈33%", "≈67%", "elements"]


@pytest.mark.parametrize(
    ("values", "label", "text"),
    [
        ([[1, 2], [math.nan, math.nan]], "NaN", "2 · first at [1, 0]"),
        ([1, 2, -math.inf], "−Inf", "1 · first at [2]"),
        ([1, math.inf, -math.inf], "Inf", "1"),
        ([1, math.inf, -math.inf], "first Inf", "[1]"),
        ([1, complex(0, math.nan)], "first NaN", "[1]"),
    ],
)
def test_where_the_first_special_value_is_stands_beside_their_number(values, label, text):
    assert rows(torch.tensor(values))[label] == text


def test_percentiles_are_below_a_row_of_their_own():
    found = rows(torch.arange(101), "percentiles")
    assert found == {"1%": "1", "5%": "5", "25%": "25", "median": "50", "75%": "75", "95%": "95", "99%": "99"}


def test_a_histogram_is_drawn_in_few_bins():
    found = rows(torch.tensor([0.0] * 8 + [0.26, 1.0]), "histogram")
    assert list(found.values()) == ["████████████████████ 8", *["0"] * 3, "██▌ 1", *["0"] * 10, "██▌ 1"]
    assert list(found)[:2] == ["0…0.0625", "0.0625…0.125"]
    assert rows(torch.tensor([3, 3, 4, 6]), "histogram") == {
        "3": "████████████████████ 2", "4": "██████████ 1", "5": "0", "6": "██████████ 1"
    }  # fmt: skip
    assert "240…255" in rows(torch.arange(256), "histogram")


def test_bins_close_together_are_told_apart():
    found = rows(torch.linspace(1, 1 + 1e-12, 1000, dtype=torch.float64), "histogram")
    assert len(found) == 16


def test_what_was_sampled_is_marked():
    t, quick = torch.arange(2_000_000.0), ticking(80, 0.5)
    assert rows(t, "percentiles", budget=quick)["median"].startswith("≈")
    found = rows(t, "histogram", budget=ticking(80, 0.5))
    assert found.pop("read").endswith(" elements")
    assert all(text.startswith("█") and text.endswith("%") for text in found.values())


def test_what_there_is_no_time_for_says_so():
    kind = as_kind(stats_rows(of_tensor(torch.arange(9), Budget()), lambda: torch.arange(9)), Budget())
    row = next(child.value for child in kind.children(0, 100) if child.name == "percentiles")
    assert [as_kind(c.value, Budget()).line() for c in as_kind(row, ticking(80, 99.0)).children(0, 9)] == [
        "skipped: 80 ms budget"
    ]


@pytest.mark.parametrize("value", [torch.ones(5), torch.full((3,), math.nan), torch.ones(0)])
def test_no_percentiles_are_offered_of_one_number_or_none(value):
    assert "percentiles" not in rows(value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: torch.arange(10**6) != 7, ["999,999 of 1,000,000 True (>99.9%)"]),
        (lambda: torch.arange(10**6) == 7, ["1 of 1.0M True (0.0001%)"]),
        (lambda: torch.arange(4) > 0, ["3 of 4 True (75%)"]),
        (lambda: torch.ones(5, dtype=torch.bool), ["all True"]),
        (lambda: torch.tensor([12.0, 12.5]), ["12…12.5", "μ 12.25 σ 0.354"]),
        (lambda: torch.tensor([12.0, 12.0]), ["all 12"]),
        (
            lambda: torch.tensor([1.5e308 + 1.5e308j, math.inf], dtype=torch.complex128),
            ["|z| beyond float64", "1 Inf"],
        ),
    ],
)
def test_words_claim_no_more_than_is_so(make, words):
    value = make()
    assert stats_words(of_tensor(value, Budget()), value.dtype is torch.bool) == words


def test_a_sample_of_truths_is_not_all_of_them():
    reading = of_tensor(torch.ones(10**6, dtype=torch.bool), ticking(40.0, max_elements=5000))
    assert stats_words(reading, boolean=True)[0].startswith("seen only True · 5.0K of 1.0M read")


def test_above_the_rows_stands_how_much_was_read():
    reading = of_tensor(torch.arange(10**6), ticking(40.0, max_elements=5000))
    assert how_much(reading) == f"of 1,000,000 elements, {reading['read']:,} of them read"
    assert how_much(of_tensor(torch.arange(1000), Budget())) == "of 1,000 elements"


def test_magnitudes_beyond_float64_leave_the_parts_their_statistics():
    found = rows(torch.tensor([1.5e308 + 1.5e308j, 1j], dtype=torch.complex128))
    assert (found["abs max"], found["real max"], found["imag min"]) == ("beyond float64", "1.5e308", "1")


def test_facts_have_what_was_asked_for():
    t, facts = torch.tensor([1.0, math.nan, 3.0, -math.inf]), {"type": "torch.Tensor"}
    add_firsts(facts, of_tensor(t, Budget()), lambda: t, Budget())
    assert (facts["first_nan"], facts["first_inf"]) == ([1], [3])
    add_distribution(facts, t, Budget(), [0.5], 2)
    assert facts["quantiles"] == {"at": [0.5], "values": [2.0], "exact": True, "read": 4}
    assert facts["histogram"] == {"edges": [1.0, 2.0, 3.0], "counts": [1, 1], "exact": True, "read": 4}


def test_facts_say_why_it_is_not_there():
    facts = {"type": "torch.Tensor", "notes": ["a view"]}
    add_distribution(facts, torch.ones(3), ticking(80, 99.0), [0.5], 0)
    assert facts["notes"] == ["a view", "percentiles and histogram skipped: 80 ms budget"]
    add_distribution(facts, Unread("freed", "storage freed"), Budget(), [0.5], 0)
    add_distribution(facts, None, Budget(), [0.5], 0)
    assert "quantiles" not in facts


def texts(value):
    """The numbers of a value's card."""
    return fact_texts(facts(value))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.tensor([[-1.5, 0.0, 2.0], [1.0, 0.0, 0.0]]), {
            "shape": "[2, 3]", "bytes": "24 B",
            "statistics": [{"range": "−1.5 … 2", "mean": "0.25", "std": "1.173", "zeros": "3 (50%)"}],
        }),
        (torch.tensor([[1, 2], [3, 4]]).T, {
            "shape": "[2, 2]", "strides": "(1, 2)", "bytes": "32 B",
            "statistics": [{"range": "1 … 4", "mean": "2.5", "std": "1.291"}],
        }),
        (torch.tensor(3.0), {"shape": "[]", "bytes": "4 B"}),
        (torch.tensor([1.0] + [math.nan] * 999), {
            "shape": "[1000]", "bytes": "3.9 KiB",
            "statistics": [{"range": "1 … 1", "mean": "1", "nan": "999 (>99%)"}],
        }),
        (torch.tensor([2**63 - 1, -(2**63)]), {
            "shape": "[2]", "bytes": "16 B",
            "statistics": [{"range": "−9223372036854775808 … 9223372036854775807", "mean": "−0.5", "std": "1.304e19"}],
        }),
        ([1, 2], {}),
    ],
    ids=str,
)  # fmt: skip
def test_cards_have_the_numbers_of_facts_in_words(value, expected):
    assert texts(value) == expected


def test_cards_of_complex_numbers_have_three_columns():
    assert [one["range"] for one in texts(torch.tensor([3 + 4j, 1j]))["statistics"]] == ["0 … 3", "1 … 4", "1 … 5"]


def test_cards_of_samples_say_how_much_was_read_and_mark_every_number():
    stats = {"count": 10**17, "read": 1000, "min": -1.5, "max": 2.0, "mean": 0.25, "std": 1.118, "nan": 0, "pos_inf": 3,
             "neg_inf": 0, "zeros": 1, "exact": False, "mean_error": 0.001}  # fmt: skip
    found = fact_texts({"type": "torch.Tensor", "stats": stats})
    assert (found["read"], found["count"]) == ("1,000", "100,000,000,000,000,000")
    assert found["statistics"] == [
        {"range": "−1.5 … 2", "mean": "≈0.25", "std": "≈1.118", "zeros": "≥1", "pos_inf": "≥3"}
    ]
