"""Every rule through the real adapter: programs with its fault, the same without it, and traps, at their stops.

Of each rule one of each: what the adapter adds is the same for all, which `tests/python/test_findings.py` asks at every line. Many
programs share one session, one after the other, each paused by a breakpoint in its own file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from client import Client
from helper import Helper
from table import PLAYER

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from faults import HEAD, PROGRAMS, with_fault, without_fault
from faults.traps import TRAPS

_SESSIONS = 3  #: among which the programs are dealt out


def some(programs: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """A program of each rule: the latest."""
    latest = {rule: name for name, (rule, _) in programs.items()}
    return {name: programs[name] for name in latest.values()}


#: name: the rules that must be said, the program
TABLE: dict[str, tuple[set[str], str]] = {
    **{f"{name}_faulty": ({rule}, with_fault(text)) for name, (rule, text) in some(PROGRAMS).items()},
    **{f"{name}_clean": (set(), without_fault(text)) for name, (_, text) in some(PROGRAMS).items()},
    **{f"{name}_trap": (set(), without_fault(text)) for name, (_, text) in some(TRAPS).items()},
}


def written(folder: Path, names: list[str]) -> dict[Path, list[int]]:
    """Writes the programs, and gives the lines to stop at."""
    (folder / "programs").mkdir()
    player = folder / "player.py"
    player.write_text(PLAYER, "utf-8")
    breakpoints = {player: [PLAYER[: PLAYER.index("# STOP")].count("\n") + 1]}
    for name in names:
        file, text = folder / "programs" / f"{name}.py", HEAD + TABLE[name][1]
        file.write_text(text, "utf-8")
        mark = "stop()" if "stop()" in text else ".backward()"  # what is asked at every line elsewhere has no stop
        breakpoints[file] = [at for at, line in enumerate(text.splitlines(), 1) if mark in line]
    return breakpoints


def ask(helper: Helper, stop: Any) -> Any:
    """All that "Check This Step" says, however many slices it takes."""
    question: Any = {"lens": "findings", "values": {}, "options": {"thorough": True, "run": True}}
    answer = helper.ask(stop, "lens", **question)
    while not answer["done"]:
        answer = helper.ask(stop, "lens", **question, snapshot=answer["snapshot"], resume=answer["resume"])
    return answer["found"]


def said(client: Client, breakpoints: dict[Path, list[int]]) -> tuple[dict[str, set[str]], list[str]]:
    """The rules that each program's stops said, and those that failed, until the player has ended."""
    player = next(iter(breakpoints))
    found: dict[str, set[str]] = {}
    failed: list[str] = []
    stop = client.launch(player, breakpoints=breakpoints, exceptions=["raised"])
    helper = Helper(client)
    while True:
        frame = client.stack(stop.thread)[0]
        file = Path(frame["source"]["path"])
        if file == player and stop.reason == "breakpoint":
            break
        is_handled = stop.reason == "exception" and not file.stem.endswith("_faulty")  # to explain that is right
        if file != player and not is_handled:  # an exception comes by there once more
            answer = ask(helper, stop)
            found.setdefault(file.stem, set()).update(finding["rule"] for finding in answer["findings"])
            failed += [f"{file.stem}: {one}" for one in answer["skipped"] if "Error" in one["reason"]]
        stop = client.resume(stop.thread)
    client.run_to_end(stop.thread)
    return found, failed


@pytest.mark.parametrize("part", range(_SESSIONS))
def test_a_rule_says_its_fault_and_nothing_of_what_is_right(part: int, tmp_path: Path) -> None:
    names = sorted(TABLE)[part::_SESSIONS]
    with Client() as client:
        found, failed = said(client, written(tmp_path, names))
    assert found == {name: TABLE[name][0] for name in names}
    assert failed == []
