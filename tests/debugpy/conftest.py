"""Sessions for the tests: real programs, the real adapter, and every process ended whatever happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import Client, Stop, stop_lines
from table import PROGRAMS, StartSession


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
