"""The record of findings: what is said at every marked stop of all programs of the tests, as text, a line a finding.

    PYTHONPATH=pyhelper:tests/python python tests/python/recorded.py

writes it anew to `recorded/findings.txt`. A change of the helper shows its difference there. A healthy program has no
line: of these the small programs stand here, and `test_findings` asks all others, which must be silent at every line.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from faults import HEAD, PROGRAMS, call, with_fault
from faulty import found_in, warm
from forked import answered_in_child

FILE = Path(__file__).parent / "recorded" / "findings.txt"
PARTS = 8  #: in which the programs are run, each in a process of its own
_FOLDER = Path(__file__).parents[1] / "programs"


def texts() -> dict[str, str]:
    """All programs by their names."""
    pairs = [path for path in sorted((_FOLDER / "faults").iterdir()) if path.is_dir()]
    return {
        **{f"{path.name} (pair)": (path / "buggy.py").read_text() for path in pairs},
        **{f"{path.name} (pair, clean)": (path / "clean.py").read_text() for path in pairs},
        **{f"{path.stem} (healthy)": path.read_text() for path in sorted((_FOLDER / "healthy").glob("*.py"))},
        **{name: HEAD + with_fault(program) for name, (_, program) in PROGRAMS.items()},
        **{f"{name} (foreseen)": HEAD + with_fault(program) for name, program in call.FORESEEN.items()},
    }


def record_of(part: int) -> list[str]:
    """The lines of every `PARTS`-th program, from ``part`` on."""
    warm()
    answer = answered_in_child(lambda: [line for name, text in _texts_of(part) for line in _lines(name, text)])
    assert isinstance(answer, list), answer
    return answer


def expected_of(part: int) -> list[str]:
    """The recorded lines of the same programs."""
    names = {name for name, _ in _texts_of(part)}
    return [line for line in FILE.read_text().splitlines() if line.partition(":")[0] in names]


def _texts_of(part: int) -> list[tuple[str, str]]:
    return list(texts().items())[part::PARTS]


def _lines(name: str, text: str) -> Iterator[str]:
    """What is said of a program. It runs in a thread of its own: only its own frames are in sight, and grad mode is its own."""
    said: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: said.append(found_in(text, False, False)))
    thread.start()
    thread.join()
    torch.set_default_dtype(torch.float32)
    for finding in said[0]["found"]:
        yield from (f"{name}: {line}" for line in _told(finding, finding["stopped"], ""))
    yield from (f"{name}: failed {reason}" for reason in said[0]["failed"])


def _told(finding: dict[str, Any], stopped: int, indent: str) -> Iterator[str]:
    source = finding["source"]
    at = "" if source is None else f" line {source['line']}"
    yield f"{stopped} {indent}{finding['rule']} {finding['severity']} {finding['tier']}{at} | {finding['title']}"
    for below in finding["consequences"]:
        yield from _told(below, stopped, f"{indent}> ")


def written() -> str:
    """The record of all programs, in their order."""
    lines = [line for part in range(PARTS) for line in record_of(part)]
    order = {name: number for number, name in enumerate(texts())}
    return "\n".join(sorted(lines, key=lambda line: order[line.partition(":")[0]])) + "\n"


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(written())
