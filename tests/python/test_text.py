"""Numbers and words as people read them."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensor_inspector.words import text
from tensor_inspector.words.bounded import bounded


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
    ("value", "digits", "shown"),
    [(1 / 3, 0, "0.3333"), (1 / 3, 6, "0.333333"), (-65536.0, 2, "−65536"), (2**53 + 1, 2, "9007199254740993")],
)
def test_a_number_that_is_known_exactly_has_the_digits_asked_for(value: float, digits: int, shown: str) -> None:
    assert text.exact_number(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.99999994, "0.9999999"), (-1.0000001, "−1.0000001"), (254.99998474121094, "254.99998"),
        (1000000.5, "1000000.5"), (1234567.25, "1.235e6"), (2.9999999999999996, "2.9999999999999996"),
        (1e-9, "1e-9"), (255.0, "255"), (2.5, "2.5"), (99.99, "99.99"),
    ],
)  # fmt: skip
def test_what_is_no_whole_number_does_not_read_as_the_one_next_to_it(value: float, shown: str) -> None:
    assert text.exact_number(value) == shown


@given(st.floats(-1e6, 1e6))
def test_only_whole_numbers_read_as_the_whole_number_next_to_them(value: float) -> None:
    shown = float(text.exact_number(value).replace("−", "-"))
    assert shown == 0 or shown != round(value) or value == round(value)


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [
        (0.0123456, 1e-12, "0.0123"),
        (0.0123456, 1e-3, "0.01"),
        (0.0123456, 8e-3, "≈0.01"),
        (-3.731e-9, 1e-8, "≈0"),
        (0.0, 0.0, "0"),
        (1.23456, 0.02, "1"),
        (1e9, 1.0, "1e9"),
        (0.12349999993, 3.9e-6, "0.1235"),  # neither 0.123 nor 0.124 is sure
        (0.12349999993, 3e-4, "0.12"),
        (-2.125, 1e-15, "−2.125"),
        (1.7976931348623157e308, 1e300, "1.79e308"),
    ],
)
def test_only_guaranteed_digits_are_shown(value: float, error: float, shown: str) -> None:
    assert bounded(value, error) == shown


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1.0), st.floats(-1, 1))
def test_whatever_the_truth_is_within_the_error_it_rounds_to_what_is_shown(
    value: float, error: float, off: float
) -> None:
    shown = bounded(value, error)
    if shown.startswith("≈"):
        return
    assert any(shown == text.number(value + off * error, digits) for digits in range(1, 5))


@given(st.floats(-1e6, 1e6), st.floats(1e-9, 1.0), st.floats(-1, 1))
def test_the_last_digit_shown_differs_by_one_at_most(truth: float, error: float, off: float) -> None:
    shown = bounded(truth + off * error, error)
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
     (25 * 10**11, "2.5×10¹²"), (999_499, "999K"), (999_999, "1.0M"), (999_499_999_999, "999B"),
     (999_999_999_999, "1.0×10¹²"), (9_990_000_000_000, "1.0×10¹³")],
)  # fmt: skip
def test_count(value: int, shown: str) -> None:
    assert text.count(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(5, "5 B"), (4096, "4.0 KiB"), (1536 * 2**20, "1.5 GiB"), (2**20 - 1, "1.0 MiB"), (2**70, "1024.0 EiB")],
)
def test_size(value: int, shown: str) -> None:
    assert text.size(value) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(1, 2, "50%"), (0, 7, "0%"), (7, 7, "100%"), (999_999, 10**6, ">99.9%"), (1, 10**9, "1e-7%"), (3, 2, "150%")],
)
def test_all_or_nothing_is_said_only_where_it_is_so(part: int, whole: int, shown: str) -> None:
    assert text.percent(part, whole) == shown


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(5130, 10**6, "5.1K of 1.0M"), (999_999, 10**6, "999,999 of 1,000,000"), (10**6, 10**6, "1.0M of 1.0M")],
)
def test_counts_that_differ_read_differently(part: int, whole: int, shown: str) -> None:
    assert text.out_of(part, whole) == shown


def test_no_text_of_a_number_is_beyond_all_floats() -> None:
    for digits in range(1, 18):
        assert float(text.number(-sys.float_info.max, digits).replace("−", "-")) >= -sys.float_info.max


@given(st.lists(st.one_of(st.none(), st.text(max_size=80))), st.integers(20, 200))
def test_joined_never_exceeds_its_limit(parts: list[str | None], limit: int) -> None:
    assert len(text.joined(parts, limit)) <= limit


def test_a_part_that_does_not_fit_is_left_out_whole() -> None:
    assert text.joined(["float32[3]", "x" * 20, "3 NaN"], limit=32) == "float32[3] …"


def test_the_first_part_is_cut_where_it_alone_does_not_fit() -> None:
    assert text.joined(["x" * 40, "3 NaN"], limit=8) == "xxxxxxx…"
    assert text.listed(["x" * 40, "y"], more=True, limit=8) == "xxxxxxx…"


def test_strings_say_how_long_they_are_when_cut() -> None:
    assert text.quoted("a" * 10_000, 5) == "'aaaaa…' · 10,000 chars"


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [
        (b"a" * 100, 40, f"b'{'a' * 40}…' · 100 bytes"),
        (bytearray(b"a" * 100), 40, f"bytearray(b'{'a' * 40}…') · 100 bytes"),
        (b"\xff" * 100, 16, r"b'\xff\xff\xff\xff…' · 100 bytes"),
    ],
)
def test_bytes_say_how_many_they_are_when_cut(value: bytes, limit: int, shown: str) -> None:
    assert text.quoted_bytes(value, limit) == shown


@given(st.text())
def test_short_strings_are_shown_as_python_writes_them(value: str) -> None:
    assert text.quoted(value, len(value)) == repr(value)


@given(st.integers())
def test_integers_up_to_forty_digits_are_whole(value: int) -> None:
    shown = text.integer(value)
    assert shown == str(value) if value.bit_length() <= 133 else "bits" in shown
