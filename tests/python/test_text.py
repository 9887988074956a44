"""Numbers and words as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensor_inspector import text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"), (-2.117904, "−2.118"), (1234567, "1234567"), (12345678, "1.235e7"),
        (1e-5, "1e-5"), (1.5e300, "1.5e300"),
        (math.nan, "NaN"), (math.inf, "Inf"), (-math.inf, "−Inf"), (10**400, "10^400"), (-(10**400), "−10^400"),
    ],
)  # fmt: skip
def test_number(value: float, shown: str) -> None:
    assert text.number(value) == shown


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (0.0123456, 1e-12, "0.0123"),
        (0.0123456, 1e-3, "0.01"),
        (0.0123456, 8e-3, "≈0.01"),
        (-3.731e-9, 1e-8, "≈0"),
        (0.0, 0.0, "0"),
        (1.23456, 0.02, "1.2"),
        (1e9, 1.0, "1e9"),
    ],
)
def test_only_guaranteed_digits_are_shown(value: float, error: float, shown: str) -> None:
    assert text.bounded(value, error) == shown


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1.0), st.floats(-1, 1))
def test_the_last_digit_shown_differs_by_one_at_most(truth: float, error: float, off: float) -> None:
    shown = text.bounded(truth + off * error, error)
    if shown.startswith("≈"):
        return
    digits = shown.replace("−", "-")
    mantissa, _, exponent = digits.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    if "." not in mantissa:  # zeros at the end of a whole number are no digits
        unit *= 10 ** (len(mantissa.lstrip("-")) - len(mantissa.lstrip("-").rstrip("0") or "0"))
    assert abs(float(digits) - truth) <= unit * 1.0001


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (999, "999"), (5130, "5.1K"), (144_000, "144K"), (25_557_032, "25.6M"), (10**12, "10¹²"),
     (25 * 10**11, "2.5×10¹²")],
)  # fmt: skip
def test_count(value: int, shown: str) -> None:
    assert text.count(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(5, "5 B"), (4096, "4.0 KiB"), (1536 * 2**20, "1.5 GiB"), (2**70, "1024.0 EiB")]
)
def test_size(value: int, shown: str) -> None:
    assert text.size(value) == shown


@given(st.lists(st.one_of(st.none(), st.text(max_size=80))), st.integers(20, 200))
def test_joined_never_exceeds_its_limit(parts: list[str | None], limit: int) -> None:
    assert len(text.joined(parts, limit)) <= limit


def test_a_part_that_does_not_fit_is_left_out_whole() -> None:
    assert text.joined(["float32[3]", "x" * 20, "3 NaN"], limit=32) == "float32[3] …"


def test_strings_say_how_long_they_are_when_cut() -> None:
    assert text.quoted("a" * 10_000, 5) == "'aaaaa…' · 10,000 chars"


@given(st.text())
def test_short_strings_are_shown_as_python_writes_them(value: str) -> None:
    assert text.quoted(value, len(value)) == repr(value)


@given(st.integers())
def test_integers_up_to_forty_digits_are_whole(value: int) -> None:
    shown = text.integer(value)
    assert shown == str(value) if value.bit_length() <= 133 else "bits" in shown
