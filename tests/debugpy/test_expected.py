"""What a person sees in each program, through real debugpy: the table of tests/programs/expected.json."""

from __future__ import annotations

from typing import Any

import pytest
from helper import Helper
from table import EXPECTED, StartSession

CASES = [(name, marker) for name, stops in EXPECTED.items() for marker in stops]


@pytest.mark.parametrize(("program", "marker"), CASES)
def test_the_tree_shows_what_it_must(session: StartSession, program: str, marker: str) -> None:
    client, stop = session(program, marker)
    helper = Helper(client)
    wrong = []
    for expected in EXPECTED[program][marker]:
        node = helper.row(stop, expected["row"])
        wrong += [f"{' › '.join(expected['row'])}: {what}" for what in differences(expected, node)]
    assert not wrong, "\n".join(wrong)


def differences(expected: dict[str, Any], node: dict[str, Any]) -> list[str]:
    names = [child["name"] for child in node["page"]["nodes"]]
    short = node.get("short", node["line"])
    return [
        *(f"no {part!r} in {node['line']!r}" for part in expected.get("line", []) if part not in node["line"]),
        *(f"{part!r} in {node['line']!r}" for part in expected.get("not", []) if part in node["line"]),
        *([f"in short {short!r}"] if short != expected.get("short", short) else []),
        *(f"no badge {badge}" for badge in expected.get("badges", []) if badge not in node.get("badges", [])),
        *([f"mark {node.get('mark')}"] if "mark" in expected and node.get("mark") != expected["mark"] else []),
        *([f"children {names}"] if "children" in expected and names != expected["children"] else []),
    ]


@pytest.mark.parametrize("frameless", [False, True])
def test_no_code_of_hostile_objects_runs(session: StartSession, frameless: bool) -> None:
    client, stop = session("s24_hostile_objects.py")
    helper = Helper(client, frameless=frameless)
    answer = helper.frame(stop)
    rows = [node["name"] for node in answer["rows"]["nodes"] if "children" in node]
    helper.frame(stop, expanded={name: {} for name in rows})
    assert client.evaluate("sorted(set(runs))", stop.frame)["result"] == "[]"
    assert client.run_to_end(stop.thread) == 0
