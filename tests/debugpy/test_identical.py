"""Each program prints the same, to both streams, and ends the same, whether or not everything is asked at all its stops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
from client import Client, Lost, Stop, stop_lines
from helper import Helper, inject_expression
from table import EXPECTED, PROGRAMS

FILES = [PROGRAMS / name for name in sorted(EXPECTED)]  # others raise on purpose, in threads that the debugger counts
HOSTILE = "s24_hostile_objects"  # the debugger's own Variables view runs its harmful code, without us too

Ask = Callable[[Client, Stop], None]


@pytest.fixture
def clients() -> Iterator[tuple[Client, Client]]:
    """With us, in from the beginning, and without."""
    with Client(greeting=inject_expression(stock_views=True)) as one, Client() as other:
        yield one, other


@pytest.mark.parametrize("program", FILES, ids=lambda file: file.stem)
def test_a_program_runs_as_it_would_without_us(clients: tuple[Client, Client], program: Path) -> None:
    for client in clients:  # both are under way while the first is looked at
        client.start(program, breakpoints=stop_lines(program).values())
    asked = Helper(clients[0])

    def everything(client: Client, stop: Stop) -> None:
        for frame in client.stack(stop.thread):
            ask_all(asked, Stop(stop.reason, stop.thread, frame["id"], frame["name"], frame["line"], stop.event))
        if program.stem != HOSTILE:
            read_stock(client, stop)

    with_us, without = run(clients[0], everything), run(clients[1], lambda *_: None)
    print("asked at", with_us["stops"])
    assert with_us == without
    assert with_us["code"] == 0
    assert {line for _, line in with_us["stops"]} == set(stop_lines(program).values())


def run(client: Client, ask: Ask) -> dict[str, Any]:
    """Runs to the end, asking at each stop: where it stopped, and what can be seen of the run from outside."""
    stops: list[tuple[str, int]] = []
    while True:
        try:
            stop = client.wait_for_stop()
        except Lost:
            code = client.wait_for_end()
            return {"stops": stops, "stdout": client.output("stdout"), "stderr": client.output("stderr"), "code": code}
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
