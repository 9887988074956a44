"""Tests of what runs tests in forked children."""

from __future__ import annotations

import os
import sys
import warnings

import pytest
from forked import answered_in_child, printed_in_child

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")


def test_no_warning_about_threads_fails_the_test_that_forks() -> None:
    def work() -> None:
        sys.unraisablehook = sys.__unraisablehook__  # pytest's fails the test of its own process
        os.register_at_fork(before=lambda: warnings.warn("threads", RuntimeWarning, stacklevel=1))
        assert answered_in_child(lambda: 3) == 3

    assert printed_in_child(work) == ""


def test_what_is_raised_in_a_child_is_told() -> None:
    def work() -> None:
        raise KeyError("lost")

    assert answered_in_child(work) == "KeyError: 'lost'"
    with pytest.raises(AssertionError, match="lost"):
        printed_in_child(work)


def test_a_child_that_dies_is_told() -> None:
    assert answered_in_child(lambda: os._exit(3)) == "it died"
    with pytest.raises(AssertionError):
        printed_in_child(lambda: os._exit(3))
