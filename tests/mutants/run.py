"""How many mutants of the helper the tests kill: `npm run test:mutants [-- --count 400] [--seed 1] [--only WORD]`.

A mutant is a copy of the helper with one small change. It is killed when a test fails on it; one that survives shows what no
test holds. Of a sample, at least 95 % must be killed, and `explained.toml` must say of each survivor why no test kills it.

With `--list` they are printed, and none is tried. With `--results FILE` each outcome is written there at once, and the next run tries only those that the file does not name as
killed: after a run that was cut short, or, with `--tests` for the new tests alone, after one that found survivors.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomllib
from results import Results
from sample import ROOMS, Mutant, sample
from tree import HELPER, PROJECT, Tree
from trial import Covered, tried

_LEAST_KILLED = 0.95
_EXPLAINED = Path(__file__).with_name("explained.toml")
#: Loaded once for all trials; none of it starts a thread, which would not survive a fork.
_PRELOADED = ("numpy", "pandas", "torch")
#: These look at the source, or at what a child process makes of it, whole; or they run hundreds of programs, each with
#: nearly all lines of the helper, for what the rules say of them.
_NOT_ASKED = ("test_architecture.py", "test_loader.py", "test_zoo.py", "test_findings.py", "test_structures.py")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", default="", help="of the sample, only mutants in whose file, function or lines this stands"
    )
    parser.add_argument("--list", action="store_true", help="print the mutants, and which of them are killed so far")
    parser.add_argument("--tests", nargs="*", help="files; all of the helper's when absent")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many are tried at a time")
    parser.add_argument("--results", type=Path, help="a file to go on from")
    arguments = parser.parse_args()
    results = Results(arguments.results and arguments.results.absolute())
    os.chdir(PROJECT)  # where mutmut looks for what it may change
    mutants = [each for each in sample(HELPER, arguments.count, arguments.seed) if arguments.only in str(each)]
    if arguments.list:
        for each in mutants:
            print(f"killed: {each}" if results.killed(each) else each)
        return 0
    waiting = [each for each in mutants if not results.killed(each)]
    print(f"{len(waiting)} of {len(mutants)} to try", flush=True)
    if waiting:
        _try(waiting, arguments.tests or test_files(), arguments.jobs, results)
    return verdict({mutant: results.killed(mutant) for mutant in mutants})


def _try(mutants: Sequence[Mutant], tests: Sequence[str], jobs: int, results: Results) -> None:
    """Prints survivors as they come."""
    for module in _PRELOADED:
        importlib.import_module(module)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trees = [Tree(Path(folder, str(number))) for number in range(jobs)]
        covered = Covered(trees, tests)
        print(f"{time.monotonic() - started:.0f} s for the tests, without a mutant", flush=True)
        for number, (mutant, killer) in enumerate(tried(trees, covered, mutants), 1):
            results.add(mutant, killer)
            if killer is None:
                print(f"survives: {mutant}", flush=True)
            if number % 20 == 0:
                print(f"{number} of {len(mutants)} tried, {time.monotonic() - started:.0f} s", flush=True)


def test_files() -> list[str]:
    folders = ("tests/python", "tests/contract")
    files = (file for folder in folders for file in sorted(Path(folder).glob("test_*.py")))
    return [str(file) for file in files if file.name not in _NOT_ASKED]


def verdict(killed: Mapping[Mutant, bool]) -> int:
    """Prints how many were killed; 1 where these are too few, or where nobody has said why one survives."""
    for room in ROOMS:
        fates = [dead for mutant, dead in killed.items() if mutant.file.startswith(f"{room}/")]
        print(f"{room:8} {sum(fates)} of {len(fates)} killed")
    share = sum(killed.values()) / len(killed)
    print(f"all      {sum(killed.values())} of {len(killed)} killed: {share:.1%}, goal ≥ {_LEAST_KILLED:.0%}")

    explained = [
        (each["file"], each["function"], each["was"], each["becomes"])
        for each in tomllib.loads(_EXPLAINED.read_text("utf-8"))["survivors"]
    ]
    fates = {mutant.key: dead for mutant, dead in killed.items()}
    for each in explained:
        if fates.get(each):
            print(f"explained, and killed: {each}")
    unexplained = [each for each, dead in fates.items() if not dead and each not in explained]
    for each in unexplained:
        print(f"not explained: {each}")
    return int(share < _LEAST_KILLED or bool(unexplained))


if __name__ == "__main__":
    sys.exit(main())
