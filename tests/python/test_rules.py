"""The catalogue of rules: what each says of itself, and the page that is made of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

import tensor_inspector as ti

ROOT = Path(__file__).parents[2]
ALL = ti.rules()
RECORD = (ROOT / "tests/python/recorded/findings.txt").read_text(encoding="utf-8")


def test_every_rule_is_there_once_with_all_that_it_says() -> None:
    ids = [one["id"] for one in ALL]
    assert len(ids) == len(set(ids)) > 90
    assert {one["subject"] for one in ALL} == {"call", "data", "graph", "look", "loss", "model", "numbers", "optimizer"}


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: str(rule["id"]))
def test_says_what_it_finds_in_a_sentence(rule: dict[str, str]) -> None:
    assert re.fullmatch(r"[A-Z`a-z].{12,220}[.`]", rule["summary"]), rule["summary"]
    assert rule["why"]
    assert rule["suggestion"]


def test_a_rule_of_findings_that_claims_less_says_so_in_every_finding() -> None:
    found = set(re.findall(r": \d+ (?:> )?([\w-]+) (?:error|warning|hint) sure", RECORD))
    likely = {one["id"] for one in ALL if one["tier"] == "likely"}
    assert likely
    assert found
    assert not found & likely


def test_prints_as_a_line() -> None:
    [rule] = [one for one in ALL if one["id"] == "graph-freed"]
    assert repr(rule).startswith("graph-freed (sure, error): A backward")


def test_the_page_is_what_the_rules_say() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from rules_page import PAGE, page
    finally:
        sys.path.pop(0)
    assert PAGE.read_text(encoding="utf-8") == page(), "run npm run rules"
