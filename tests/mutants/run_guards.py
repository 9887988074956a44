"""Whether programs hold every rule and every guard of it: `npm run test:guards [-- --only WORD] [--programs WORD]`.

`faults/never.py` says of each rule in which healthy situations it says nothing, and which program is in each. There the rule is
asked at each stop as it is, and once more without each guard that has kept it from speaking (`guards.py`): without one of them it
must speak, else the program is no trap. A guard without which no program is flagged wants one, or no place in the rule, or a reason
in `guards.toml`. A rule is held where a program with its fault is told from one without only by it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import guards
import tomllib
from tree import PROJECT, WorkFolder, each_in_a_child

sys.path[:0] = [str(PROJECT / "pyhelper"), str(PROJECT / "tests/python")]
MARKS = guards.install()

import faulty  # noqa: E402
import test_findings  # noqa: E402
from faults import PROGRAMS, with_fault  # noqa: E402
from faults.never import NEVER  # noqa: E402

from tensor_inspector.lenses.findings import run  # noqa: E402
from tensor_inspector.lenses.findings.rules.numbers.parts import nan_onset  # noqa: E402
from tensor_inspector.lenses.findings.rules.registry import RULES  # noqa: E402

_EXPLAINED = Path(__file__).with_name("guards.toml")
_LIMIT = 200  #: seconds of work at one program
_ENDLESS = 5  #: seconds of work after which a rule without a guard is taken to run for ever
_FOUND = "found.json"
_Ask = Callable[[], tuple["str | None", list[Any]]]
_IDS = frozenset(rule.id for rule in RULES)


@dataclass(frozen=True)
class Program:
    """A healthy text, and the rules for which it is a trap; or one with a fault, and what its test lets be found."""

    name: str
    text: str
    traps: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None


@dataclass
class Verdicts:
    """What one program, or all, tell of guards, by their numbers, and of rules, by their ids."""

    held: dict[int, str] = field(default_factory=dict)  #: by which program
    idle: dict[int, str] = field(default_factory=dict)  #: where it has kept a rule from speaking, and is not missed
    rules: dict[str, str] = field(default_factory=dict)  #: without which another set of rules speaks
    traps: dict[str, str] = field(default_factory=dict)  #: "rule in program": guards without which it is flagged
    breaks: dict[str, str] = field(default_factory=dict)  #: likewise, without which the rule breaks there


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only guards in whose file, function or text this stands")
    parser.add_argument("--programs", default="", help="only programs that match, by their name or a rule")
    parser.add_argument("--say", action="store_true", help="print by which guard each program is held")
    arguments = parser.parse_args()
    started = time.monotonic()
    faulty.warm()
    asked = re.compile(arguments.programs)
    programs = [one for one in _programs() if any(map(asked.search, [one.name, *one.traps]))]
    verdicts = Verdicts()
    with tempfile.TemporaryDirectory() as root:
        folders = [WorkFolder(Path(root, str(number))) for number in range(os.cpu_count() or 1)]
        work = partial(_tell, known=verdicts.held)  # children begin with what is known by then
        for program, folder, status in each_in_a_child(folders, programs, work):
            if status != 0:
                raise RuntimeError(f"{program.name} can't be asked:\n{folder.log}")
            for name, found in json.loads((folder.folder / _FOUND).read_text("utf-8")).items():
                for key, by in found.items():
                    getattr(verdicts, name).setdefault(int(key) if key.isdecimal() else key, by)
    print(f"{len(programs)} programs, {time.monotonic() - started:.0f} s")
    for trap, guard in sorted(verdicts.traps.items()) if arguments.say else ():
        print(f"{trap}, flagged without {guard}")
    return _verdict(verdicts, programs, arguments.only, whole=not arguments.programs)


def _programs() -> list[Program]:
    """The healthy programs of the tests of findings, and those with a fault."""
    traps: dict[str, set[str]] = {}
    for rule, situations in NEVER.items():
        for name in situations.values():
            traps.setdefault(name, set()).add(rule)
    found = [Program(name, text, frozenset(traps.get(name, ()))) for name, text in test_findings.RIGHT.items()]
    for name, expected in test_findings.EXPECTED.items():
        text = (test_findings.FOLDER / "faults" / name / "buggy.py").read_text()
        found.append(Program(f"{name}, faulty", text, allowed=frozenset((*expected["rules"], *expected["allowed"]))))
    for name, (rule, program) in PROGRAMS.items():
        found.append(Program(f"{name}, faulty", faulty.HEAD + with_fault(program), allowed=frozenset([rule])))
    return found


def _tell(program: Program, known: Collection[int]) -> int:
    """Asks where the program marks a stop; where that does not flag it as a trap, at every line and in each round too.

    At last without two guards at a time: a program may be in two situations at once.
    """
    signal.setitimer(signal.ITIMER_PROF, _LIMIT)
    signal.signal(signal.SIGVTALRM, _give_up)
    asked = _Asked(program, known)
    faulty.found_in(program.text, False, True)
    for asked.in_pairs in (False, True):
        for every_line, thorough in ((False, True), (True, False), (True, True)):
            if asked.open():
                faulty.found_in(program.text, every_line, thorough)
    for line in faulty.busy_lines(program.text) if asked.open() else ():
        faulty.found_in(program.text, False, False, line)
    Path(_FOUND).write_text(json.dumps(vars(asked.verdicts)), "utf-8")
    return 0


def _give_up(*_: object) -> None:
    raise TimeoutError("a rule runs for ever")


class _Asked:
    """Stands in for the asking of rules: asks each as it is, and without each guard that kept it from speaking."""

    def __init__(self, program: Program, known: Collection[int]) -> None:
        self.verdicts = Verdicts()
        self.in_pairs = False  #: whether two guards are left out at once
        self._program = program
        self._known = known  #: held by another program
        self._rules: Collection[str] = _IDS  #: that are asked
        ask, findings = run.Asking._ask, run.Asking.findings

        def asked(asking: run.Asking, rule: Any) -> tuple[str | None, list[Any]]:
            if rule.id not in self._rules:
                return None, []
            said, spoke = _ask_without(frozenset(), partial(ask, asking, rule))
            if program.allowed is None:
                for number in spoke:
                    self._leave_out(frozenset([number]), rule.id, partial(ask, asking, rule))
            return said

        def answered(asking: run.Asking) -> Any:
            if program.allowed is not None:
                self._compare(asking._found)
            return findings(asking)

        run.Asking._ask, run.Asking.findings = asked, answered  # type: ignore[method-assign]

    def open(self) -> set[str]:
        """The rules for which this is to be a trap and was not flagged yet: from here on only these are asked."""
        told = {**self.verdicts.traps, **(self.verdicts.breaks if self.in_pairs else {})}
        self._rules = {rule for rule in self._program.traps if self._trap(rule) not in told}
        return self._rules

    def _trap(self, rule: str) -> str:
        return f"{rule} in {self._program.name}"

    def _leave_out(self, numbers: frozenset[int], rule: str, ask: _Ask) -> None:
        """Whether a healthy program is flagged by a rule without some guards, or the rule then breaks."""
        trap = self._trap(rule)
        is_open = rule in self._program.traps and trap not in self.verdicts.traps
        needed = {number for number in numbers if len(numbers) == 1 and MARKS.guards[number].needs_a_trap}
        if not is_open and not needed - self.verdicts.held.keys() - set(self._known):
            return
        (reason, found), spoke = _ask_without(numbers, ask)
        is_broken = reason is not None and "Error" in reason
        if is_broken or found:
            told = self.verdicts.traps if found else self.verdicts.breaks
            told.setdefault(trap, " and ".join(str(MARKS.guards[number]) for number in sorted(numbers)))
        if found or (is_broken and needed):
            self.verdicts.held.update((number, trap) for number in numbers if number not in self.verdicts.held)
        for number in needed - self.verdicts.held.keys():
            self.verdicts.idle.setdefault(number, trap)
        if self.in_pairs and is_open and len(numbers) == 1 and not is_broken and not found:
            for number in spoke:
                self._leave_out(numbers | {number}, rule, ask)

    def _compare(self, found: list[Any]) -> None:
        """Which rules are those without which other rules speak."""
        now = _spoken(found)
        for rule in {one["rule"] for one in found}:
            if now <= (self._program.allowed or now) and _spoken([one for one in found if one["rule"] != rule]) != now:
                self.verdicts.rules.setdefault(rule, self._program.name)


def _ask_without(numbers: frozenset[int], ask: _Ask) -> tuple[tuple[str | None, list[Any]], set[int]]:
    """What a rule says without some guards, and which others then keep it from speaking."""
    nan_onset.onsets.clear()
    MARKS.take()
    MARKS.left_out = numbers
    signal.setitimer(signal.ITIMER_VIRTUAL, _ENDLESS)
    try:
        return ask(), MARKS.take() - numbers
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        MARKS.left_out = frozenset()


def _spoken(found: list[Any]) -> set[str]:
    return {one["rule"] for one in run.folded([{**one, "consequences": []} for one in found])}


def _verdict(verdicts: Verdicts, programs: list[Program], only: str, *, whole: bool) -> int:
    """Prints what is not held; 1 where nobody has said why, or where what was said is no longer so.

    Of some of the programs (not ``whole``) only the guards that they used are judged, and the rules that they are about.
    """
    reasons = tomllib.loads(_EXPLAINED.read_text("utf-8"))["reasons"]
    explained = {guard: each["why"] for each in reasons for guard in each["guards"]}
    wanted = [(number, guard) for number, guard in enumerate(MARKS.guards) if guard.needs_a_trap and only in str(guard)]
    if not whole:
        about = {rule for one in programs for rule in (*one.traps, *(one.allowed or ()))}
        used = {**verdicts.idle, **verdicts.held}
        wanted = [one for one in wanted if used.get(one[0], "").partition(" in ")[0] in about]
    loose = [(number, guard) for number, guard in wanted if number not in verdicts.held]
    bad = [(number, guard) for number, guard in loose if guard.name not in explained]
    for number, guard in bad:
        idle = verdicts.idle.get(number)
        print(f"not held: {guard}")
        print(f"    {f'as {idle}, where the rule is silent without it too' if idle else 'never used'}")
    stale = sorted(explained.keys() - {guard.name for _, guard in loose}) if whole and not only else []
    for name in stale:
        print(f"explained, and held or gone: {name}")
    traps = sorted(f"{rule} in {one.name}" for one in programs for rule in one.traps)
    harmless = [trap for trap in traps if trap not in verdicts.traps and trap not in verdicts.breaks]
    for trap in harmless:
        print(f"no trap: {trap}: leaving out its guards, even two at once, does not make the rule speak")
    rules = _IDS if whole else frozenset().union(*(one.allowed or () for one in programs))
    silent = sorted(rules - verdicts.rules.keys())
    for rule in silent:
        print(f"switched off, and no test fails: {rule}")
    print(f"{len(rules) - len(silent)} of {len(rules)} rules held")
    print(f"{len(traps) - len(harmless)} of {len(traps)} traps flagged without a guard")
    print(f"{len(wanted) - len(loose)} of {len(wanted)} guards held, {len(loose) - len(bad)} explained")
    return int(bool(bad or stale or harmless or silent))


if __name__ == "__main__":
    sys.exit(main())
