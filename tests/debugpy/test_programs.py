"""Each program, through the real adapter: what a person sees at its stops, the table of tests/programs/expected.json, and
that it prints the same, to both streams, and ends the same, whether or not everything is asked there."""

from __future__ import annotations

from functools import cache
from typing import Any, Callable

import pytest
from client import Client, Lost, Stop, stop_lines
from helper import Helper, inject_expression
from table import EXPECTED, PROGRAMS, StartSession
from warm import Warm

OUT_OF_MEMORY = "s15_out_of_memory.py"  # its thread ends with an exception, which it prints
HOSTILE = "s24_hostile_objects.py"  # the debugger's own Variables view runs its harmful code, without us too

Ask = Callable[[Client, Stop], None]
Ran = dict[str, Any]


@pytest.fixture(scope="module")
def runs(warm: Warm) -> Callable[[str], tuple[Ran, Ran, dict[str, list[str]]]]:
    """How a program has run with us, asked for everything at its stops, and without, and what was not shown as it must."""

    @cache
    def run_both(program: str) -> tuple[Ran, Ran, dict[str, list[str]]]:
        file = PROGRAMS / program
        markers = {line: marker for marker, line in stop_lines(file).items()}
        wrong: dict[str, list[str]] = {}
        with Client(greeting=inject_expression(stock_views=True)) as with_us, Client() as without:
            for client in (with_us, without):  # both are under way while the first is looked at
                client.start_and_attach(file, breakpoints=list(markers), warm=warm, redirectOutput=True)
            helper = Helper(with_us)

            def everything(client: Client, stop: Stop) -> None:
                if (marker := markers[stop.line]) not in wrong:
                    wrong[marker] = not_as_expected(helper, stop, EXPECTED[program][marker])
                for frame in client.stack(stop.thread):
                    ask_all(
                        helper, Stop(stop.reason, stop.thread, frame["id"], frame["name"], frame["line"], stop.event)
                    )
                if program != HOSTILE:
                    read_stock(client, stop)

            return run(with_us, everything), run(without, lambda *_: None), wrong

    return run_both


@pytest.mark.parametrize(("program", "marker"), [(name, marker) for name in EXPECTED for marker in EXPECTED[name]])
def test_the_tree_shows_what_it_must(runs: Callable[[str], Any], program: str, marker: str) -> None:
    wrong = runs(program)[2][marker]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("program", EXPECTED)
def test_a_program_runs_as_it_would_without_us(runs: Callable[[str], Any], program: str) -> None:
    with_us, without, _ = runs(program)
    print("asked at", with_us["stops"])
    assert with_us == without
    assert without["code"] == 0
    assert bool(without["stderr"]) == (program == OUT_OF_MEMORY)
    assert without["stdout"]
    assert {line for _, line in with_us["stops"]} == set(stop_lines(PROGRAMS / program).values())


def test_no_code_of_hostile_objects_runs(session: StartSession) -> None:
    client, stop = session(HOSTILE)
    for helper in (Helper(client), Helper(client, frameless=True)):
        answer = helper.frame(stop)
        rows = [node["name"] for node in answer["rows"]["nodes"] if "children" in node]
        helper.frame(stop, expanded={name: {} for name in rows})
    assert client.evaluate("sorted(set(runs))", stop.frame)["result"] == "[]"
    assert client.run_to_end(stop.thread) == 0


def not_as_expected(helper: Helper, stop: Stop, table: list[dict[str, Any]]) -> list[str]:
    wrong = []
    for expected in table:
        node = helper.row(stop, expected["row"])
        wrong += [f"{' › '.join(expected['row'])}: {what}" for what in differences(expected, node)]
    return wrong


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


def run(client: Client, ask: Ask) -> dict[str, Any]:
    """Runs to the end, asking at each stop: where it stopped, and what can be seen of the run from outside."""
    stops: list[tuple[str, int]] = []
    while True:
        try:
            stop = client.wait_for_stop()
        except Lost:
            code = client.wait_for_end()
            printed = {"both": client.printed(), "stdout": client.output("stdout"), "stderr": client.output("stderr")}
            return {"stops": stops, "code": code, **printed}
        assert stop.reason == "breakpoint"
        stops.append((stop.function, stop.line))
        ask(client, stop)
        client.continue_(stop.thread)


def ask_all(helper: Helper, stop: Stop) -> None:
    """The frame with all that can be opened opened, two levels deep, all of its pages, and each variable on its own."""
    answer = helper.frame(stop, preferences={"stock_views": True})
    rows = answer["rows"]["nodes"]
    opened: dict[str, Any] = {row["name"]: {} for row in rows if "children" in row}
    wider = helper.frame(stop, expanded=opened)
    for row in wider["rows"]["nodes"]:
        if "page" in row:
            opened[row["name"]] = {"rows": {below["name"]: {} for below in row["page"]["nodes"] if "children" in below}}
    widest = helper.frame(stop, expanded=opened)
    for row in widest["rows"]["nodes"]:
        if "children" in row:
            for below in helper.children(stop, widest["snapshot"], row["id"])["page"]["nodes"]:
                if "children" in below and below["kind"] != "property":
                    helper.children(stop, widest["snapshot"], below["id"])
        if row.get("path"):
            helper.inspect(stop, row["path"])


def read_stock(client: Client, stop: Stop) -> None:
    """The Variables view, two levels deep."""
    for row in client.locals(stop.frame).values():
        if row["variablesReference"]:
            for below in client.variables(row["variablesReference"])[:20]:
                if below["variablesReference"]:
                    client.variables(below["variablesReference"])
