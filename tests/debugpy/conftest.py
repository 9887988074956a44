"""Sessions for the tests: real programs, the real adapter, and every process ended whatever happens."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from client import Client, Stop, stop_lines
from helper import Helper
from table import PROGRAMS, Start, StartSession
from warm import Warm

_IMPORTS_TORCH = re.compile(r"^\s*(import|from) torch\b", re.MULTILINE)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: in a quarter of its time a session waits, for its adapter or its program."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests about one run of a program come one after the other: to a worker that has run it, wherever work is divided."""
    at: dict[object, int] = {}

    def place(item: Any) -> int:
        params = getattr(getattr(item, "callspec", None), "params", {})
        is_about_run = "runs" in getattr(item, "fixturenames", ())
        return at.setdefault(params.get("program", item) if is_about_run else item, len(at))

    items.sort(key=place)


@pytest.fixture
def session() -> Iterator[StartSession]:
    """Debugs a program, by name under tests/programs or by path, up to the line with this marker."""
    clients: list[Client] = []

    def start(program: str | Path, marker: str = "", **options: Any) -> tuple[Client, Stop]:
        file = PROGRAMS / program
        client = Client()
        clients.append(client)
        return client, client.launch(file, breakpoints=[stop_lines(file)[marker]], **options)

    yield start
    for client in clients:
        client.close()


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    one = Warm()
    yield one
    one.close()


@pytest.fixture
def start(tmp_path: Path, warm: Warm) -> Iterator[Start]:
    """Runs a program up to its `# STOP`; `frameless` asks as in a process that uses torch.compile."""
    with ExitStack() as sessions:

        def run(source: str, *, frameless: bool = False, **options: Any) -> tuple[Client, Stop, Helper]:
            client = sessions.enter_context(Client())
            return client, launch(client, tmp_path, source, warm, **options), Helper(client, frameless=frameless)

        yield run


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory, warm: Warm) -> Iterator[Start]:
    """As `start`, in one session for the tests of a file that give the same source: what they look at stays as it is."""
    standing: dict[str, tuple[Client, Stop, Helper]] = {}
    with ExitStack() as sessions:

        def run(source: str, *, frameless: bool = False, **options: Any) -> tuple[Client, Stop, Helper]:
            assert not options, "they would hold for the first test alone"
            if source not in standing:
                client = sessions.enter_context(Client())
                stop = launch(client, tmp_path_factory.mktemp("paused"), source, warm)
                standing[source] = client, stop, Helper(client)
                standing[source][2].inject(stop)
            client, stop, first = standing[source]
            helper = Helper(client, frameless=frameless)
            helper.injected = first.injected
            return client, stop, helper

        yield run


def launch(client: Client, folder: Path, source: str, warm: Warm, **options: Any) -> Stop:
    """Up to the first stop; with torch loaded where the program does that first of all, and nothing else is asked for."""
    program = folder / "program.py"
    program.write_text(dedent(source), "utf-8")
    breakpoints = stop_lines(program).values()
    if _IMPORTS_TORCH.search(source) and options.keys() <= {"exceptions", "justMyCode"}:
        return client.attach(program, breakpoints=breakpoints, warm=warm, redirectOutput=True, **options)
    return client.launch(program, breakpoints=breakpoints, **options)
