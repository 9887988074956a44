"""Which guards of the rules a program holds: `npm run test:guards [-- --only WORD]`.

At each stop of the faulty and healthy programs every rule is asked as it is, and once more without each guard that has kept it
from speaking. A guard is held where a test would fail without it; `guards.toml` must say of each other one why none does. A
rule is held where a program with its fault is told from one without only by it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import guards
import tomllib
from tree import PROJECT, Place, each_in_a_child

sys.path[:0] = [str(PROJECT / "pyhelper"), str(PROJECT / "tests/python")]
MARKS = guards.install()

import faulty  # noqa: E402
import test_findings  # noqa: E402
from faults import PROGRAMS, with_fault  # noqa: E402
from faults.traps import TRAPS  # noqa: E402

from tensor_inspector.lenses.findings import run  # noqa: E402
from tensor_inspector.lenses.findings.rules.numbers import begin  # noqa: E402
from tensor_inspector.lenses.findings.rules.registry import RULES  # noqa: E402

_EXPLAINED = Path(__file__).with_name("guards.toml")
_LIMIT = 900  #: seconds of one program
_ENDLESS = 5  #: seconds of work after which a rule without a guard is taken to run for ever
_FOUND = "found.json"


@dataclass(frozen=True)
class Program:
    """A text, the ways in which the tests ask at its stops, and what they let be found: in a healthy one nothing."""

    name: str
    text: str
    ways: tuple[tuple[bool, bool], ...]  #: at every line, thorough
    rounds: bool = False
    allowed: frozenset[str] = frozenset()


@dataclass
class Told:
    """What one program, or all, tell of guards and rules, by their numbers and ids."""

    held: dict[int, str] = field(default_factory=dict)  #: by which program
    idle: dict[int, str] = field(
        default_factory=dict
    )  #: kept a rule from speaking, and without it nothing else is said
    rules: dict[str, str] = field(default_factory=dict)  #: without which another set of rules speaks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only",
        default="",
        help="only guards in whose file, function or text this stands",
    )
    parser.add_argument("--programs", default="", help="only programs in whose name this stands")
    parser.add_argument("--quick", action="store_true", help="only at the stops that programs mark")
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        help="begin no further program after so many",
    )
    arguments = parser.parse_args()
    started = time.monotonic()
    faulty.warm()
    programs = [program for program in _programs() if arguments.programs in program.name]
    if arguments.quick:
        programs = [replace(program, ways=program.ways[:1], rounds=False) for program in programs]
    told = Told()  # children begin with what is known by then
    with tempfile.TemporaryDirectory() as folder:
        places = [Place(Path(folder, str(number))) for number in range(os.cpu_count() or 1)]
        for number, (program, place, status) in enumerate(
            each_in_a_child(
                places,
                _until(started + arguments.seconds, programs),
                partial(_tell, known=told.held),
            ),
            1,
        ):
            if status != 0:
                raise RuntimeError(f"{program.name} can't be asked:\n{place.log}")
            for name, found in json.loads((place.folder / _FOUND).read_text("utf-8")).items():
                known = getattr(told, name)
                for key, by in found.items():
                    known.setdefault(key if name == "rules" else int(key), by)
            if number % 20 == 0:
                print(
                    f"{number} of {len(programs)} programs, {len(told.held)} guards held",
                    flush=True,
                )
    print(f"{number} programs, {time.monotonic() - started:.0f} s")
    return _verdict(told, arguments.only)


def _until(end: float, programs: Iterable[Program]) -> Iterator[Program]:
    for program in programs:
        if time.monotonic() > end:
            print(f"the time is over before {program.name}, and those that are longer")
            return
        yield program


def _programs() -> list[Program]:
    """All programs of the tests of findings, each as they ask about it; the shortest first."""
    healthy = ((False, True), (True, False))
    trap = (*healthy, (True, True))
    found = []
    for name, text in test_findings.LONG.items():
        found.append(Program(name, text, trap if name in TRAPS else healthy, rounds=True))
    for name, expected in test_findings.EXPECTED.items():
        text = (test_findings.FOLDER / "faults" / name / "buggy.py").read_text()
        allowed = frozenset((*expected["rules"], *expected["allowed"]))
        found.append(Program(f"{name} with its fault", text, ((False, True),), allowed=allowed))
    for name, (rule, program) in PROGRAMS.items():
        text = faulty.HEAD + with_fault(program)
        found.append(
            Program(
                f"{name} with its fault",
                text,
                ((False, True),),
                allowed=frozenset([rule]),
            )
        )
    return sorted(found, key=lambda program: len(program.text) * len(program.ways))


def _tell(program: Program, known: Mapping[int, str]) -> int:
    signal.alarm(_LIMIT)
    signal.signal(signal.SIGVTALRM, _give_up)
    asked = _Asked(program, known)
    for every_line, thorough in program.ways:
        faulty.found_in(program.text, every_line, thorough)
    for line in faulty.busy_lines(program.text) if program.rounds else ():
        faulty.found_in(program.text, False, False, line)
    Path(_FOUND).write_text(json.dumps(vars(asked.told)), "utf-8")
    return 0


def _give_up(*_: object) -> None:
    raise TimeoutError("a rule runs for ever")


class _Asked:
    """Stands in for the asking of rules: asks each as it is, and without each guard that kept it from speaking."""

    def __init__(self, program: Program, known: Mapping[int, str]) -> None:
        self.told = Told()
        self._program = program
        self._known = known  #: held by another program
        self._others: defaultdict[int, list[tuple[int, str, str | None, list[Any]]]] = defaultdict(list)
        ask, findings, others = run.Asking._ask, run.Asking.findings, self._others

        def asked(asking: run.Asking, rule: Any) -> tuple[str | None, list[Any]]:
            begin.begins.clear()
            MARKS.take()
            said = ask(asking, rule)
            for number in MARKS.take() - self.told.held.keys() - self._known.keys():
                begin.begins.clear()
                MARKS.left_out = number
                signal.setitimer(signal.ITIMER_VIRTUAL, _ENDLESS)
                other = ask(asking, rule)
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                MARKS.left_out = None
                self.told.idle.setdefault(number, program.name)
                if other != said:
                    others[id(asking)].append((number, rule.id, *other))
            return said

        def answered(asking: run.Asking) -> Any:
            self._judge(asking)
            return findings(asking)

        run.Asking._ask, run.Asking.findings = asked, answered  # type: ignore[method-assign]

    def _judge(self, asking: run.Asking) -> None:
        """Which of the other answers would make the test of this program fail."""
        found, allowed = asking._found, self._program.allowed
        for number, rule, reason, other in self._others.pop(id(asking), ()):
            spoken = self._spoken([one for one in found if one["rule"] != rule] + other)
            if (reason is not None and "Error" in reason) or not spoken <= allowed:
                self.told.held.setdefault(number, self._program.name)
        now = self._spoken(found)
        for rule in {one["rule"] for one in found}:
            if self._spoken([one for one in found if one["rule"] != rule]) != now:
                self.told.rules.setdefault(rule, self._program.name)

    @staticmethod
    def _spoken(found: list[Any]) -> set[str]:
        return {one["rule"] for one in run.folded([{**one, "consequences": []} for one in found])}


def _verdict(told: Told, only: str) -> int:
    """Prints what is not held; 1 where nobody has said why, or where what was said is no longer so."""
    explained = {
        (each["file"], each["function"], each["guard"]): each["why"]
        for each in tomllib.loads(_EXPLAINED.read_text("utf-8"))["guards"]
    }
    wanted = [(number, guard) for number, guard in enumerate(MARKS.guards) if only in str(guard)]
    loose = [(number, guard) for number, guard in wanted if number not in told.held]
    bad = [(number, guard) for number, guard in loose if (guard.file, guard.function, guard.text) not in explained]
    for number, guard in bad:
        idle = told.idle.get(number)
        print(
            f"not held: {guard}\n    {f'as in {idle}, where without it nothing else is said' if idle else 'never used'}"
        )
    known = {(guard.file, guard.function, guard.text) for _, guard in loose}
    stale = [each for each in explained if each not in known] if not only else []
    for each in stale:
        print(f"explained, and held or gone: {' '.join(each)}")
    silent = [rule.id for rule in RULES if rule.id not in told.rules]
    for rule in silent:
        print(f"switched off, and no test fails: {rule}")
    print(f"{len(wanted) - len(loose)} of {len(wanted)} guards held, {len(loose) - len(bad)} explained")
    print(f"{len(RULES) - len(silent)} of {len(RULES)} rules held")
    return int(bool(bad or stale or silent))


if __name__ == "__main__":
    sys.exit(main())
