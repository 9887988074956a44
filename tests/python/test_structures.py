"""Every rule finds its fault, and nothing else, however the program is written and whatever its names are.

Of each rule, its programs are dealt out to the structures; with `--every-structure` each is asked in all of them, and all
traps are, not only the latest.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from faults import PROGRAMS, with_fault, without_fault
from faults.traps import TRAPS
from faulty import HEAD, Said, said_of, said_of_each
from renamed import attributes_of, bound_in
from structures import STRUCTURES, in_structure

FOLDER = Path(__file__).parents[1] / "programs"
EXPECTED = json.loads((FOLDER / "faults" / "expected.json").read_text())
HEALTHY = sorted(path.stem for path in (FOLDER / "healthy").glob("*.py"))
AT_EVERY_LINE = (
    "attacked_in_eval_mode",
    "actor_and_critic",
    "two_phases",
    "episode_in_a_function",
    "masked_missing_values",
)


def dealt(programs: dict[str, tuple[str, str]]) -> dict[str, list[str]]:
    """The structures of each program: of each rule, its programs have each structure once before any has it twice."""
    of_rules: dict[str, list[str]] = {}
    for name, (rule, _) in programs.items():
        of_rules.setdefault(rule, []).append(name)
    structures: dict[str, list[str]] = {name: [] for name in programs}
    for names in of_rules.values():
        for turn in range(max(len(names), len(STRUCTURES))):
            structures[names[turn % len(names)]].append(STRUCTURES[turn % len(STRUCTURES)])
    return structures


def dealt_once(programs: dict[str, tuple[str, str]]) -> dict[str, list[str]]:
    """The structures of the latest programs: of each rule no more programs than there are structures."""
    latest: dict[str, list[str]] = {}
    for name, (rule, _) in reversed(programs.items()):
        of_rule = latest.setdefault(rule, [])
        if len(of_rule) < len(STRUCTURES):
            of_rule.append(name)
    return dealt({name: programs[name] for names in latest.values() for name in names})


#: Traps are asked at each of their lines as they are written, see `test_findings`.
TRAPS_DEALT = dealt_once(TRAPS)
DEALT = {
    **dealt(PROGRAMS),
    **TRAPS_DEALT,
    **{name: [STRUCTURES[at % len(STRUCTURES)]] for at, name in enumerate([*EXPECTED, *HEALTHY])},
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.function is test_what_only_looks_like_a_fault_is_none_in_any_structure:
        metafunc.parametrize("name", TRAPS if _are_all_asked(metafunc.config) else TRAPS_DEALT)


def _are_all_asked(config: pytest.Config) -> bool:
    return bool(config.getoption("every_structure", False))


@pytest.fixture
def structures(name: str, request: pytest.FixtureRequest) -> Sequence[str]:
    """Those in which a program is asked."""
    return STRUCTURES if _are_all_asked(request.config) else DEALT[name]


def said_in_each(text: str, structures: Sequence[str]) -> dict[str, Said]:
    return dict(zip(structures, said_of_each([in_structure(text, structure) for structure in structures])))


def rules(said: dict[str, Said]) -> dict[str, tuple[set[str], list[str]]]:
    return {structure: (set(one.rules), one.failed) for structure, one in said.items()}


def assert_nothing_is_said(text: str, structures: Sequence[str]) -> None:
    assert rules(said_in_each(text, structures)) == {structure: (set(), []) for structure in structures}


@pytest.mark.parametrize("programs", [PROGRAMS, TRAPS], ids=["faults", "traps"])
def test_of_each_rule_all_structures_are_asked(programs: dict[str, tuple[str, str]]) -> None:
    asked: dict[str, set[str]] = {rule: set() for rule, _ in programs.values()}
    for name in programs:
        asked[programs[name][0]].update(DEALT.get(name, ()))
    assert [rule for rule, structures in asked.items() if structures != set(STRUCTURES)] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rule_finds_its_fault_and_names_it_in_every_structure(name: str, structures: Sequence[str]) -> None:
    rule, program = PROGRAMS[name]
    said = said_in_each(HEAD + with_fault(program), structures)
    assert rules(said) == {structure: ({rule}, []) for structure in structures}
    for structure, one in said.items():
        names = names_of(in_structure(HEAD + with_fault(program), structure))
        assert all(words(finding) & names for finding in one.found), structure
    assert_nothing_is_said(HEAD + without_fault(program), structures)


def names_of(program: str) -> set[str]:
    """What a program binds, and what a reader of it takes for a name: ``zero_grad`` of a call."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
            found |= {*bound_in(node.body), *attributes_of(node)}
    return found


