"""Sessions for the tests: real programs, the real adapter, and every process ended whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from client import Client, Stop, stop_lines
from helper import Helper
from table import PROGRAMS, Start, StartSession


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


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Runs a program up to its `# STOP`; `frameless` asks as in a process that uses torch.compile."""
    clients: list[Client] = []

    def run(source: str, *, frameless: bool = False, **options: Any) -> tuple[Client, Stop, Helper]:
        program = tmp_path / "program.py"
        program.write_text(dedent(source), "utf-8")
        client = Client()
        clients.append(client)
        stop = client.launch(program, breakpoints=stop_lines(program).values(), **options)
        return client, stop, Helper(client, frameless=frameless)

    yield run
    for client in clients:
        client.close()
