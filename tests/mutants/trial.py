"""Which tests run which lines of the helper, and whether they fail on a mutant."""

from __future__ import annotations

import faulthandler
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import coverage
import pytest
from sample import Mutant
from tree import HELPER, Tree, each_in_a_child

#: Tests that end code of the program, which they can't while a tracer runs: they count as running all of these files.
UNTRACED = {
    "tests/python/test_interruption.py": ["stop/interruption.py"],
    "tests/python/test_program_code.py": ["stop/program_code.py", "stop/interruption.py"],
}
#: Seconds that a test may take on a mutant: so many, and so many times what it takes.
_AT_LEAST, _TIMES = 10.0, 10.0
_LOADING = 5.0  #: seconds, of a file of tests
_LIKELY = 8  #: tests that killed mutants of the same file, to be tried first
_TRACED = 120.0  #: seconds that a test may take while lines are counted
_FOUND = Path("found.json")
_RUNNING = Path("running.txt")  #: which test runs, or at last ran, on a mutant
_QUIET = ["--no-header", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--hypothesis-seed=0"]
_NOT_RUN = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)


class Covered:
    """Which tests run which lines, and how long each takes."""

    def __init__(self, trees: Sequence[Tree], files: Iterable[str]) -> None:
        self.seconds: dict[str, float] = {}
        self._tests: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._lines = Counter[str]()  #: how many lines each test runs
        self._killers: defaultdict[str, Counter[str]] = defaultdict(
            Counter
        )  #: of mutants of a file: which tests, how many
        for file, tree, status in each_in_a_child(trees, files, _cover):
            if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
                raise RuntimeError(f"{file} can't be run without a mutant:\n{tree.log}")
            found = json.loads((tree.folder / _FOUND).read_text("utf-8"))
            for test in found["failed"]:
                print(f"fails without a mutant, and is left out: {test}", flush=True)
            self.seconds |= found["seconds"]
            for module in UNTRACED.get(file, []):
                self._tests[module][0] |= found["seconds"].keys()
            for module, lines in found["tests"].items():
                for line, tests in lines.items():
                    self._tests[module][int(line)].update(tests)
                    self._lines.update(tests)

    def killed(self, mutant: Mutant, test: str) -> None:
        """That test is among the first for further mutants of the file."""
        self._killers[mutant.file][test] += 1

    def tests(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """The tests that run what changes, or else the function that it stands in: the most likely to fail, then the others.

        Those that killed mutants of the same file are likely to fail. Of the others those that run least of the helper are
        the first: what they look at is what changes.
        """
        by_line = self._tests[mutant.file]
        for lines in mutant.lines, mutant.function_lines:
            tests = by_line[0].union(*(by_line[line] for line in lines)) & self.seconds.keys()
            if tests:
                break
        likely = [test for test, _ in self._killers[mutant.file].most_common() if test in tests][:_LIKELY]
        return likely, sorted(tests.difference(likely), key=lambda test: (self._lines[test], test))


class _Clock:
    """Pytest's plugin: how long each test takes, and which one runs when a line is."""

    def __init__(self, tracer: coverage.Coverage | None) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failed: set[str] = set()
        self._tracer = tracer

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        faulthandler.dump_traceback_later(_TRACED, exit=True)
        if self._tracer:
            self._tracer.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)
        self.seconds[report.nodeid] += report.duration


def _cover(file: str) -> int:
    helper = HELPER.resolve()
    tracer = None if file in UNTRACED else coverage.Coverage(data_file=None, config_file=False, source=[str(helper)])
    if tracer:
        tracer.start()
    clock = _Clock(tracer)
    status = pytest.main([*_QUIET, file], plugins=[clock])
    tests = {}
    if tracer:
        tracer.stop()
        data = tracer.get_data()
        tests = {
            Path(measured).relative_to(helper).as_posix(): data.contexts_by_lineno(measured)
            for measured in data.measured_files()
        }
    seconds = {test: took for test, took in clock.seconds.items() if test not in clock.failed}
    _FOUND.write_text(json.dumps({"seconds": seconds, "failed": [*clock.failed], "tests": tests}), "utf-8")
    return status


class _Chosen:
    """Pytest's plugin: runs these tests alone, in this order, each for no longer than it may take."""

    def __init__(self, tests: Sequence[str], seconds: Mapping[str, float]) -> None:
        self._order = {test: at for at, test in enumerate(tests)}
        self._seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = (item for item in items if item.nodeid in self._order)
        items[:] = sorted(chosen, key=lambda item: self._order[item.nodeid])

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        _RUNNING.write_text(item.nodeid, "utf-8")
        _end_after(self._seconds[item.nodeid])


def _end_after(seconds: float) -> None:
    faulthandler.dump_traceback_later(_AT_LEAST + _TIMES * seconds, exit=True)


def tried(trees: Sequence[Tree], covered: Covered, mutants: Iterable[Mutant]) -> Iterator[tuple[Mutant, str | None]]:
    """Each mutant as soon as its fate is known, with the test that killed it, or the file that can't be loaded with it."""

    def kill(mutant: Mutant) -> int:
        (HELPER / mutant.file).write_text(mutant.text, "utf-8")
        return next((status for tests in covered.tests(mutant) if (status := _status(tests, covered.seconds)) != 0), 0)

    for mutant, tree, status in each_in_a_child(trees, mutants, kill):
        if status in _NOT_RUN:
            raise RuntimeError(f"{mutant} was not tried:\n{tree.log}")
        tree.restore(mutant.file)
        killer = (tree.folder / _RUNNING).read_text("utf-8") if status != 0 else None
        if killer is not None:
            covered.killed(mutant, killer)
        yield mutant, killer


def _status(tests: Sequence[str], seconds: Mapping[str, float]) -> int:
    """Pytest's, of the first file in which a test fails; 0 where none does."""
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for test in tests:
        by_file[test.partition("::")[0]].append(test)
    for file, chosen in by_file.items():
        _RUNNING.write_text(file, "utf-8")
        _end_after(_LOADING)  # what is loaded may run the mutant too
        status = pytest.main([*_QUIET, "--exitfirst", file], plugins=[_Chosen(chosen, seconds)])
        if status != 0:
            return status
    return 0
