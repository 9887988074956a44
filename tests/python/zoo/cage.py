"""A child process for each specimen: what crashes or hangs it says so, and takes nothing else along.

The keeper is a process that has loaded torch once and run nothing with it; it forks for each name that it reads from
stdin, so that a child costs little and starts clean. A child answers one line of JSON through the file descriptor that the
keeper names.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

LIMIT = 240.0  #: seconds for one specimen, which none takes half of on a machine four times as slow and busy


class Keeper:
    """Asks for one specimen after the other; closes with `close`."""

    def __init__(self) -> None:
        self._answers, theirs = os.pipe()
        tests = Path(__file__).parents[1]
        path = os.pathsep.join([str(tests), str(tests.parents[1] / "pyhelper")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "zoo.cage", str(theirs)],
            stdin=subprocess.PIPE,
            pass_fds=[theirs],
            text=True,
            env={**os.environ, "PYTHONPATH": path, "TOKENIZERS_PARALLELISM": "false"},
        )
        os.close(theirs)

    def examine(self, name: str) -> dict[str, Any]:
        """What was found, see `zoo.examine`; ``complaints`` says so when the child crashed or hung."""
        assert self._process.stdin is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self._answers], [], [], LIMIT + 30)
            part = os.read(self._answers, 1 << 16) if ready else b""
            if not part:
                raise RuntimeError(f"the keeper of the zoo did not answer about {name}")
            text += part
        return json.loads(text)  # type: ignore[no-any-return]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(LIMIT)
        os.close(self._answers)


def _keep(answers: int) -> None:
    import torch  # noqa: F401  loaded once for all

    from . import examine, zoo  # noqa: F401

    gc.collect()
    gc.freeze()  # what is loaded by now need not be gone through for each specimen

    for line in sys.stdin:
        _answer(answers, _examined(line.rstrip("\n")))


def _examined(name: str) -> dict[str, Any]:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        _answer(theirs, _safely(name))
        os._exit(0)
    os.close(theirs)
    text, deadline = b"", time.monotonic() + LIMIT
    while True:
        ready, _, _ = select.select([ours], [], [], max(0.0, deadline - time.monotonic()))
        part = os.read(ours, 1 << 16) if ready else b""
        if not part:
            break
        text += part
    hung = not ready
    if hung:
        os.kill(child, signal.SIGKILL)
    os.close(ours)
    _, status = os.waitpid(child, 0)
    if hung:
        return {"complaints": [f"hung for {LIMIT:.0f} s"]}
    if not text:
        code = os.waitstatus_to_exitcode(status)
        return {"complaints": [f"crashed: {signal.Signals(-code).name if code < 0 else code}"]}
    return json.loads(text)  # type: ignore[no-any-return]


def _safely(name: str) -> dict[str, Any]:
    from .examine import examine

    try:
        return examine(name)
    except BaseException:
        return {"complaints": [f"raised: {traceback.format_exc()}"]}


def _answer(answers: int, found: dict[str, Any]) -> None:
    left = (json.dumps(found) + "\n").encode()
    while left:
        left = left[os.write(answers, left) :]


if __name__ == "__main__":
    _keep(int(sys.argv[1]))
