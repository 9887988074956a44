"""The record of findings: what is said of all programs of the tests is what was said of them before."""

from __future__ import annotations

import pytest
from recorded import FILE, PARTS, expected_of, record_of, texts


@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_found_in_the_programs_is_what_was_found_before(part: int) -> None:
    assert record_of(part) == expected_of(part)


def test_each_recorded_line_is_of_a_program_that_there_is() -> None:
    assert {line.partition(":")[0] for line in FILE.read_text().splitlines()} - texts().keys() == set()
