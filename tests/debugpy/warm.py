"""Debuggees that have torch loaded from their start: a child of a process that has loaded it, two seconds earlier.

Each is `python -m debugpy` as it is without this, see `warm/sitecustomize.py`; a program's `import torch` finds it loaded.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO


class Warm:
    """The process that forks; it ends with the one that asks it."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        folder = str(Path(__file__).with_name("warm"))
        paths = [folder, *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
        with theirs:
            self._process = subprocess.Popen([sys.executable, "-m", "debugpy"], env=environment, stdin=theirs)

    def start(self, arguments: Sequence[str], environment: dict[str, str], folder: Path, printed: IO[bytes]) -> Child:
        """`python -m debugpy` with these arguments."""
        ours, theirs = socket.socketpair()
        message = {"arguments": [*arguments], "environment": environment, "folder": str(folder)}
        with theirs:
            socket.send_fds(self._socket, [json.dumps(message).encode()], [printed.fileno(), theirs.fileno()])
        return Child(ours)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


class Child:
    """As `subprocess.Popen` is, as far as a client needs it."""

    stdout = None

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        number, _, self._end = told.recv(64).partition(b"\n")
        self.pid = int(number)
        self._status: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; raises `subprocess.TimeoutExpired` where it has not ended by then."""
        if self._status is None:
            self._told.settimeout(timeout)
            try:
                self._status = int(self._end or self._told.recv(64))
            except TimeoutError:
                raise subprocess.TimeoutExpired("python -m debugpy", timeout or 0) from None
            self._told.close()
        return self._status
