"""The catalogue of rules: what each says of itself, and the page that is made of it."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("torch")

from faulty import Said, said_of_each
from rule_examples import AROUND, IN_EACH_ROUND, NOT_RUN, STILL_TOLD, program_of

import tensor_inspector as ti
from tensor_inspector.lenses.explain.explain import EXPLAINED
from tensor_inspector.lenses.findings.rule import Rule
from tensor_inspector.lenses.findings.rules.registry import RULES

ROOT = Path(__file__).parents[2]
ALL = ti.rules()
FOLDER = ROOT / "pyhelper/tensor_inspector/lenses/findings/rules"
SUBJECTS = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "__init__.py").exists())
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


#: What the file of a rule says, in this order: what it finds in a sentence, why that matters, and programs with and without it.
DOCSTRING = re.compile(
    r"(?P<summary>[A-Za-z][^\n]+\.)\n\n"
    r"Why: (?P<why>.+?)\n\n"
    r"Example:\n(?P<example>(?:    [^\n]+\n|\n)+)\n"
    r"Instead:\n(?P<instead>(?:    [^\n]+\n|\n)+)\n"
    r"Silent when:\n(?P<silent>(?:    (?:- |  )[^\n]+\n)+)",
    re.DOTALL,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_rule_has_a_file_of_its_name_that_says_all_of_it(rule: Rule) -> None:
    file = Path(rule.check.__code__.co_filename)
    assert file.relative_to(FOLDER).parts[1:] == (f"{rule.id.replace('-', '_')}.py",)
    said = DOCSTRING.fullmatch(rule.check.__globals__["__doc__"])
    assert said is not None, "say what it finds, Why, Example, Instead, Silent when"
    assert len(said["summary"].split()) <= 15
    assert " ".join(said["why"].split()).startswith(rule.why)
    assert said["example"] != said["instead"]


def _ids(said: Said) -> set[str]:
    """The rules of what was found, and of what follows from it."""
    return {one["rule"] for finding in said.found for one in (finding, *finding["consequences"])}


def test_every_rule_has_a_step_for_its_example_or_a_reason_why_not() -> None:
    assert AROUND.keys() ^ NOT_RUN.keys() == {rule.id for rule in RULES}


@pytest.mark.parametrize("id", AROUND)
def test_the_example_of_a_rule_is_told_and_of_what_stands_instead_nothing(id: str) -> None:
    [rule] = [rule for rule in RULES if rule.id == id]
    said = DOCSTRING.fullmatch(rule.check.__globals__["__doc__"])
    assert said is not None
    programs = [program_of(id, textwrap.dedent(said[part]).strip("\n")) for part in ("example", "instead")]
    example, instead = said_of_each(programs, every_line=id not in IN_EACH_ROUND)
    assert id in _ids(example), example.raised
    assert _ids(instead) == STILL_TOLD.get(id, set())
    assert not example.failed
    assert not instead.failed
    assert not instead.raised


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_folder_of_rules_holds_nothing_else(subject: str) -> None:
    files = {file.stem for file in (FOLDER / subject).glob("*.py")} - {"__init__"}
    assert files == {rule.check.__name__ for rule in RULES if f".{subject}." in rule.check.__module__}


def test_what_follows_from_a_rule_are_other_rules() -> None:
    known = {rule.id for rule in RULES} | EXPLAINED.keys()
    for rule in RULES:
        assert known.issuperset(rule.causes), rule.id
        assert rule.id not in rule.causes or len(rule.causes) > 5, rule.id  # one of a group


def test_a_rule_of_findings_that_claims_less_says_so_in_every_finding() -> None:
    found = set(re.findall(r": \d+ (?:> )?([\w-]+) (?:error|warning|hint) sure", RECORD))
    likely = {one["id"] for one in ALL if one["tier"] == "likely"}
    assert likely
    assert found
    assert not found & likely


def _claims(rule: Rule) -> list[str]:
    """What each violation in the file of a rule says of how certain it is, as it is written; "True" where it says nothing."""
    calls = [
        node
        for node in ast.walk(ast.parse(Path(rule.check.__code__.co_filename).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Violation"
    ]
    said = [{one.arg: ast.unparse(one.value) for one in call.keywords} for call in calls]
    return [one.get("certain", "True") for one in said]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_rule_that_is_never_certain_says_so_once_in_its_tier(rule: Rule) -> None:
    claims = _claims(rule)
    assert claims
    assert set(claims) == {"True"} if rule.tier == "likely" else set(claims) != {"False"}


def test_prints_as_a_line() -> None:
    [rule] = [one for one in ALL if one["id"] == "graph-freed"]
    assert repr(rule).startswith("graph-freed (sure, error): A backward")


def test_the_pages_are_what_the_rules_say() -> None:
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from rules_page import DOCS, pages
    finally:
        sys.path.pop(0)
    written = {path: path.read_text(encoding="utf-8") for path in (DOCS / "rules.md", *(DOCS / "rules").glob("*.md"))}
    assert written == pages(), "run npm run rules"
    linked = {path.stem for path in written} - {"rules"}
    assert linked == {rule["id"] for rule in ALL} | EXPLAINED.keys(), "a finding links to the page of its rule"


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: str(rule["id"]))
def test_a_page_has_an_example_and_when_it_is_told_or_how_rare_it_is(rule: dict[str, str]) -> None:
    page = (ROOT / "docs/rules" / f"{rule['id']}.md").read_text(encoding="utf-8")
    last = "How rare" if rule["tier"] == "look" else "Silent when"
    assert re.findall("^## (.+)$", page, re.M) in (["Example", "Instead", last], ["Example", last])
    assert not re.search(r"\\_|^`[^`]+`$", page, re.M), "a name is code; the first sentence is none"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.id))
def test_a_page_says_who_asks_its_rule_where_not_everybody_does(rule: Rule) -> None:
    page = (ROOT / "docs/rules" / f"{rule.id}.md").read_text(encoding="utf-8")
    for need in ("thorough", "run"):
        assert (f"`findings({need}=True)` asks it" in page) == (need in rule.needs)