def words(finding: dict[str, Any]) -> set[str]:
    expressions = [one["expression"] or "" for one in finding["evidence"]]
    return set(re.findall(r"\w+", " ".join([finding["title"], *expressions])))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_fault_is_found_first_in_every_structure(name: str, structures: Sequence[str]) -> None:
    expected = EXPECTED[name]
    for structure, said in said_in_each((FOLDER / "faults" / name / "buggy.py").read_text(), structures).items():
        assert said.failed == []
        assert said.rules != [], structure
        assert said.rules[0] in expected["rules"], structure
        assert set(said.rules) <= {*expected["rules"], *expected["allowed"]}, structure


@pytest.mark.parametrize("name", [*EXPECTED, *HEALTHY])
def test_a_healthy_program_is_so_in_every_structure(name: str, structures: Sequence[str]) -> None:
    path = FOLDER / "healthy" / f"{name}.py" if name in HEALTHY else FOLDER / "faults" / name / "clean.py"
    assert_nothing_is_said(path.read_text(), structures)


def test_what_only_looks_like_a_fault_is_none_in_any_structure(name: str, structures: Sequence[str]) -> None:
    assert_nothing_is_said(HEAD + without_fault(TRAPS[name][1]), structures)


@pytest.mark.parametrize("name", AT_EVERY_LINE)
@pytest.mark.parametrize("structure", STRUCTURES)
def test_nor_at_any_line(name: str, structure: str) -> None:
    said = said_of(in_structure(HEAD + without_fault(TRAPS[name][1]), structure), every_line=True, thorough=False)
    assert (said.rules, said.failed) == ([], [])


def test_a_script_has_what_a_class_does_at_its_top_level() -> None:
    text = """
def train(stop):
    class Engine:
        def __init__(self, rate):
            self.net = nn.Linear(2, 1)
            self.o = torch.optim.SGD(self.net.parameters(), lr=rate)
        def turn(self, x):
            self.o.zero_grad()
            c = self.net(x).mean()
            c.backward()
            self.o.step()
    engine = Engine(0.1)
    for _ in range(2):
        engine.turn(torch.randn(4, 2))
"""
    script = """rate = 0.1
net = nn.Linear(2, 1)
o = torch.optim.SGD(net.parameters(), lr=rate)
for _ in range(2):
    x = torch.randn(4, 2)
    o.zero_grad()
    c = net(x).mean()
    c.backward()
    o.step()
"""
    function = """def fit():
    rate = 0.1
    net = nn.Linear(2, 1)
    o = torch.optim.SGD(net.parameters(), lr=rate)
    for _ in range(2):
        x = torch.randn(4, 2)
        o.zero_grad()
        c = net(x).mean()
        c.backward()
        o.step()

def main():
    fit()
main()
"""
    in_class = """class Trainer:

    def __init__(self):
        rate = 0.1
        self.net = nn.Linear(2, 1)
        self.o = torch.optim.SGD(self.net.parameters(), lr=rate)

    def fit(self):
        for _ in range(2):
            x = torch.randn(4, 2)
            self.o.zero_grad()
            c = self.net(x).mean()
            c.backward()
            self.o.step()
Trainer().fit()
"""
    expected = {"script": script, "function": function, "class": in_class}
    assert {name: in_structure(text, name).strip() for name in expected} == {k: v.strip() for k, v in expected.items()}
    neutral = in_structure(text, "neutral")
    for name in ("rate", "net", "engine", "turn"):
        assert not re.search(rf"(?<![.\w]){name}(?!\w)", neutral)
    assert neutral.count("\n") == script.count("\n")
